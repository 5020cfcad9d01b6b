"""From sample weights and misclassification costs to integers whose sums are exact.

A score is a sum of sample weights. As integers the sums do not depend on their order, equal scores
are recognised as equal, and "no error" means none. With unweighted samples (or integer weights)
the balanced weights are exact, too: a negative sample counts the number of positive ones, and a
positive sample the number of negative ones, both divided by their greatest common divisor.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Costs = Literal["balanced"] | tuple[float, float]

_EXACT_TOTAL = 2**30  # integer sample weights up to this sum leave room for integer class factors
_REAL_TOTAL = 2**60
_LARGEST_COST = 2**29

# A class that costs less than this share of the other counts for nothing against it. Without such
# an end the cut would be placed for errors that, by the user's own account, do not matter.
NEGLIGIBLE_COST = 1e-6


@dataclass(frozen=True)
class Units:
    """Integer weights of the samples of two classes, the negative class standing first.

    `weights` is empty where all samples of a class weigh the same; a sample's weight is its entry
    (or 1) times the unit of its class.
    """

    weights: NDArray[np.int64]
    unit_negative: int
    unit_positive: int
    total_negative: int
    total_positive: int

    @property
    def total(self) -> int:
        """Weight of all samples."""
        return self.total_negative + self.total_positive

    def take(self, rows: NDArray[np.intp], n_negative: int) -> "Units":
        """The same weights for a selection of rows, whose first `n_negative` are negative."""
        weights = self.weights[rows] if self.weights.size else self.weights
        if weights.size:
            negative, positive = int(weights[:n_negative].sum()), int(weights[n_negative:].sum())
        else:
            negative, positive = n_negative, rows.size - n_negative
        return Units(
            weights,
            self.unit_negative,
            self.unit_positive,
            negative * self.unit_negative,
            positive * self.unit_positive,
        )


def integer_units(
    n_negative: int, n_positive: int, sample_weight: NDArray[np.float64] | None, costs: Costs
) -> Units:
    """Weigh the samples of two classes in integers.

    `sample_weight` holds positive numbers, the negative class first. `costs` are the factors of the
    two classes, or "balanced" for classes of equal total.
    """
    if costs != "balanced":
        greatest = max(costs)
        least = NEGLIGIBLE_COST * greatest
        if greatest == 0:
            costs = (1.0, 1.0)
        else:
            costs = (costs[0] * (costs[0] >= least), costs[1] * (costs[1] >= least))
    if sample_weight is not None and np.all(sample_weight == sample_weight[0]):
        sample_weight = None
    if sample_weight is None:
        return _from_integers(np.empty(0, np.int64), n_negative, n_positive, costs)
    if (
        np.all(sample_weight == np.floor(sample_weight))
        and float(sample_weight.sum()) <= _EXACT_TOTAL
    ):
        weights = sample_weight.astype(np.int64)
        sums = int(weights[:n_negative].sum()), int(weights[n_negative:].sum())
        return _from_integers(weights, *sums, costs)
    return _from_reals(sample_weight, n_negative, costs)


def _from_integers(
    weights: NDArray[np.int64], sum_negative: int, sum_positive: int, costs: Costs
) -> Units:
    if costs == "balanced":
        divisor = math.gcd(sum_negative, sum_positive)
        unit_negative, unit_positive = sum_positive // divisor, sum_negative // divisor
    else:
        unit_negative, unit_positive = _whole_numbers(*costs)
    return Units(
        weights,
        unit_negative,
        unit_positive,
        sum_negative * unit_negative,
        sum_positive * unit_positive,
    )


def _whole_numbers(negative_cost: float, positive_cost: float) -> tuple[int, int]:
    """Integers in the ratio of the costs: exact for short decimals, else to nine digits."""
    if min(negative_cost, positive_cost) == 0:
        return int(negative_cost > 0), int(positive_cost > 0)
    # by its decimals: 0.3 is meant as 3/10 and not as its nearest binary fraction
    ratio = Fraction(repr(float(negative_cost))) / Fraction(repr(float(positive_cost)))
    if max(ratio.numerator, ratio.denominator) < _LARGEST_COST:
        return ratio.numerator, ratio.denominator
    scale = _LARGEST_COST / max(negative_cost, positive_cost)
    return round(negative_cost * scale), round(positive_cost * scale)


def _from_reals(sample_weight: NDArray[np.float64], n_negative: int, costs: Costs) -> Units:
    blocks = slice(None, n_negative), slice(n_negative, None)
    # each class by its own greatest weight, so that neither vanishes beside the other by rounding
    greatest = [float(sample_weight[block].max()) for block in blocks]
    shares = np.empty_like(sample_weight)
    for block, weight in zip(blocks, greatest, strict=True):
        shares[block] = sample_weight[block] / weight
    if costs == "balanced":
        levels = [0.5 / float(shares[block].sum()) for block in blocks]
    else:
        levels = [
            weight * (cost / max(costs)) for weight, cost in zip(greatest, costs, strict=True)
        ]
    for block, level in zip(blocks, levels, strict=True):
        shares[block] *= level / max(levels)
    weights = np.rint(shares * (_REAL_TOTAL / shares.sum())).astype(np.int64)
    return Units(weights, 1, 1, int(weights[:n_negative].sum()), int(weights[n_negative:].sum()))
