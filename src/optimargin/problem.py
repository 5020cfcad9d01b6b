"""One binary problem laid out for speed: features by rows, samples grouped by class."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from optimargin.weighting import Costs, Units, integer_units

_BLOCK = 2**16  # numbers handled at once

Features: TypeAlias = "NDArray[np.floating] | sparse.csc_array"


@dataclass(frozen=True)
class Problem:
    """Two classes in scaled coordinates.

    `features` has one contiguous row a feature and one column a sample, the samples of the negative
    class first (dense), or is the transpose of that (sparse, CSC: again contiguous by feature).
    `importance` are the weights of the samples as real numbers with total 1.
    """

    features: Features
    n_negative: int
    units: Units
    importance: NDArray[np.float64]
    class_totals: tuple[float, float]  # sums of sample weights; counts where there are none

    def subsample(self, rows: int, rng: np.random.Generator) -> "Problem":
        """About `rows` samples, of both classes alike as far as there are as many.

        Each class keeps its share of the total weight.
        """
        sizes = self.n_negative, self.n_samples - self.n_negative
        half = rows // 2
        wanted = (
            min(sizes[0], max(half, rows - sizes[1])),
            min(sizes[1], max(half, rows - sizes[0])),
        )
        chosen = [
            np.sort(rng.choice(size, count, replace=False)) + offset
            for size, count, offset in zip(sizes, wanted, (0, self.n_negative), strict=True)
        ]
        kept = np.concatenate(chosen)
        importance = self.importance[kept]
        whole = self.importance[: self.n_negative].sum(), self.importance[self.n_negative :].sum()
        parts = importance[: wanted[0]].sum(), importance[wanted[0] :].sum()
        growth = [
            total / part if part > 0 else 0.0 for total, part in zip(whole, parts, strict=True)
        ]
        weights = None
        costs = float(importance[0] * growth[0]), float(importance[-1] * growth[1])
        if self.units.weights.size:
            weights, costs = importance / importance.max(), (growth[0], growth[1])
        if self.is_sparse:
            features = sparse.csc_array(self.features[kept])
        else:
            features = self.features.take(kept, axis=1)  # an index would not keep features in rows
        problem = make_problem(features, wanted[0], weights, costs)
        if weights is None:
            return problem
        # the weights above are in units of their own; the sums are of the sample weights
        own, first = self.units.weights, self.n_negative
        negative, positive = self.class_totals
        totals = (
            negative * float(own[chosen[0]].sum() / own[:first].sum()),
            positive * float(own[chosen[1]].sum() / own[first:].sum()),
        )
        return replace(problem, class_totals=totals)

    @property
    def total_weight(self) -> float:
        """Sum of the sample weights."""
        return sum(self.class_totals)

    @property
    def class_sizes(self) -> tuple[float, float]:
        """How many samples each class is worth.

        That is its total weight, as a sample of weight 2 is worth two; but where weights are
        fractions, such as those that add up to 1, it is the number of equally heavy samples that
        would vary as little.
        """
        sizes = []
        classes = slice(self.n_negative), slice(self.n_negative, None)
        for block, total in zip(classes, self.class_totals, strict=True):
            shares = self.importance[block]
            squares = float(shares @ shares)
            sizes.append(max(total, float(shares.sum()) ** 2 / squares if squares > 0 else 0.0))
        return sizes[0], sizes[1]

    @cached_property
    def is_sparse(self) -> bool:
        """Whether the features are a CSC array."""
        return bool(sparse.issparse(self.features))

    @cached_property
    def n_features(self) -> int:
        """Number of scaled coordinates."""
        return int(self.features.shape[1] if self.is_sparse else self.features.shape[0])

    @cached_property
    def n_samples(self) -> int:
        """Number of samples of both classes."""
        return int(self.features.shape[0] if self.is_sparse else self.features.shape[1])

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of the features, and of what is computed from them sample by sample."""
        return np.dtype(self.features.dtype)

    @property
    def signs(self) -> NDArray[np.float64]:
        """-1 and +1, one a sample."""
        signs = np.ones(self.n_samples)
        signs[: self.n_negative] = -1.0
        return signs

    def project(self, directions: NDArray[np.floating]) -> NDArray[np.floating]:
        """Every sample on every direction: one row a direction."""
        if self.is_sparse:
            return np.ascontiguousarray((self.features @ directions.T).T)
        return directions @ self.features

    def combine(self, per_sample: NDArray[np.floating]) -> NDArray[np.floating]:
        """The sum of the samples, each multiplied by its number: one number a feature."""
        if self.is_sparse:
            return np.asarray(self.features.T @ per_sample)
        return self.features @ per_sample


def make_problem(
    features: Features, n_negative: int, sample_weight: NDArray[np.float64] | None, costs: Costs
) -> Problem:
    """Weigh and wrap the two classes of a pair; `features` as `Problem` wants them."""
    m = int(features.shape[0] if sparse.issparse(features) else features.shape[1])
    units = integer_units(n_negative, m - n_negative, sample_weight, costs)
    importance = np.empty(m)
    importance[:n_negative] = units.unit_negative / units.total
    importance[n_negative:] = units.unit_positive / units.total
    if units.weights.size:
        importance *= units.weights
    if sample_weight is None:
        totals = float(n_negative), float(m - n_negative)
    else:
        totals = float(sample_weight[:n_negative].sum()), float(sample_weight[n_negative:].sum())
    return Problem(features, n_negative, units, importance, totals)


def blocks_of_samples(m: int, n: int) -> list[slice]:
    """Slices of m samples of n features that stay in the cache: no second copy of all is made."""
    size = max(512, _BLOCK // max(n, 1))
    return [slice(first, min(first + size, m)) for first in range(0, m, size)]
