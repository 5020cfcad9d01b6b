"""The rule that twin support vector machines share: the class of the nearer of two planes."""

from dataclasses import dataclass

import numpy as np

from optimargin.baselines._base import FloatArray, Hyperplane, WeightedPairwiseClassifier


@dataclass(frozen=True)
class TwinPlanes:
    """One plane near the rows of each class; the score is positive nearer to `plus`."""

    plus: Hyperplane
    minus: Hyperplane
    n_iter: int | None = None

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Distance from the plane of the first class minus distance from that of the second."""
        return distance(self.minus, X) - distance(self.plus, X)


def distance(plane: Hyperplane, X: FloatArray) -> FloatArray:
    """How far each row is from the plane; where there is no plane (no slope), the bare offset."""
    length = float(np.linalg.norm(plane.coef))
    values: FloatArray = np.abs(plane.decision_function(X))
    return values / length if length > 0 else values


class TwinPlaneClassifier(WeightedPairwiseClassifier):
    """Base of the twin support vector machines: exposes the planes of every pair."""

    def _expose(self, rules: list[TwinPlanes]) -> None:
        self.coef_plus_ = np.array([rule.plus.coef for rule in rules])
        self.intercept_plus_ = np.array([rule.plus.intercept for rule in rules])
        self.coef_minus_ = np.array([rule.minus.coef for rule in rules])
        self.intercept_minus_ = np.array([rule.minus.intercept for rule in rules])
