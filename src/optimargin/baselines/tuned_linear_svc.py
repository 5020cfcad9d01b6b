"""A linear support vector machine tuned by Bayesian optimisation."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._boxed_hinge import HingeSolution, minimise_hinge
from optimargin.baselines._row_space import row_space
from optimargin.baselines._weighting import CostSensitiveClassifier, distinct_rows

_SCORINGS = ("accuracy", "balanced_accuracy")
_N_INITIAL = 5
_VALIDATION_TOL = 1e-3  # a validation score has no use for more


@dataclass(frozen=True, kw_only=True)
class TunedHyperplane(Hyperplane):
    """A hyperplane, and how its C was found."""

    C: float
    evaluations: dict[str, FloatArray]


class TunedLinearSVC(CostSensitiveClassifier):
    r"""Linear support vector machine, its C chosen by Bayesian optimisation of a validation score.

    .. math:: \min_{w, b} \frac{1}{2} \lVert w \rVert^2
        + C \sum_i c_i \max(0, 1 - y_i (x_i \cdot w + b))

    A Gaussian process models the cross-validated score as a function of log C. After five
    equally spaced values of log C, each next one maximises the expected improvement over the
    best so far. The machine is then fitted to all rows with the best C. Features should be of
    similar scale. The package ``bayesian-optimization`` must be installed.

    Parameters
    ----------
    n_evaluations : int, default=30
        Values of C to try.
    n_folds : int, default=5
        Folds of the cross-validation; fewer, if a class has fewer different rows.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        The score to maximise, over all rows, each predicted by the machine that has not seen it.
    C_range : pair of float, default=(1e-5, 1e5)
        The least and the greatest C.
    class_weight : "balanced", dict or None, default=None
        Factors of C by class: None for 1, "balanced" for factors inversely proportional to the
        classes' total weights.
    tol : float, default=1e-5
        The final machine is trained until its duality gap is below ``tol`` times one plus its
        objective, those of the cross-validation with 1e-3 in the place of ``tol``, or with ``tol``
        if that is greater.
    random_state : int, RandomState instance or None, default=None
        Decides on the folds and on the search.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts.
    C_ : ndarray of shape (n_pairs,)
        The C chosen for each pair; the least of equally good ones.
    cv_score_ : ndarray of shape (n_pairs,)
        Its cross-validated score.
    evaluations_ : list of dict
        For each pair the arrays "C" and "score", in the order in which they were tried.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    Notes
    -----
    The paper's "optimised SVM" is MATLAB's, which tunes the box constraint and a kernel scale, each
    in [1e-3, 1e3]. For a linear kernel the two are one parameter, C divided by the squared scale,
    which is what is tuned here. Rows that agree in features and label are in the same fold, so
    that a sample weight of 2 is the same as repeating a row.

    References
    ----------
    Gelbart, Snoek and Adams (2014). Bayesian optimization with unknown constraints. UAI.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from optimargin.baselines import TunedLinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = TunedLinearSVC(n_evaluations=8, random_state=0).fit(X[50:], y[50:])
    >>> bool(machine.cv_score_[0] > 0.93)
    True
    """

    def __init__(
        self,
        *,
        n_evaluations: int = 30,
        n_folds: int = 5,
        scoring: str = "accuracy",
        C_range: tuple[float, float] = (1e-5, 1e5),
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_evaluations = n_evaluations
        self.n_folds = n_folds
        self.scoring = scoring
        self.C_range = C_range
        self.class_weight = class_weight
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.n_evaluations, "n_evaluations", Integral, min_val=1)
        check_scalar(self.n_folds, "n_folds", Integral, min_val=2)
        check_scalar(self.tol, "tol", Real, min_val=0, include_boundaries="neither")
        if self.scoring not in _SCORINGS:
            raise ValueError(f"scoring must be one of {_SCORINGS}; got {self.scoring!r}.")
        low, high = self.C_range
        if not 0 < low < high < np.inf:
            raise ValueError(
                f"C_range must hold two positive numbers, the smaller first; got {self.C_range!r}."
            )

    def _fit_pair(self, pair: Pair) -> TunedHyperplane:
        rows = distinct_rows(pair)
        centre = np.average(rows.X, axis=0, weights=rows.weights)
        space = row_space(rows.X - centre)
        data = _Data(space.coordinates, rows.signs, self._factors(rows) * rows.weights)
        folds = self._folds(rows)
        validated = np.zeros(len(rows.X), dtype=bool)
        validated[np.concatenate([validation for _, validation in folds])] = True
        starts: list[HingeSolution | None] = [None] * len(folds)
        rough = max(self.tol, _VALIDATION_TOL)
        n_unfinished = 0

        def validate(log_C: float) -> float:
            nonlocal n_unfinished
            right = np.zeros(len(rows.X), dtype=bool)
            for i, (training, validation) in enumerate(folds):
                C = 10.0**log_C
                found = data.take(training).fit(C, rough, starts[i])
                n_unfinished += not found.converged
                # A start for the next C, as most samples sit at an end of their box.
                starts[i] = replace(
                    found, multipliers=found.multipliers / C, penalty=found.penalty / C
                )
                scores = data.X[validation] @ found.direction + found.intercept
                right[validation] = (scores > 0) == rows.positive[validation]
            return self._score(right, validated, rows)

        low, high = np.log10(self.C_range)
        seed = int(pair.rng.integers(2**31))
        tried, scores = maximise(validate, low, high, self.n_evaluations, seed)
        if n_unfinished:
            warnings.warn(
                f"{n_unfinished} of {self.n_evaluations * len(folds)} machines of the "
                f"cross-validation for {pair.name} did not reach a duality gap of {rough:g}, so "
                f"the scores of their C are rough. Scale the features, or lower C_range.",
                ConvergenceWarning,
                stacklevel=2,
            )
        best = float(10.0 ** tried[scores == scores.max()].min())

        solution = data.fit(best, self.tol, None)
        if not solution.converged:
            warnings.warn(
                f"The support vector machine for {pair.name} with C = {best:.3g} was left with a "
                f"duality gap of {solution.gap:.3g}. Scale the features, or raise tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        coef = space.lift(solution.direction)
        return TunedHyperplane(
            coef,
            float(solution.intercept - centre @ coef),
            C=best,
            evaluations={"C": 10.0**tried, "score": scores},
        )

    def _folds(self, rows: Pair) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and validation rows. The only row of a class is always for training."""
        everything = np.arange(len(rows.X))
        members = [np.flatnonzero(rows.positive), np.flatnonzero(~rows.positive)]
        divisible = [class_ for class_ in members if len(class_) > 1]
        if not divisible:
            raise ValueError(
                f"Cross-validation needs a class with two different rows; {rows.name} have one "
                "each."
            )
        validated = np.sort(np.concatenate(divisible))
        splitter = StratifiedKFold(
            min(self.n_folds, *(len(class_) for class_ in divisible)),
            shuffle=True,
            random_state=int(rows.rng.integers(2**31)),
        )
        validations = [
            validated[part]
            for _, part in splitter.split(rows.X[validated], rows.positive[validated])
        ]
        return [(np.setdiff1d(everything, part), part) for part in validations]

    def _score(self, right: NDArray[np.bool_], validated: NDArray[np.bool_], rows: Pair) -> float:
        if self.scoring == "accuracy":
            return float(np.average(right[validated], weights=rows.weights[validated]))
        recalls = [
            np.average(right[members], weights=rows.weights[members])
            for members in (rows.positive & validated, ~rows.positive & validated)
            if members.any()
        ]
        return float(np.mean(recalls))

    def _expose(self, rules: list[Any]) -> None:
        self.C_ = np.array([rule.C for rule in rules])
        self.cv_score_ = np.array([rule.evaluations["score"].max() for rule in rules])
        self.evaluations_ = [rule.evaluations for rule in rules]


