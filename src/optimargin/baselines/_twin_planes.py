"""What twin support vector machines share: one plane a class, and the nearer of the two decides."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair, WeightedPairwiseClassifier
from optimargin.baselines._row_space import row_space


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


@dataclass(frozen=True)
class PlaneProblem:
    """The problem of one plane: near the rows of its class, away from those of the other.

    Rows end in a one, for the offset. `side` is the sign that the far rows should have.
    """

    near: FloatArray
    near_weights: FloatArray
    far: FloatArray
    far_weights: FloatArray
    loss: float
    ridge: float
    side: float
    name: str

    def gram(self) -> FloatArray:
        """The matrix of the squared terms."""
        scaled = self.near * np.sqrt(self.near_weights)[:, np.newaxis]
        gram: FloatArray = scaled.T @ scaled
        gram.flat[:: len(gram) + 1] += self.ridge
        return gram


class TwinPlaneClassifier(WeightedPairwiseClassifier):
    """Base of the twin support vector machines: a method supplies `_plane`."""

    c1: float
    c2: float
    c3: float
    c4: float

    def _check_parameters(self) -> None:
        for name in ("c1", "c2", "c3", "c4"):
            check_scalar(getattr(self, name), name, Real, min_val=0, include_boundaries="neither")

    def _plane(self, problem: PlaneProblem) -> tuple[FloatArray, int | None]:
        """The plane, its offset last, and the iterations if there were any."""
        raise NotImplementedError

    def _fit_pair(self, pair: Pair) -> TwinPlanes:
        space = row_space(pair.X)
        Z = np.column_stack([space.coordinates, np.ones(len(pair.X))])
        plus, minus = pair.positive, ~pair.positive
        H, h = Z[plus], pair.weights[plus]
        G, g = Z[minus], pair.weights[minus]
        z1, steps1 = self._plane(PlaneProblem(H, h, G, g, self.c1, self.c3, -1.0, pair.name))
        z2, steps2 = self._plane(PlaneProblem(G, g, H, h, self.c2, self.c4, 1.0, pair.name))
        return TwinPlanes(
            plus=Hyperplane(space.lift(z1[:-1]), float(z1[-1])),
            minus=Hyperplane(space.lift(z2[:-1]), float(z2[-1])),
            n_iter=None if steps1 is None or steps2 is None else max(steps1, steps2),
        )

    def _expose(self, rules: list[TwinPlanes]) -> None:
        self.coef_plus_ = np.array([rule.plus.coef for rule in rules])
        self.intercept_plus_ = np.array([rule.plus.intercept for rule in rules])
        self.coef_minus_ = np.array([rule.minus.coef for rule in rules])
        self.intercept_minus_ = np.array([rule.minus.intercept for rule in rules])
