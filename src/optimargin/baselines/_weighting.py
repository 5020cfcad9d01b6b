"""What the methods that admit costs of classes share: the costs, and rows without duplicates."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from optimargin.baselines._base import (
    FloatArray,
    Pair,
    WeightedPairwiseClassifier,
)
from optimargin.weighting import NEGLIGIBLE_COST


@dataclass(frozen=True)
class Standardisation:
    """Columns of mean 0 and standard deviation 1 under weights; constant columns become 0."""

    centre: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: FloatArray, weights: FloatArray) -> "Standardisation":
        """Measure the columns."""
        centre = np.average(X, axis=0, weights=weights)
        deviation = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=weights))
        rounding = 1e-12 * np.abs(X).max(axis=0)
        return cls(centre, np.where(deviation > rounding, deviation, np.inf))

    def apply(self, X: FloatArray) -> FloatArray:
        """Scale rows."""
        return (X - self.centre) / self.scale

    def undo(self, direction: FloatArray, intercept: float) -> tuple[FloatArray, float]:
        """Express a separator of scaled rows in the original features."""
        coef = direction / self.scale
        return coef, float(intercept - coef @ self.centre)


class CostSensitiveClassifier(WeightedPairwiseClassifier):
    """A method with sample weights and a parameter ``class_weight``."""

    class_weight: Mapping[Any, float] | str | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        given = self.class_weight
        if given is None or (isinstance(given, str) and given == "balanced"):
            return
        if not isinstance(given, Mapping):
            raise ValueError(
                f'class_weight must be "balanced", None or a dict of costs; got {given!r}.'
            )
        for label, cost in given.items():
            check_scalar(cost, f"the class_weight of {label!s}", Real, min_val=0)

    def _fit_classes(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        if isinstance(self.class_weight, Mapping):
            unknown = [label for label in self.class_weight if label not in self.classes_]
            if unknown:
                raise ValueError(
                    f"class_weight names {unknown}, which is not among the classes "
                    f"{self.classes_.tolist()}."
                )
        super()._fit_classes(X, codes, weights)

    def _costs(self, pair: Pair) -> FloatArray:
        """What misclassifying a row costs, total 1."""
        costs = pair.weights * self._factors(pair)
        total = costs.sum()
        if not total > 0:
            raise ValueError(
                f"class_weight leaves no cost to {pair.name}; give one a positive cost."
            )
        normalised: FloatArray = costs / total
        return normalised

    def _factors(self, pair: Pair) -> FloatArray:
        """The cost of one unit of sample weight, for every row."""
        return self._class_costs(pair)[pair.positive.astype(np.intp)]

    def _class_costs(self, pair: Pair) -> FloatArray:
        """The cost of one unit of sample weight in the first and in the second class."""
        if self.class_weight is None:
            return np.ones(2)
        if isinstance(self.class_weight, str):
            total = np.array(
                [pair.weights[~pair.positive].sum(), pair.weights[pair.positive].sum()]
            )
            balanced: FloatArray = total.sum() / (2 * total)
            return balanced
        given = np.array([float(self.class_weight.get(label, 1.0)) for label in pair.classes])
        return np.where(given < NEGLIGIBLE_COST * given.max(), 0.0, given)


def distinct_rows(pair: Pair) -> Pair:
    """Merge rows that agree in features and label, and add up their weights.

    A weight of 2 and a row written twice then lead to the same arrays, bit for bit, and so does any
    other order of the rows.
    """
    keyed = np.column_stack([pair.X + 0.0, pair.positive])  # adding 0 makes a negative zero zero
    rows, inverse = np.unique(keyed, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    # Sorted before they are added up, so that the order of the rows cannot change a sum.
    order = np.lexsort((pair.weights, inverse))
    weights = np.bincount(inverse[order], pair.weights[order], len(rows))
    return replace(
        pair,
        X=np.ascontiguousarray(rows[:, :-1]),
        positive=rows[:, -1] > 0.5,
        weights=weights.astype(np.float64, copy=False),
    )
