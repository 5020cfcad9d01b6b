"""The linear separator of least 0-1 loss, proven: the yardstick of every search."""

import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._enumeration import enumerate_separators
from optimargin.baselines._exact_moves import climb
from optimargin.baselines._mixed_integer import solve_program, widest_separator
from optimargin.baselines._weighting import CostSensitiveClassifier, Standardisation, distinct_rows

# Up to this many sample angles the enumeration is quicker than the mixed-integer program.
_QUICK_ENUMERATION = 4_000_000
# A smaller gap is within the tolerances of the solver of mixed-integer programs.
_PROOF = 1e-7
_METHODS = ("auto", "enumeration", "milp")


@dataclass(frozen=True, kw_only=True)
class ExactHyperplane(Hyperplane):
    """A hyperplane, its score, and how much better another one could be."""

    score: float
    gap: float
    optimal: bool


@dataclass(frozen=True)
class _Problem:
    """Distinct points in standardised units, and what either label costs them."""

    points: FloatArray
    cost_positive: FloatArray
    cost_negative: FloatArray

    @property
    def rewards(self) -> FloatArray:
        """What the score gains when a point is on the positive side."""
        return self.cost_negative - self.cost_positive

    def loss(self, direction: FloatArray, intercept: float) -> float:
        positive = self.points @ direction + intercept > 0
        return float(np.where(positive, self.cost_positive, self.cost_negative).sum())


@dataclass(frozen=True)
class _Solution:
    direction: FloatArray
    intercept: float
    bound: float


