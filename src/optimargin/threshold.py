"""The best threshold of a projection, with the widest margin (the paper's Algorithm 1)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from optimargin.kernels.crowds import crowded_cuts
from optimargin.kernels.cuts import best_cuts, rate_cuts, working_space
from optimargin.weighting import Units, integer_units

# Two projected values closer than this many units of rounding count as equal: a cut between them
# would not survive computing the projection again.
TIE_ULPS = 8

_NO_NORMS = np.empty(0)


@dataclass(frozen=True)
class ThresholdFit:
    """A threshold on `sign * projection`: greater values belong to the second class.

    Attributes
    ----------
    threshold : float
        In units of `sign * projection`.
    sign : int
        1 if the second class has the greater projections, else -1.
    score : float
        Balanced accuracy of the rule on the data it was found on.
    margin : float
        Distance from the threshold to the nearest sample on either side.
    """

    threshold: float
    sign: int
    score: float
    margin: float


class Cuts(NamedTuple):
    """The best cut of each of several projections of the same samples, one a column."""

    weighed: NDArray[np.int64]  # integer weight classified correctly, and the sign
    edges: NDArray[np.float64]  # samples on either side, in units of sign times projection

    @classmethod
    def joined(cls, parts: "list[Cuts]") -> "Cuts":
        """The cuts of several calls, side by side."""
        return cls(
            np.concatenate([part.weighed for part in parts], axis=1),
            np.concatenate([part.edges for part in parts], axis=1),
        )

    @property
    def correct(self) -> NDArray[np.int64]:
        """Integer weight classified correctly."""
        return np.asarray(self.weighed[0])

    @property
    def sign(self) -> NDArray[np.int64]:
        """Of the projection."""
        return np.asarray(self.weighed[1])

    @property
    def lower(self) -> NDArray[np.float64]:
        """The sample below the cut, in units of sign times projection."""
        return np.asarray(self.edges[0])

    @property
    def upper(self) -> NDArray[np.float64]:
        """The sample above the cut."""
        return np.asarray(self.edges[1])

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The middle between the two samples, and never the upper one."""
        return np.asarray(self.rates(1)[0])

    @property
    def margin(self) -> NDArray[np.float64]:
        """Half the gap."""
        return np.asarray(self.rates(1)[1])

    def rates(
        self, total: int, l1: float = 0.0, l1_norms: NDArray[np.float64] = _NO_NORMS
    ) -> NDArray[np.float64]:
        """Rows: threshold, margin, score, and the objective with the penalty `l1`."""
        rates = np.empty((4, self.edges.shape[1]))
        rate_cuts(self.weighed, self.edges, total, l1, l1_norms, rates)
        return rates


def cutting_space(m: int, dtype: np.dtype[Any]) -> tuple[NDArray[Any], ...]:
    """Working space for many calls of `cut_projections` with m columns of this type."""
    return working_space(m, bucket_count(m), dtype)


def cut_projections(
    projections: NDArray[np.floating],
    n_negative: int,
    units: Units,
    space: tuple[NDArray[Any], ...] | None = None,
) -> Cuts:
    """The best cut of every row of `projections`, whose first `n_negative` columns are negative.

    `space` is a `cutting_space`; threads must not share one.
    """
    k, m = projections.shape
    weighed, edges = np.empty((2, k), np.int64), np.empty((2, k))
    how: tuple[Any, ...] = (
        projections,
        n_negative,
        units.weights,
        units.unit_negative,
        units.unit_positive,
        units.total_negative,
        units.total_positive,
        bucket_count(m),
        TIE_ULPS * float(np.finfo(projections.dtype).eps),
        weighed,
        edges,
        *(space or cutting_space(m, projections.dtype)),
    )
    if best_cuts(*how):
        crowded_cuts(*how)
    return Cuts(weighed, edges)


def bucket_count(m: int) -> int:
    """Buckets for m samples: about two samples each, fewer once counts would leave the cache."""
    return max(64, min(m // 2, int(32 * m**0.5)))


def optimal_margin_threshold(
    projection: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> ThresholdFit:
    """Find the threshold of a one-dimensional projection that separates two classes best.

    Best means the greatest balanced accuracy; among equally good thresholds the one in the middle
    of the widest gap between neighbouring samples. The search is exact.

    Parameters
    ----------
    projection : array-like of shape (n_samples,)
        One finite number a sample, for example a classifier's `decision_function`.
    y : array-like of shape (n_samples,)
        Labels of exactly two classes. The one that sorts last is the class of greater values.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative weights; a sample of weight 0 is as good as absent.

    Returns
    -------
    ThresholdFit
        `sign * projection > threshold` predicts the second class.

    Examples
    --------
    >>> from optimargin import optimal_margin_threshold
    >>> fit = optimal_margin_threshold([0.0, 1.0, 2.0, 5.0, 6.0], ["a", "a", "a", "b", "b"])
    >>> fit.threshold, fit.sign, fit.score, fit.margin
    (3.5, 1, 1.0, 1.5)
    """
    with np.errstate(invalid="ignore"):  # the check for NaN adds up numbers near the greatest
        values = column_or_1d(check_array(projection, ensure_2d=False, dtype=np.float64))
    labels = column_or_1d(np.asarray(y))
    check_consistent_length(values, labels)
    weights: NDArray[np.float64] | None = None
    if sample_weight is not None:
        weights = column_or_1d(check_array(sample_weight, ensure_2d=False, dtype=np.float64))
        check_consistent_length(values, weights)
        if np.any(weights < 0):
            raise ValueError("sample_weight holds negative numbers; weights must be at least 0.")
        present = weights > 0
        values, labels, weights = values[present], labels[present], weights[present]
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size != 2:
        raise ValueError(
            f"y must hold exactly two classes, found {classes.size}"
            f"{' among the samples of positive weight' if sample_weight is not None else ''}."
        )
    order = np.argsort(codes, kind="stable")
    n_negative = int(np.count_nonzero(codes == 0))
    if weights is not None:
        weights = weights[order]
    units = integer_units(n_negative, labels.size - n_negative, weights, "balanced")
    # far from 1 the arithmetic of gaps would overflow or vanish: work near 1, exactly
    exponent = int(np.frexp(np.abs(values).max())[1])
    cuts = cut_projections(np.ldexp(values[order], -exponent)[None, :], n_negative, units)
    with np.errstate(over="ignore"):  # of a cut beyond the greatest numbers
        ((threshold,), (margin,)) = np.ldexp(cuts.rates(units.total)[:2], exponent)
    return ThresholdFit(
        threshold=float(threshold),
        sign=int(cuts.sign[0]),
        score=float(cuts.correct[0] / units.total),
        margin=float(margin),
    )
