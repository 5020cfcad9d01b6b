"""From the user's features to the coordinates that the search sees, and back.

Scaling is an affine map, found once on all training samples and folded into the separator, so that
`coef_` speaks of the original features. Columns that do not vary are left out: their weight is 0.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

Matrix: TypeAlias = "NDArray[np.floating] | sparse.csr_array | sparse.csc_array"

_BLOCK = 2**18  # numbers handled at once, so that no second copy of all data is made


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
            values = (chosen - self.centre) / self.scale
            if self.rotation is not None:
                values = values @ self.rotation
            features[:, block] = values.T
        return features

    def unscale(
        self, direction: NDArray[np.float64], intercept: float
    ) -> tuple[NDArray[np.float64], float]:
        """Weights and intercept for the original features."""
        if self.rotation is not None:
            direction = self.rotation @ direction
        weights = direction / self.scale
        coef = np.zeros(self.n_features)
        coef[self.kept] = weights
        return coef, float(intercept - self.centre @ weights)

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
    if sparse.issparse(X):
        _, variance = mean_variance_axis(sparse.csr_matrix(X), axis=0, weights=sample_weight)
        deviation = np.sqrt(np.asarray(variance, dtype=np.float64))
        kept = _varying(deviation)
        scale = np.ones(kept.size) if method is None else _rounded(deviation[kept])
        return Scaling(n, kept, np.zeros(kept.size), scale)

    centre, deviation = _moments(X, sample_weight)
    kept = _varying(deviation)
    centre, deviation = centre[kept], deviation[kept]
    spread = np.where(deviation > 0, deviation, 1.0)
    # what differs between two orders of summing the same samples is rounded away
    centre = np.round(centre / spread, 9) * spread
    scale = _rounded(spread)
    if method is None:
        return Scaling(n, kept, np.zeros(kept.size), np.ones(kept.size))
    if method == "standardize":
        return Scaling(n, kept, centre, scale)
    return Scaling(n, kept, centre, scale, _whitening(X, sample_weight, kept, centre, scale))


def _blocks(m: int, n: int) -> list[slice]:
    rows = max(1, _BLOCK // max(n, 1))
    return [slice(first, min(first + rows, m)) for first in range(0, m, rows)]


def _moments(
    X: NDArray[np.floating], sample_weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weighted mean and standard deviation of every column; 0 for a column that does not vary."""
    m, n = X.shape
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    magnitude = np.maximum(np.abs(low), np.abs(high))
    # squares of very great or small numbers leave the range: work near 1 there
    extreme = (magnitude > 1e100) | ((magnitude < 1e-100) & (magnitude > 0))
    exponents = np.where(extreme, np.frexp(magnitude)[1], 0)
    weights = np.ones(m) if sample_weight is None else sample_weight
    total = weights.sum()
    near_one = np.ldexp(1.0, -exponents) if extreme.any() else None

    def block_of(block: slice) -> NDArray[np.float64]:
        values = np.asarray(X[block], dtype=np.float64)
        return values if near_one is None else values * near_one

    centre = sum((weights[block] @ block_of(block) for block in _blocks(m, n)), np.zeros(n)) / total
    variance = np.zeros(n)
    for block in _blocks(m, n):
        centred = block_of(block) - centre
        variance += weights[block] @ (centred * centred)
    deviation = np.sqrt(variance / total)
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
        values = (np.asarray(X[block], dtype=np.float64)[:, kept] - centre) / scale
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