@dataclass(frozen=True)
class _Data:
    X: FloatArray
    signs: FloatArray
    costs: FloatArray

    def take(self, rows: NDArray[np.intp]) -> "_Data":
        return _Data(self.X[rows], self.signs[rows], self.costs[rows])

    def fit(self, C: float, tol: float, start: HingeSolution | None) -> HingeSolution:
        upper = C * self.costs
        design = self.signs[:, None] * self.X
        if start is not None:  # for C = 1
            start = replace(start, multipliers=start.multipliers * C, penalty=start.penalty * C)
        return minimise_hinge(design, self.signs, np.zeros(len(upper)), upper, start, tol)


def maximise(
    function: Callable[[float], float], low: float, high: float, n_evaluations: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Look for the maximum of a function of one variable by Bayesian optimisation.

    Returns where it was evaluated, and the values: first at equally spaced points, then where the
    expected improvement is greatest.
    """
    try:
        from bayes_opt import BayesianOptimization
        from bayes_opt.acquisition import ExpectedImprovement
    except ImportError as error:
        raise ImportError(
            "TunedLinearSVC needs the package bayesian-optimization: "
            'pip install "optimargin[experiments]".'
        ) from error
    optimizer = BayesianOptimization(
        f=None,
        pbounds={"x": (low, high)},
        acquisition_function=ExpectedImprovement(xi=0.01),
        random_state=seed,
        allow_duplicate_points=True,
        verbose=0,
    )
    n_initial = min(_N_INITIAL, n_evaluations)
    spaced = np.linspace(low, high, n_initial) if n_initial > 1 else [(low + high) / 2]
    tried: list[float] = []
    values: list[float] = []
    for number in range(n_evaluations):
        if number < n_initial:
            x = float(spaced[number])
        else:
            with warnings.catch_warnings():  # of the process's own fit, on flat stretches
                warnings.simplefilter("ignore")
                x = float(optimizer.suggest()["x"])
        value = function(x)
        optimizer.register(params={"x": x}, target=value)
        tried.append(x)
        values.append(value)
    return np.array(tried), np.array(values)
