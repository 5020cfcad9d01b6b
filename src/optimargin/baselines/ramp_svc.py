"""The support vector machine whose loss has a ceiling."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._boxed_hinge import HingeSolution, minimise_hinge
from optimargin.baselines._row_space import row_space
from optimargin.baselines._weighting import CostSensitiveClassifier, distinct_rows


@dataclass(frozen=True, kw_only=True)
class RampHyperplane(Hyperplane):
    """A hyperplane, and the objective after each convex problem."""

    objectives: tuple[float, ...]


class RampSVC(CostSensitiveClassifier):
    r"""Linear support vector machine with the ramp loss, by the concave-convex procedure.

    .. math:: \min_{w, b} \frac{1}{2} \lVert w \rVert^2
        + C \sum_i c_i \left[ H_1(y_i f(x_i)) - H_s(y_i f(x_i)) \right],
        \qquad H_a(z) = \max(0, a - z), \quad f(x) = x \cdot w + b.

    The loss of a sample never exceeds 1 - s, so that outliers lose their pull. The procedure starts
    at the support vector machine with the hinge loss. It then replaces the concave part by its
    tangent, which makes the problem convex, solves that, and repeats: the objective never rises,
    and it ends where the set of samples beyond the ceiling no longer changes. Features should be
    of similar scale.

    Parameters
    ----------
    C : float, default=1.0
        The weight of the loss.
    s : float, default=-1.0
        Where the loss stops growing, below 1. The nearer to 1, the closer to the 0-1 loss.
    class_weight : "balanced", dict or None, default=None
        Factors of C by class: None for 1, "balanced" for factors inversely proportional to the
        classes' total weights.
    max_iter : int, default=100
        The most convex problems to solve.
    tol : float, default=1e-6
        Each convex problem is solved until its duality gap is below ``tol`` times one plus its
        objective.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts.
    objective_ : ndarray of shape (n_pairs,)
        The objective reached.
    n_iter_ : ndarray of shape (n_pairs,)
        Convex problems solved.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    The convex problems are solved in the primal by a semismooth Newton method, each from the
    solution of the one before, where the paper solves duals by sequential minimal optimisation:
    the problems and their solutions are the same.

    References
    ----------
    Collobert, Sinz, Weston and Bottou (2006). Trading convexity for scalability. ICML, 201-208.

    Examples
    --------
    An outlier flattens the hinge loss's separator, and not this one:

    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from optimargin.baselines import RampSVC
    >>> X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0], [-8.0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1, 1])
    >>> SVC(kernel="linear").fit(X, y).coef_.round(2), RampSVC().fit(X, y).coef_.round(2)
    (array([[0.4]]), array([[1.]]))
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        s: float = -1.0,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.C = C
        self.s = s
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.C, "C", Real, min_val=0, include_boundaries="neither")
        check_scalar(self.s, "s", Real, max_val=1, include_boundaries="neither")
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_scalar(self.tol, "tol", Real, min_val=0, include_boundaries="neither")

    def _fit_pair(self, pair: Pair) -> RampHyperplane:
        rows = distinct_rows(pair)
        costs = self.C * self._factors(rows) * rows.weights
        centre = np.average(rows.X, axis=0, weights=rows.weights)
        space = row_space(rows.X - centre)
        design = rows.signs[:, None] * space.coordinates

        beyond = np.zeros(len(costs), dtype=bool)
        solution: HingeSolution | None = None
        objectives: list[float] = []
        settled = False
        for _ in range(self.max_iter):
            pulled = np.where(beyond, costs, 0.0)
            solution = minimise_hinge(
                design, rows.signs, -pulled, costs - pulled, solution, self.tol
            )
            if not solution.converged:
                self._warn(pair, f"a convex problem was left with a gap of {solution.gap:.3g}")
            margins = design @ solution.direction + rows.signs * solution.intercept
            objectives.append(ramp_objective(margins, solution.direction, costs, self.s))
            previous, beyond = beyond, margins < self.s
            if np.array_equal(previous, beyond):
                settled = True
                break
        if not settled:
            self._warn(pair, f"max_iter={self.max_iter} convex problems were not enough")
        assert solution is not None
        coef = space.lift(solution.direction)
        return RampHyperplane(
            coef,
            float(solution.intercept - centre @ coef),
            n_iter=len(objectives),
            objectives=tuple(objectives),
        )

    def _warn(self, pair: Pair, reason: str) -> None:
        warnings.warn(
            f"The ramp loss for {pair.name} was not minimised: {reason}. Scale the features, lower "
            "C, or raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _expose(self, rules: list[Any]) -> None:
        self.objective_ = np.array([rule.objectives[-1] for rule in rules])


def ramp_objective(
    margins: FloatArray, direction: FloatArray, costs: FloatArray, s: float
) -> float:
    """||w||^2 / 2 plus the weighted ramp loss of the margins y f."""
    loss = np.clip(1.0 - margins, 0.0, 1.0 - s)
    return float(costs @ loss + 0.5 * direction @ direction)
