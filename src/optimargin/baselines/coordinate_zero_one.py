"""SCD01: stochastic coordinate descent on the balanced 0-1 loss."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._weighting import CostSensitiveClassifier, Standardisation, distinct_rows
from optimargin.threshold import cut_projections
from optimargin.weighting import Costs, Units, integer_units


@dataclass(frozen=True, kw_only=True)
class ScoredHyperplane(Hyperplane):
    """A hyperplane and one minus its weighted training loss."""

    score: float


class CoordinateZeroOneClassifier(CostSensitiveClassifier):
    r"""SCD01, stochastic coordinate descent on the balanced 0-1 loss.

    It maximises the balanced accuracy (or, with other costs, one minus the weighted 0-1 loss) over
    directions :math:`w` of unit length, each with its exact best cut. A restart begins at a random
    direction. Again and again it draws three quarters of each class, and on those searches
    locally: of all single weights (a random 128, if there are more), each shifted up and down by
    ``step``, the best direction is taken, until none is better. After every draw the direction is
    judged on all samples, and the best is kept. What the draws leave out is what lets the search
    escape from local optima.

    Parameters
    ----------
    class_weight : "balanced", dict or None, default="balanced"
        "balanced" gives both classes the same total cost, None every unit of sample weight; a dict
        holds the cost of a class by label, 1 where it has none.
    step : float, default=0.17
        The shift of a weight of a direction of length 1.
    n_restarts : int, default=10
        Random directions to begin from.
    n_draws : int, default=100
        Draws of samples in each restart.
    sample_fraction : float, default=0.75
        The share of each class that is drawn.
    n_coordinates : int, default=128
        The most weights that are tried in a sweep.
    max_sweeps : int, default=100
        The most sweeps of one local search.
    tol : float, default=1e-6
        A local search ends when a sweep gains no more score than this.
    random_state : int, RandomState instance or None, default=None
        Decides on directions, draws and weights.

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
    n_iter_ : ndarray of shape (n_pairs,)
        Sweeps made, over all draws and restarts.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    It differs from the authors' program in four points. The cut of every trial is the best there
    is, where theirs looks within ten samples of the previous one. The best restart is returned;
    their vote of restarts is not a linear classifier. Features are standardised, which gives
    ``step`` a meaning. Rows that agree in features and label are drawn together, which makes a
    sample weight of 2 the same as repeating a row.

    References
    ----------
    Xue, Xie and Roshan (2020). Towards adversarial robustness with 01 loss neural networks.
    arXiv:2008.09148; Xie, Xue and Roshan (2019). Stochastic coordinate descent for 01 loss and its
    sensitivity to adversarial attacks. IEEE ICMLA, 299-304.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from optimargin.baselines import CoordinateZeroOneClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = CoordinateZeroOneClassifier(random_state=0).fit(X, y)
    >>> bool(classifier.score_[0] > 0.97)
    True
    """

    def __init__(
        self,
        *,
        class_weight: Mapping[Any, float] | str | None = "balanced",
        step: float = 0.17,
        n_restarts: int = 10,
        n_draws: int = 100,
        sample_fraction: float = 0.75,
        n_coordinates: int = 128,
        max_sweeps: int = 100,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.class_weight = class_weight
        self.step = step
        self.n_restarts = n_restarts
        self.n_draws = n_draws
        self.sample_fraction = sample_fraction
        self.n_coordinates = n_coordinates
        self.max_sweeps = max_sweeps
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.step, "step", Real, min_val=0, include_boundaries="neither")
        for name in ("n_restarts", "n_draws", "n_coordinates", "max_sweeps"):
            check_scalar(getattr(self, name), name, Integral, min_val=1)
        check_scalar(
            self.sample_fraction,
            "sample_fraction",
            Real,
            min_val=0,
            max_val=1,
            include_boundaries="right",
        )
        check_scalar(self.tol, "tol", Real, min_val=0)

    def _fit_pair(self, pair: Pair) -> ScoredHyperplane:
        rows = distinct_rows(pair)
        scaling = Standardisation.of(rows.X, rows.weights)
        samples = self._samples(rows, scaling.apply(rows.X))
        n_sweeps = n_unfinished = 0
        best: _Cut | None = None
        for _ in range(self.n_restarts):
            direction = pair.rng.uniform(-1.0, 1.0, len(samples.features))
            for _ in range(self.n_draws):
                drawn = samples.draw(self.sample_fraction, pair.rng)
                direction, sweeps, at_rest = self._search(drawn, direction, pair.rng)
                n_sweeps += sweeps
                n_unfinished += not at_rest
                candidate = samples.cut(direction)
                if best is None or candidate.score > best.score:
                    best = candidate
        assert best is not None
        if n_unfinished:
            warnings.warn(
                f"{n_unfinished} of {self.n_restarts * self.n_draws} local searches for "
                f"{pair.name} were stopped after max_sweeps={self.max_sweeps} sweeps, before they "
                f"came to rest. Raise max_sweeps, step or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        coef, intercept = scaling.undo(best.direction, -best.threshold)
        right = (rows.X @ coef + intercept > 0) == rows.positive
        score = float(self._costs(rows)[right].sum())
        return ScoredHyperplane(coef, intercept, n_iter=n_sweeps, score=score)

    def _samples(self, rows: Pair, scaled: FloatArray) -> "_Samples":
        order = np.argsort(rows.positive, kind="stable")
        n_negative = int(np.count_nonzero(~rows.positive))
        costs: Costs = "balanced"
        if self.class_weight != "balanced":
            negative, positive = self._class_costs(rows)
            costs = (float(negative), float(positive))
        units = integer_units(n_negative, len(order) - n_negative, rows.weights[order], costs)
        return _Samples(np.ascontiguousarray(scaled[order].T), n_negative, units)

    def _search(
        self, samples: "_Samples", direction: FloatArray, rng: np.random.Generator
    ) -> tuple[FloatArray, int, bool]:
        """Climb on the samples drawn; return direction, sweeps, and whether it came to rest."""
        n_features = len(samples.features)
        current = samples.cut(direction)
        for sweep in range(1, self.max_sweeps + 1):
            coordinates = np.arange(n_features)
            if n_features > self.n_coordinates:
                coordinates = rng.choice(n_features, self.n_coordinates, replace=False)
            trial = samples.best_shift(current.direction, coordinates, self.step)
            if trial.score <= current.score + self.tol:
                return current.direction, sweep, True
            current = trial
        return current.direction, self.max_sweeps, False

    def _expose(self, rules: list[Any]) -> None:
        self.score_ = np.array([rule.score for rule in rules])


@dataclass(frozen=True)
class _Cut:
    """A direction of unit length, turned so that the second class lies above the threshold."""

    direction: FloatArray
    threshold: float
    score: float


@dataclass(frozen=True)
class _Samples:
    """Standardised samples, one a column, the negative class first."""

    features: FloatArray
    n_negative: int
    units: Units

    def draw(self, fraction: float, rng: np.random.Generator) -> "_Samples":
        """A share of each class, at least one sample."""
        n_samples = self.features.shape[1]
        chosen = []
        for start, stop in ((0, self.n_negative), (self.n_negative, n_samples)):
            size = max(1, round(fraction * (stop - start)))
            chosen.append(start + np.sort(rng.choice(stop - start, size, replace=False)))
        columns = np.concatenate(chosen)
        units = self.units
        weights = units.weights[columns] if units.weights.size else units.weights
        sums = [int(weights[: len(chosen[0])].sum()), int(weights[len(chosen[0]) :].sum())]
        negative, positive = sums if weights.size else [len(part) for part in chosen]
        drawn = Units(
            weights,
            units.unit_negative,
            units.unit_positive,
            negative * units.unit_negative,
            positive * units.unit_positive,
        )
        return _Samples(self.features[:, columns], len(chosen[0]), drawn)

    def cut(self, direction: FloatArray) -> _Cut:
        """The best cut of a direction, which need not have unit length."""
        length = float(np.linalg.norm(direction))
        unit = direction / length if length > 0 else direction
        return self._best(unit[None], unit[None] @ self.features)

    def best_shift(self, direction: FloatArray, coordinates: NDArray[np.intp], step: float) -> _Cut:
        """The best cut after shifting one of the coordinates up or down by the step."""
        shifts = np.concatenate([self.features[coordinates], -self.features[coordinates]])
        shifts *= step
        shifts += direction @ self.features
        trials = np.tile(direction, (len(shifts), 1))
        rows = np.arange(len(coordinates))
        trials[rows, coordinates] += step
        trials[len(coordinates) + rows, coordinates] -= step
        return self._best(trials, shifts)

    def _best(self, directions: FloatArray, projections: FloatArray) -> _Cut:
        cuts = cut_projections(projections, self.n_negative, self.units)
        best = int(np.argmax(cuts.correct))
        direction = directions[best] * float(cuts.sign[best])
        threshold = float(cuts.threshold[best])
        length = float(np.linalg.norm(direction)) or 1.0
        score = int(cuts.correct[best]) / self.units.total
        return _Cut(direction / length, threshold / length, score)
