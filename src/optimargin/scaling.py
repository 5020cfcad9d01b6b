"""From the user's features to the coordinates that the search sees, and back.

Scaling is an affine map, found once on all training samples and folded into the separator, so that
`coef_` speaks of the original features. Columns that do not vary are left out: their weight is 0.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from optimargin.kernels.columns import add_moments, widen_ranges

Matrix: TypeAlias = "NDArray[np.floating] | sparse.csr_array | sparse.csc_array"

_BLOCK = (
    2**14
)  # numbers handled at once: they stay in the cache, no second copy of all data is made


@dataclass(frozen=True)
class Scaling:
    """x -> (x[kept] - centre) / scale @ rotation; no rotation is the identity."""

    n_features: int
    kept: NDArray[np.intp]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    rotation: NDArray[np.float64] | None = None

    def features(
        self, X: Matrix, rows: NDArray[np.intp]
    ) -> NDArray[np.floating] | sparse.csc_array:
        """Scaled samples `rows` as a problem wants them: one row a feature (sparse: CSC)."""
        if sparse.issparse(X):
            scaled = sparse.csc_array(sparse.csr_array(X)[rows][:, self.kept])
            scaled.data = scaled.data / np.repeat(self.scale, np.diff(scaled.indptr)).astype(
                scaled.dtype
            )
            return scaled
        n = self.kept.size if self.rotation is None else self.rotation.shape[1]
        features = np.empty((n, rows.size), X.dtype)
        everything = self.kept.size == self.n_features
        for block in _blocks(rows.size, X.shape[1]):
            chosen = X[rows[block]] if everything else X[np.ix_(rows[block], self.kept)]
            values = np.ascontiguousarray((chosen - self.centre) / self.scale)
            if self.rotation is not None:
                values = values @ self.rotation
            features[:, block] = values.T
        return features

    def unscale(self, separators: NDArray[np.float64]) -> NDArray[np.float64]:
        """Separators (rows: weights, intercept last) for the original features.

        Not finite where they are too great.
        """
        directions = separators[:, :-1]
        if self.rotation is not None:
            directions = directions @ self.rotation.T
        unscaled = np.zeros((len(separators), self.n_features + 1))
        with np.errstate(over="ignore", invalid="ignore"):
            weights = directions / self.scale
            unscaled[:, self.kept] = weights
            unscaled[:, -1] = separators[:, -1] - weights @ self.centre
        return unscaled

    def scale_directions(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Directions (rows) in scaled coordinates from weights for the original features."""
        directions = coef[:, self.kept] * self.scale
        if self.rotation is not None:
            directions = np.asarray(np.linalg.lstsq(self.rotation, directions.T, rcond=None)[0].T)
        return np.asarray(directions)


def fit_scaling(
    X: Matrix, sample_weight: NDArray[np.float64] | None, method: str | None
) -> Scaling:
    """Find centre and scale of every column of X, weighted."""
    n = X.shape[1]
    _check_magnitude(X, method)
    if sparse.issparse(X):
        deviation = _sparse_deviation(X, sample_weight)
        kept = _varying(deviation)
        scale = np.ones(kept.size) if method is None else _rounded(deviation[kept])
        return Scaling(n, kept, np.zeros(kept.size), scale)

    centre, deviation = _moments(X, sample_weight)
    kept = _varying(deviation)
    centre, deviation = centre[kept], deviation[kept]
    spread = np.where(deviation > 0, deviation, 1.0)
    # what differs between two orders of summing the same samples is rounded away
    scale = _rounded(spread)
    centre = np.round(centre / scale, 9) * scale
    if method is None:
        return Scaling(n, kept, np.zeros(kept.size), np.ones(kept.size))
    if method == "standardize":
        return Scaling(n, kept, centre, scale)
    return Scaling(n, kept, centre, scale, _whitening(X, sample_weight, kept, centre, scale))


def _check_magnitude(X: Matrix, method: str | None) -> None:
    """Refuse what would leave the range of floating-point numbers later on."""
    values: NDArray[np.floating] = np.asarray(X.data if sparse.issparse(X) else X)
    if not values.size:
        return
    greatest = max(-float(values.min()), float(values.max()))
    largest = float(np.finfo(X.dtype).max)
    if method is None and greatest > min(1e60, largest**0.5):
        raise ValueError(
            f"X holds numbers up to {greatest:.1e}, too great or too small to be used as they are: "
            'their powers are no numbers any more. Use scaling="standardize", or rescale the data.'
        )
    if greatest > largest / 4:
        raise ValueError(
            f"X holds numbers up to {greatest:.1e}, too great or too small for sums and "
            "differences of them to be numbers. Rescale the data first."
        )