class ExactZeroOneClassifier(CostSensitiveClassifier):
    r"""The exact minimiser of the weighted 0-1 loss over all linear separators.

    It solves

    .. math:: \min_{w, b} \sum_i c_i \, [\, y_i (x_i \cdot w + b) \le 0 \,]

    where the costs :math:`c_i` sum to 1; with ``class_weight="balanced"``, one minus the loss is
    the balanced accuracy. The problem is NP-hard: this estimator is for small data, to find out
    how far from the optimum other classifiers are.

    Two exact methods are used. In up to three dimensions (of the span of the data, not of its
    columns) all separators are enumerated in :math:`O(m^n \log m)`: some optimal separator can be
    turned until it contains n affinely independent samples, and those that contain n - 1 given
    ones are met in the order of an angle [1]_ [2]_. Samples that are not in general position
    (repeated, collinear, on a grid) are settled by the same problem in one dimension less. In more
    dimensions a mixed-integer program is solved [3]_ and its separator re-fitted by exact moves,
    except where so few samples are left that enumerating is quicker. Of the separators that give
    the optimal labels, one far from all samples is returned.

    Parameters
    ----------
    class_weight : "balanced", dict or None, default="balanced"
        "balanced" gives both classes the same total cost, None every unit of sample weight; a dict
        holds the cost of a class by label, 1 where it has none.
    method : {"auto", "enumeration", "milp"}, default="auto"
        How to solve the problem.
    time_limit : float, default=None
        Seconds after which the best separator known is returned, for all pairs of classes
        together. None: until the optimum is proven, however long that takes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts.
    score_ : ndarray of shape (n_pairs,)
        One minus the weighted training loss, the balanced accuracy by default, of each pair.
    gap_ : ndarray of shape (n_pairs,)
        The optimal score is at most ``score_ + gap_``; 0 where the optimum is proven.
    optimal_ : ndarray of bool of shape (n_pairs,)
        Whether no separator is better than the one returned. The enumeration overlooks separators
        that miss a sample by less than 1e-9 standard deviations, the mixed-integer program those
        that miss one by less than 1e-4 when the largest standardised coefficient is 1.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    A sample on the hyperplane belongs to the first class. More than two classes are handled by
    one-vs-one votes: each pair is optimal, the vote is not.

    References
    ----------
    .. [1] Nguyen and Sanner (2013). Algorithms for direct 0-1 loss optimization in binary
       classification. ICML, PMLR 28(3), 1085-1093.
    .. [2] He and Little (2023). An efficient, provably exact algorithm for the 0-1 loss linear
       classification problem. arXiv:2306.12344.
    .. [3] Brooks (2011). Support vector machines with the ramp loss and the hard margin loss.
       Operations Research 59(2), 467-479.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from optimargin.baselines import ExactZeroOneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = ExactZeroOneClassifier().fit(X[50:, 1:], y[50:])
    >>> print(classifier.score_[0], classifier.optimal_[0])
    0.98 True
    """

    def __init__(
        self,
        *,
        class_weight: Mapping[Any, float] | str | None = "balanced",
        method: str = "auto",
        time_limit: float | None = None,
    ) -> None:
        self.class_weight = class_weight
        self.method = method
        self.time_limit = time_limit

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.method not in _METHODS:
            raise ValueError(f"method must be one of {_METHODS}; got {self.method!r}.")
        if self.time_limit is not None:
            check_scalar(
                self.time_limit, "time_limit", Real, min_val=0, include_boundaries="neither"
            )

    def _fit_classes(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        n_classes = len(self.classes_)
        self._clock = _Clock(self.time_limit, n_classes * (n_classes - 1) // 2)
        try:
            super()._fit_classes(X, codes, weights)
        finally:
            del self._clock

    def _fit_pair(self, pair: Pair) -> ExactHyperplane:
        deadline = self._clock.next_deadline()
        rows = distinct_rows(pair)
        costs = self._costs(rows)
        problem, scaling = _collect(rows, costs)
        solution = _solve(problem, self.method, deadline)
        solution = _centre(problem, solution)

        coef, intercept = scaling.undo(solution.direction, solution.intercept)
        right = (rows.X @ coef + intercept > 0) == rows.positive
        score = float(costs[right].sum())
        gap = max(1.0 - score - solution.bound, 0.0)
        optimal = gap < _PROOF
        if not optimal:
            warnings.warn(
                f"The optimum for {pair.name} is not proven: it may be up to {gap:.3g} above the "
                f"score of {score:.3g}. Give more time_limit, fewer rows or fewer features.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return ExactHyperplane(
            coef, intercept, score=score, gap=0.0 if optimal else gap, optimal=optimal
        )

    def _expose(self, rules: list[Any]) -> None:
        self.score_ = np.array([rule.score for rule in rules])
        self.gap_ = np.array([rule.gap for rule in rules])
        self.optimal_ = np.array([rule.optimal for rule in rules])


class _Clock:
    """Shares the time that remains among the pairs that remain."""

    def __init__(self, limit: float | None, n_pairs: int) -> None:
        self.end = math.inf if limit is None else time.monotonic() + limit
        self.remaining = n_pairs

    def next_deadline(self) -> float:
        now = time.monotonic()
        share = max(self.end - now, 0.0) / self.remaining
        self.remaining -= 1
        return now + share


def _collect(rows: Pair, costs: FloatArray) -> tuple[_Problem, Standardisation]:
    """Join rows that differ in their label only; standardise what remains."""
    points, inverse = np.unique(rows.X, axis=0, return_inverse=True)
    scaling = Standardisation.of(points, np.ones(len(points)))
    inverse = inverse.ravel()
    problem = _Problem(
        scaling.apply(points),
        _sum_by(inverse, costs * ~rows.positive),
        _sum_by(inverse, costs * rows.positive),
    )
    return problem, scaling


def _sum_by(groups: NDArray[np.intp], values: FloatArray) -> FloatArray:
    return np.bincount(groups, values).astype(np.float64, copy=False)


def _solve(problem: _Problem, method: str, deadline: float) -> _Solution:
    start = _start(problem)
    decisive = problem.rewards != 0
    points, rewards = problem.points[decisive], problem.rewards[decisive]
    unavoidable = float(np.minimum(problem.cost_positive, problem.cost_negative).sum())
    if not decisive.any():
        return _Solution(*start, unavoidable)
    separator = widest_separator(points, np.sign(rewards))
    if separator is not None and problem.loss(*separator) <= unavoidable + 1e-12:
        return _Solution(*separator, unavoidable)
    if method == "enumeration" or (method == "auto" and _enumerate_quickly(problem.points)):
        found = enumerate_separators(
            problem.points,
            problem.cost_positive,
            problem.cost_negative,
            incumbent=start,
            deadline=deadline,
        )
        return _Solution(found.direction, found.intercept, found.bound)
    limit = None if math.isinf(deadline) else deadline - time.monotonic()
    program = solve_program(points, np.sign(rewards), np.abs(rewards), time_limit=limit)
    best = start
    if program.direction is not None:
        refined = _improve(problem, program.direction, program.intercept)
        best = min(best, refined, key=lambda separator: problem.loss(*separator))
    return _Solution(*best, program.bound + unavoidable)


def _enumerate_quickly(points: FloatArray) -> bool:
    rank = int(np.linalg.matrix_rank(points - points.mean(axis=0), tol=1e-9 * len(points)))
    pencils = math.comb(len(points), max(rank - 1, 0))
    return rank <= 3 or pencils * len(points) <= _QUICK_ENUMERATION


def _start(problem: _Problem) -> tuple[FloatArray, float]:
    """A good separator at once: exact moves from a regularised least-squares direction."""
    weights = np.abs(problem.rewards)
    scaled = problem.points * weights[:, None]
    gram = problem.points.T @ scaled
    ridge = 1e-3 * np.trace(gram) / max(len(gram), 1) + 1e-12
    towards = problem.points.T @ problem.rewards
    direction = np.linalg.solve(gram + ridge * np.eye(len(gram)), towards)
    return _improve(problem, direction, 0.0)


def _improve(
    problem: _Problem, direction: FloatArray, intercept: float
) -> tuple[FloatArray, float]:
    return climb(problem.points, problem.rewards > 0, np.abs(problem.rewards), direction, intercept)


def _centre(problem: _Problem, solution: _Solution) -> _Solution:
    """Move the separator away from the samples, without changing how it labels them."""
    decisive = problem.rewards != 0
    values = problem.points @ solution.direction + solution.intercept
    labels = np.where(values > 0, 1.0, -1.0)[decisive]
    direction, intercept = solution.direction, solution.intercept
    if labels.size and np.ptp(labels) > 0:
        widest = widest_separator(problem.points[decisive], labels)
        loss = problem.loss(direction, intercept)
        if widest is not None and problem.loss(*widest) <= loss + 1e-12:
            direction, intercept = widest
    length = float(np.linalg.norm(direction)) or 1.0
    return _Solution(direction / length, intercept / length, solution.bound)
