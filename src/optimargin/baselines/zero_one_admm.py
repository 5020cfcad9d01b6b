"""The support vector machine with the 0-1 loss, by alternating directions."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import BoolArray, FloatArray, Hyperplane, Pair
from optimargin.baselines._weighting import CostSensitiveClassifier, distinct_rows

# How the penalty adapts, every so many iterations.
_ADAPT_EVERY = 10
_LARGEST_PENALTY, _RAISED_TO, _LOWERED_TO = 10.0, 5.0, 0.01
# Rows that contradict each other and cannot be told apart would shrink it for ever.
_LEAST_PENALTY = 1e-8
_RAISE, _LOWER = 2.0, 1.25


@dataclass(frozen=True, kw_only=True)
class ZeroOneSupport(Hyperplane):
    """A hyperplane, and how many samples determine it."""

    n_support: int


class ZeroOneADMMClassifier(CostSensitiveClassifier):
    r"""L0/1-SVM: the soft-margin support vector machine with the 0-1 loss in the hinge's place.

    It looks for a stationary point of

    .. math:: \min_{w, b, u} \frac{1}{2} \lVert w \rVert^2 + C \sum_i c_i \, [u_i > 0]
        \quad \text{subject to} \quad u_i = 1 - y_i (x_i \cdot w + b)

    by the alternating direction method of multipliers. The step in u is a hard threshold: only
    the samples i with :math:`0 < z_i \le \sqrt{2 C c_i / \sigma}`, where :math:`z_i` is the slack
    minus the scaled multiplier, take part in the step in w; the rest is settled, right or wrong.
    The penalty :math:`\sigma` adapts to the residuals. Features should be of similar scale.

    Parameters
    ----------
    C : float, default=1.0
        The cost of a sample whose slack is positive.
    sigma : float, default=1.0
        The penalty at the start.
    eta : float, default=1.0
        The step length of the multipliers.
    class_weight : "balanced", dict or None, default=None
        Factors of C by class: None for 1, "balanced" for factors inversely proportional to the
        classes' total weights.
    max_iter : int, default=1000
        The most iterations.
    tol : float, default=1e-3
        The method has converged once none of the four residuals of the optimality conditions is
        greater.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts.
    n_support_ : ndarray of shape (n_pairs,)
        Samples in the working set when the method ended.
    n_iter_ : ndarray of shape (n_pairs,)
        Iterations made.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    Differences from the authors' program: the start is 0.01 times the unit vector between the
    class means, where theirs has 0.01 in every entry, so that swapping the labels flips the
    separator and nothing else; features are centred; the problem is not convex, so the iterate with
    the least weighted training error is returned, not the last one; a sample weight v scales the
    cost and the penalty of a sample, which makes it the same as repeating the row.

    References
    ----------
    Wang, Shao, Zhou, Zhang and Xiu (2022). Support vector machine classifier via L0/1 soft-margin
    loss. IEEE Transactions on Pattern Analysis and Machine Intelligence 44(10), 7253-7265.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from optimargin.baselines import ZeroOneADMMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = ZeroOneADMMClassifier().fit(scale(X), y)
    >>> print(round(classifier.score(scale(X), y), 2))
    0.98
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        sigma: float = 1.0,
        eta: float = 1.0,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ) -> None:
        self.C = C
        self.sigma = sigma
        self.eta = eta
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("C", "sigma", "eta", "tol"):
            check_scalar(getattr(self, name), name, Real, min_val=0, include_boundaries="neither")
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _fit_pair(self, pair: Pair) -> ZeroOneSupport:
        rows = distinct_rows(pair)
        centre = np.average(rows.X, axis=0, weights=rows.weights)
        problem = _Problem(
            design=rows.signs[:, None] * (rows.X - centre),
            signs=rows.signs,
            weights=rows.weights,
            costs=self.C * self._factors(rows),
            positive=rows.positive,
        )
        rule, converged = _alternate(problem, self.sigma, self.eta, self.max_iter, self.tol)
        if not converged:
            warnings.warn(
                f"The residuals for {pair.name} are not below tol={self.tol:g} after "
                f"max_iter={self.max_iter} iterations. Scale the features, or raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return replace(rule, intercept=float(rule.intercept - centre @ rule.coef))

    def _expose(self, rules: list[Any]) -> None:
        self.n_support_ = np.array([rule.n_support for rule in rules])


@dataclass(frozen=True)
class _Problem:
    design: FloatArray  # the rows times their labels
    signs: FloatArray
    weights: FloatArray  # how often a row counts
    costs: FloatArray  # what one copy of a row costs
    positive: BoolArray

    def slack(self, w: FloatArray, b: float) -> FloatArray:
        """1 - y f."""
        return 1.0 - self.design @ w - b * self.signs

    def error(self, slack: FloatArray) -> float:
        """The weighted 0-1 loss; a sample on the hyperplane belongs to the first class."""
        wrong = np.where(self.positive, slack >= 1.0, slack > 1.0)
        return float((self.weights * self.costs)[wrong].sum())


def _alternate(
    problem: _Problem, sigma: float, eta: float, max_iter: int, tol: float
) -> tuple[ZeroOneSupport, bool]:
    design, signs, weights = problem.design, problem.signs, problem.weights
    n_samples = weights.sum()
    shares = weights / np.where(signs > 0, weights[signs > 0].sum(), weights[signs < 0].sum())
    towards = shares @ design
    length = float(np.linalg.norm(towards))
    w = 0.01 * towards / length if length > 0 else np.zeros(design.shape[1])
    b = 0.0
    multipliers = np.zeros(len(signs))
    slack = problem.slack(w, b)
    best, least = (w, b), np.inf
    active = np.zeros(len(signs), dtype=bool)
    converged = False
    iteration = 0
    for iteration in range(1, max_iter + 1):
        shifted = slack - multipliers / sigma
        sigma, active = _working_set(shifted, problem.costs, sigma)
        u = np.where(active, 0.0, shifted)

        members, copies = design[active], weights[active]
        target = (1.0 - multipliers[active] / sigma) - b * signs[active]
        w = _ridge(members, copies, target, 1.0 / sigma)
        rest = 1.0 - multipliers[active] / sigma - members @ w
        if copies.size:
            b = float(np.average(signs[active] * rest, weights=copies))
        slack = problem.slack(w, b)
        residual = u - slack
        multipliers = np.where(active, multipliers + eta * sigma * residual, 0.0)

        error = problem.error(slack)
        if error < least:
            best, least = (w, b), error
        pulled = copies * multipliers[active]
        near = u - multipliers / sigma
        prox = np.where((near > 0) & (near <= np.sqrt(2 * problem.costs / sigma)), 0.0, near)
        residuals = (
            float(np.sum((w + pulled @ members) ** 2) / (1 + w @ w)),
            float(abs(signs[active] @ pulled) / (1 + copies.sum())),
            float(weights @ residual**2 / n_samples),
            float(weights @ (u - prox) ** 2 / (1 + weights @ u**2)),
        )
        if max(residuals) < tol:
            converged = True
            break
        if iteration % _ADAPT_EVERY == 0:
            if residuals[2] > tol:
                sigma = min(_RAISE * sigma, _LARGEST_PENALTY)
            elif residuals[0] > tol:
                sigma = float(np.clip(sigma / _LOWER, _LOWERED_TO, _RAISED_TO))
    rule = ZeroOneSupport(
        best[0], best[1], n_iter=iteration, n_support=round(float(weights[active].sum()))
    )
    return rule, converged


def _working_set(shifted: FloatArray, costs: FloatArray, sigma: float) -> tuple[float, BoolArray]:
    """The samples within reach of the threshold; sigma shrinks where there would be none."""
    positive = shifted > 0
    if positive.any():
        # The largest penalty with which the nearest sample is still within reach.
        limit = float(np.max(2 * costs[positive] / shifted[positive] ** 2))
        if sigma > limit:
            sigma = max(0.95 * limit, min(sigma, _LEAST_PENALTY))
    active = positive & (shifted <= np.sqrt(2 * costs / sigma))
    if not active.any():
        active[np.argmin(np.abs(shifted))] = True
    return sigma, active


def _ridge(rows: FloatArray, weights: FloatArray, target: FloatArray, ridge: float) -> FloatArray:
    """Minimise sum v_i (row_i . w - target_i)^2 + ridge ||w||^2, in the smaller dimension."""
    roots = np.sqrt(weights)
    scaled, values = rows * roots[:, None], target * roots
    if len(rows) < rows.shape[1]:
        gram = scaled @ scaled.T
        gram[np.diag_indices_from(gram)] += ridge
        dual: FloatArray = scaled.T @ cho_solve(cho_factor(gram), values)
        return dual
    gram = scaled.T @ scaled
    gram[np.diag_indices_from(gram)] += ridge
    primal: FloatArray = cho_solve(cho_factor(gram), scaled.T @ values)
    return primal