def _sparse_deviation(X: Matrix, sample_weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Standard deviation of every column, zeros included."""
    rows = sparse.csr_array(X)
    low, high = min_max_axis(rows, axis=0)
    exponents = _exponents(np.maximum(-low, high).astype(np.float64))
    if exponents.any():
        values = np.ldexp(rows.data.astype(np.float64), -exponents[rows.indices])
        rows = sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)
    _, variance = mean_variance_axis(rows, axis=0, weights=sample_weight)
    deviation = np.sqrt(np.asarray(variance, dtype=np.float64))
    return np.asarray(np.ldexp(deviation, exponents))


def _exponents(magnitude: NDArray[np.float64]) -> NDArray[np.int64]:
    """Powers of two that bring columns near 1 whose squares would leave the range, else 0."""
    extreme = (magnitude > 1e100) | ((magnitude < 1e-100) & (magnitude > 0))
    exponents = np.where(extreme, np.frexp(magnitude)[1], 0).astype(np.int64)
    return np.clip(exponents, -1000, 1000)  # so that the power itself is a number


def _blocks(m: int, n: int) -> list[slice]:
    rows = max(1, _BLOCK // max(n, 1))
    return [slice(first, min(first + rows, m)) for first in range(0, m, rows)]


def _moments(
    X: NDArray[np.floating], sample_weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted mean and standard deviation of every column; 0 for a column that does not vary."""
    m, n = X.shape
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    for block in _blocks(m, n):
        widen_ranges(np.ascontiguousarray(X[block]), low, high)
    exponents = _exponents(np.maximum(np.abs(low), np.abs(high)))
    factors = np.ldexp(1.0, -exponents)
    weights = np.ones(m) if sample_weight is None else sample_weight
    total, centre, squares, space = 0.0, np.zeros(n), np.zeros(n), np.empty((3, n))
    for block in _blocks(m, n):
        total = add_moments(
            np.ascontiguousarray(X[block]), weights[block], factors, total, centre, squares, space
        )
    variance = squares / total
    deviation = np.sqrt(variance)
    # equal values whose mean is rounded leave a deviation of rounding errors only
    noise = 10 * np.finfo(np.float64).eps * np.abs(centre)
    deviation = np.where((low == high) | (deviation <= noise), 0.0, deviation)
    return np.ldexp(centre, exponents), np.ldexp(deviation, exponents)


def _varying(deviation: NDArray[np.float64]) -> NDArray[np.intp]:
    """Columns to search in; one at least, so that there is a direction at all."""
    # below this a weight of one over the deviation is no longer a number
    kept = np.flatnonzero(deviation > 1e-290)
    return kept if kept.size else np.zeros(1, dtype=np.intp)


def _rounded(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nine digits; 1 for a column that does not vary."""
    mantissa, exponent = np.frexp(np.where(scale > 0, scale, 1.0))
    return np.asarray(np.ldexp(np.round(mantissa, 9), exponent))


def _whitening(
    X: NDArray[np.floating],
    sample_weight: NDArray[np.float64] | None,
    kept: NDArray[np.intp],
    centre: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Rotation to uncorrelated coordinates of variance 1, without the null space."""
    m = X.shape[0]
    weights = np.ones(m) if sample_weight is None else sample_weight
    covariance = np.zeros((kept.size, kept.size))
    for block in _blocks(m, X.shape[1]):
        values = (np.asarray(X[block], dtype=np.float64, order="C")[:, kept] - centre) / scale
        covariance += (values * weights[block, None]).T @ values
    values, basis = np.linalg.eigh(np.round(covariance / weights.sum(), 12))
    present = values > 1e-10 * max(values[-1], 1e-300)
    if not present.any():
        return np.eye(kept.size)
    basis = basis[:, present]
    # the sign of an eigenvector is arbitrary: make its largest entry positive
    largest = np.abs(basis).argmax(axis=0)
    basis = basis * np.sign(basis[largest, np.arange(basis.shape[1])])
    rotation: NDArray[np.float64] = basis / np.sqrt(values[present])
    return rotation
