"""SLA: the 0-1 loss approached by ever steeper sigmoids."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import Hyperplane, Pair
from optimargin.baselines._exact_moves import climb
from optimargin.baselines._smooth_descent import (
    LEVELS,
    logistic_start,
    minimise,
    sweep,
    true_loss,
)
from optimargin.baselines._weighting import CostSensitiveClassifier, Standardisation, distinct_rows

_SWEEPS = ("grid", "exact", None)


@dataclass(frozen=True, kw_only=True)
class SmoothHyperplane(Hyperplane):
    """A hyperplane and its share of the training cost."""

    loss: float


class SmoothZeroOneClassifier(CostSensitiveClassifier):
    r"""SLA, the smooth approximation of the 0-1 loss of Nguyen and Sanner.

    For K = 2, 20 and 200 in turn, each from the solution of the one before, it descends on

    .. math:: S_K(w) = \sum_i c_i \, \sigma(-K y_i \, x_i \cdot w) + \frac{R}{2} \lVert w \rVert^2,
        \qquad \sigma(u) = \frac{1}{1 + e^{-u}},

    where :math:`x_i` is standardised and has a leading 1 for the intercept. As K grows,
    :math:`S_K` tends to the number of errors, and gets local minima. Two kinds of moves alternate:
    gradient steps, and the first shift of a single weight, over a grid of shifts, that lowers
    :math:`S_K` by more than 0.1. The search starts at the logistic regression with the fewest
    errors over a grid of C, and ends with one sweep over the weights for the 0-1 loss itself.

    Parameters
    ----------
    class_weight : "balanced", dict or None, default=None
        None counts errors, as in the paper. "balanced" gives both classes the same total cost. A
        dict holds the cost of a class by label, 1 where it has none.
    final_sweep : {"grid", "exact"} or None, default="grid"
        The end of the search. "grid" is the paper's: one pass, shifts up to 10 in steps of 0.05.
        "exact" takes the best shift of each weight, whatever its size, until none improves.
    l2 : float, default=0.0
        The factor R.
    max_iter : int, default=1000
        The most rounds at each level of K: a round is a run of gradient steps and a scan for a
        shift of a single weight.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts.
    loss_ : ndarray of shape (n_pairs,)
        The share of the training cost that is misclassified, of each pair.
    n_iter_ : ndarray of shape (n_pairs,)
        Rounds made, over all levels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    Schedule and constants are those of the authors' program. It differs from theirs in three
    points. Of the start and the solutions of the levels, the one with the least 0-1 loss goes into
    the final sweep, so that the result is never worse than the start. Sums run over all samples,
    where theirs leave out those whose loss hardly changes. Costs other than 1 are an extension;
    as the least decrease of 0.1 is absolute, they are scaled to the number of samples.

    References
    ----------
    Nguyen and Sanner (2013). Algorithms for direct 0-1 loss optimization in binary classification.
    ICML, PMLR 28(3), 1085-1093.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from optimargin.baselines import SmoothZeroOneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SmoothZeroOneClassifier().fit(X[50:], y[50:]).loss_.round(2)
    array([0.02])
    """

    def __init__(
        self,
        *,
        class_weight: Mapping[Any, float] | str | None = None,
        final_sweep: str | None = "grid",
        l2: float = 0.0,
        max_iter: int = 1000,
    ) -> None:
        self.class_weight = class_weight
        self.final_sweep = final_sweep
        self.l2 = l2
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.final_sweep not in _SWEEPS:
            raise ValueError(f"final_sweep must be one of {_SWEEPS}; got {self.final_sweep!r}.")
        check_scalar(self.l2, "l2", Real, min_val=0)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _fit_pair(self, pair: Pair) -> SmoothHyperplane:
        rows = distinct_rows(pair)
        scaling = Standardisation.of(rows.X, rows.weights)
        scaled = scaling.apply(rows.X)
        design = rows.signs[:, None] * np.column_stack([np.ones(len(scaled)), scaled])
        costs = rows.weights.sum() * self._costs(rows)

        weights = best = logistic_start(design, costs, rows.positive)
        least = true_loss(design, costs, rows.positive, best)
        n_rounds = 0
        for sharpness, _, _ in LEVELS:
            weights, rounds, at_rest = minimise(
                design, costs, weights, sharpness, self.l2, self.max_iter
            )
            n_rounds += rounds
            if not at_rest:
                warnings.warn(
                    f"The descent for {pair.name} was stopped after max_iter={self.max_iter} "
                    f"rounds at K = {sharpness:g}, before it came to rest. Raise max_iter.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
            reached = true_loss(design, costs, rows.positive, weights)
            if reached <= least:
                best, least = weights, reached
        if self.final_sweep == "grid":
            best = sweep(design, costs, rows.positive, best)
        elif self.final_sweep == "exact":
            direction, constant = climb(scaled, rows.positive, costs, best[1:], float(best[0]))
            best = np.append(constant, direction)
        least = true_loss(design, costs, rows.positive, best)
        coef, intercept = scaling.undo(best[1:], float(best[0]))
        return SmoothHyperplane(coef, intercept, n_iter=n_rounds, loss=least / float(costs.sum()))

    def _expose(self, rules: list[Any]) -> None:
        self.loss_ = np.array([rule.loss for rule in rules])
