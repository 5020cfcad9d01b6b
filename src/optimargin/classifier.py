"""The scikit-learn estimator: validate, encode, scale, delegate, unscale, expose."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from optimargin._sklearn import (
    CallbackSupportMixin,
    FitTasks,
    HasMethods,
    Interval,
    StrOptions,
    check_sample_weight,
    fit_context,
    fit_tasks,
    validate_data,
    with_callbacks,
)
from optimargin.arguments import class_costs, compact, given_starts, seed_sequence
from optimargin.binary import Plan
from optimargin.bound import ErrorBound, separator_error_bound
from optimargin.confidence import join_shares, pair_shares
from optimargin.one_vs_one import OnGeneration, fit_pairs, vote
from optimargin.scaling import fit_scaling
from optimargin.search.loop import History, Outcome
from optimargin.search.registry import OPTIMIZERS, OptimizerChoice
from optimargin.starts import START_NAMES
from optimargin.training import TrainingSet, class_pairs

# Attributes that only `separator="average"` has.
_OF_AVERAGES = ("separators_", "vote_slope_", "inverse_temperature_", "agreement_")


def _averages(classifier: "OptimalMarginClassifier") -> bool:
    """Whether its separators are averages; before it is fitted, whether they are sure to be."""
    if hasattr(classifier, "classes_"):
        return hasattr(classifier, "separators_")
    return classifier.separator == "average"


class OptimalMarginClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Linear classifier that maximises the balanced accuracy itself, not a smooth stand-in.

    The data are projected on a direction, the best threshold with the widest margin is found
    exactly in one dimension, and a search improves the direction (Bonyadi and Reutens,
    "Optimal-margin evolutionary classifier"). Outliers and wrong labels cost one error each,
    however far off they lie, and a class counts the same however few samples it has.

    More than two classes are classified by one separator for each pair of classes and a vote.

    Parameters
    ----------
    optimizer : str or callable, default="memetic"
        How separators are searched. "memetic" joins evolution with exact moves; "coordinate" is
        exact moves along features alone; "cma_es", "separable_cma_es", "evolution_strategy" and
        "particle_swarm" search directions by populations. "cma_es" with `start="random"` is the
        paper's classifier. A callable is a factory `(start, population_size, rng) -> optimizer` of
        an object with `ask()`, returning directions of shape (candidates, n), and
        `tell(directions, scores)`, where `scores` has arrays `objective` (greater is better),
        `score`, `margin` and a method `ranking()`.
    l1 : float, default=0.0
        Weight of the penalty on the sum of absolute weights (the paper's alpha); at unit length, in
        scaled coordinates.
    class_weight : "balanced", None or dict, default="balanced"
        "balanced" gives every class the same total weight, None gives every sample the same weight
        (the plain 0-1 loss), a dict gives the cost of misclassifying a sample of each class
        (1 where a class is not named; less than a millionth of another's counts as nothing).
    scaling : {"standardize", "whiten"} or None, default="standardize"
        Coordinates of the search; folded back into `coef_`. Sparse data are divided, not centred.
    start : str, array-like, fitted linear estimator or list of str, default="auto"
        Where the search begins: "random", "mean_difference", "lda", "logistic", "logistic_free"
        (nearly without regularisation), "svm", several of these, weights for the original features
        (one row for all pairs, or one a pair), or an estimator with `coef_`. "auto" tries several
        on small data and the cheapest on large; the search begins at the best.
    population_size : int, default=None
        Candidates a generation of the population searches; None is the paper's 4 + 3 ln(n).
    max_generations : int, default=None
        Budget of a search. None is the paper's 150 ln(n + 1) for the population searches; the
        memetic search has a few rounds then, "coordinate" as many passes as improve.
    max_time : float, default=None
        Seconds for the whole fit, shared among the pairs. Each pair gets at least its cheapest
        start. With a time limit the result depends on the speed of the machine.
    patience : int, default=None
        Stop after this many generations without improvement.
    restarts : int, default=1
        Independent searches for each pair, of which the best is kept; with `max_time` as many of
        them as there is time for.
    separator : {"auto", "best", "average"}, default="auto"
        "best" is the separator with the greatest training score that the search finds. "average" is
        the mean of many that are nearly as good, drawn from a Gibbs distribution; it generalises
        better where classes overlap or labels are wrong. What the search finds is one of the
        places where its chains start, if `start` is "auto". "auto" is "average" for dense data that
        are scaled, where `optimizer`, `start` and `l1` are left as they are, and "best" otherwise.
    inverse_temperature : "auto" or float, default="auto"
        For "average": how much better than another a separator is by its training score. "auto" is
        11 times the square root of the size of the smaller class, or three or nine times that
        where the training samples tell that it is better.
    n_separators : int, default=100
        For "average": draws kept in `separators_`; `predict_proba` is fitted to their votes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one column a class, or one a pair of classes.
    n_jobs : int, default=None
        Pairs and restarts that are searched side by side, through joblib.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same model, whatever `n_jobs` is.
    verbose : int, default=0
        1 shows a bar during long fits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Weights for the original features. Pairs (i, j), i < j, in lexicographic order; positive
        scores speak for class j.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
    score_ : ndarray of shape (n_pairs,)
        Weighted share of training samples classified correctly (balanced accuracy with
        `class_weight="balanced"`).
    margin_ : ndarray of shape (n_pairs,)
        Distance of the separator, in scaled coordinates, to the nearest sample on either side.
    n_iter_, n_evaluations_ : ndarray of shape (n_pairs,)
        Generations (of the memetic search rounds, of "coordinate" passes, of "average" sweeps),
        and directions scored.
    stop_reason_ : list of str
        Why each search ended: "budget", "time", "patience", "sigma", "finished" or "callback".
    history_ : list of dict
        For each pair, by generation: best training `score`, step size `sigma` (NaN where there is
        none) and cumulative `evaluations`.
    separators_ : list of ndarray of shape (n_kept, n_features + 1)
        With `separator="average"`: weights for the original features, the intercept last.
    inverse_temperature_, agreement_, vote_slope_ : ndarray of shape (n_pairs,)
        With `separator="average"`: beta; the least share of training samples that the means of
        two chains label alike; the k of `predict_proba`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when all features have string names.

    See Also
    --------
    optimal_margin_threshold : The exact threshold of a given projection.

    Notes
    -----
    `score(X, y)` is scikit-learn's accuracy. To choose parameters by what is optimised here, search
    with `scoring="balanced_accuracy"`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from optimargin import OptimalMarginClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OptimalMarginClassifier(random_state=0).fit(X, y)
    >>> bool(model.score_[0] > 0.97)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "optimizer": [StrOptions({"memetic", "coordinate", *OPTIMIZERS}), callable],
        "l1": [Interval(Real, 0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "scaling": [StrOptions({"standardize", "whiten"}), None],
        "start": [StrOptions({"auto", *START_NAMES}), "array-like", HasMethods("fit")],
        "population_size": [Interval(Integral, 2, None, closed="left"), None],
        "max_generations": [Interval(Integral, 0, None, closed="left"), None],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "restarts": [Interval(Integral, 1, None, closed="left")],
        "separator": [StrOptions({"auto", "best", "average"})],
        "inverse_temperature": [
            StrOptions({"auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "n_separators": [Interval(Integral, 1, None, closed="left")],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    classes_: NDArray[Any]
    coef_: NDArray[np.floating]
    intercept_: NDArray[np.floating]
    score_: NDArray[np.float64]
    margin_: NDArray[np.float64]
    n_iter_: NDArray[np.int64]
    n_evaluations_: NDArray[np.int64]
    stop_reason_: list[str]
    history_: list[History]
    separators_: list[NDArray[np.float64]]
    inverse_temperature_: NDArray[np.float64]
    agreement_: NDArray[np.float64]
    vote_slope_: NDArray[np.float64]

    def __init__(
        self,
        *,
        optimizer: OptimizerChoice = "memetic",
        l1: float = 0.0,
        class_weight: str | dict[Any, float] | None = "balanced",
        scaling: str | None = "standardize",
        start: Any = "auto",
        population_size: int | None = None,
        max_generations: int | None = None,
        max_time: float | None = None,
        patience: int | None = None,
        restarts: int = 1,
        separator: str = "auto",
        inverse_temperature: str | float = "auto",
        n_separators: int = 100,
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.optimizer = optimizer
        self.l1 = l1
        self.class_weight = class_weight
        self.scaling = scaling
        self.start = start
        self.population_size = population_size
        self.max_generations = max_generations
        self.max_time = max_time
        self.patience = patience
        self.restarts = restarts
        self.separator = separator
        self.inverse_temperature = inverse_temperature
        self.n_separators = n_separators
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.scaling != "whiten" and self.separator != "average"
        return tags

    def _separator_for(self, X: Any) -> str:
        """What "auto" means for these data."""
        if self.separator != "auto":
            return self.separator
        as_it_is = self.optimizer == "memetic" and self.l1 == 0 and self.scaling is not None
        usual_start = isinstance(self.start, str) and self.start == "auto"
        return "average" if as_it_is and usual_start and not sparse.issparse(X) else "best"

    @with_callbacks
    @fit_context
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search the separators of all pairs of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Sparse data are never made dense.
        y : array-like of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array-like of shape (n_samples,), optional
            A sample of weight 2 is a sample given twice, one of weight 0 is absent.

        Returns
        -------
        self : OptimalMarginClassifier
        """
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            # also when interrupted: no estimator that looks fitted and is not
            for name in [name for name in vars(self) if name.endswith("_")]:
                delattr(self, name)
            raise

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        began = time.perf_counter()
        with np.errstate(invalid="ignore"):  # the check for NaN adds up numbers near the greatest
            X, labels = validate_data(
                self,
                X,
                y,
                accept_sparse=("csr", "csc"),
                dtype=(np.float64, np.float32),
            )
        if sparse.issparse(X):
            X = compact(X)
        check_classification_targets(labels)
        if self.scaling == "whiten" and sparse.issparse(X):
            raise ValueError(
                'scaling="whiten" would make sparse data dense; use scaling="standardize", which '
                "divides sparse columns without centring them, or None."
            )
        if self.scaling == "whiten" and self.l1 > 0:
            raise ValueError(
                "l1 > 0 asks for few features, but whitened coordinates mix all of them; use "
                'scaling="standardize" or None with l1.'
            )
        if self.separator == "average" and (self.l1 > 0 or sparse.issparse(X)):
            raise ValueError(
                'separator="average" is not available with l1 > 0, whose zeros an average would '
                'fill, nor for sparse data; use separator="best".'
            )
        weights: NDArray[np.float64] | None = None
        if sample_weight is not None:
            weights = check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            if not np.all(weights > 0):
                present = np.flatnonzero(weights > 0)
                X, labels, weights = X[present], labels[present], weights[present]
        classes, codes = np.unique(labels, return_inverse=True)
        if classes.size < 2:
            raise ValueError(
                "The training data hold only one class"
                f"{'' if weights is None else ' of positive sample weight'}"
                f"{f' ({classes[0]!r})' if classes.size else ''}"
                "; a classifier needs samples of at least two."
            )
        scaling = fit_scaling(X, weights, self.scaling)
        costs = class_costs(self.class_weight, classes)
        training = TrainingSet(X, codes, classes.size, weights, costs, scaling)
        pairs = class_pairs(classes.size)
        names, starts = given_starts(self.start, scaling, classes.size)
        plan = Plan(
            optimizer=self.optimizer,
            starts=names,
            l1=float(self.l1),
            population_size=self.population_size,
            max_generations=self.max_generations,
            patience=self.patience,
            separator=self._separator_for(X),
            inverse_temperature=(
                None if self.inverse_temperature == "auto" else float(self.inverse_temperature)
            ),
            n_separators=self.n_separators,
            of_several=classes.size > 2,
        )
        with fit_tasks(self, len(pairs), X, labels, sample_weight) as tasks:
            outcomes = fit_pairs(
                training,
                plan,
                starts,
                seed_sequence(self.random_state),
                self.restarts,
                self.n_jobs,
                self.max_time,
                began,
                int(self.verbose),
                _pair_callbacks(tasks, classes, pairs),
            )
        self._expose(outcomes, training, classes)
        return self

    def _expose(
        self, outcomes: list[Outcome], training: TrainingSet, classes: NDArray[Any]
    ) -> None:
        """Set the fitted attributes, all of them or none."""
        found = [outcome.separator for outcome in outcomes]
        unscaled = training.scaling.unscale(
            np.array([np.append(one.direction, one.intercept) for one in found])
        ).astype(training.X.dtype)
        coef, intercept = unscaled[:, :-1].copy(), unscaled[:, -1].copy()
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(
                "The separator cannot be written for the original features: their values are too "
                "great or too small for floating-point numbers. Rescale the data first."
            )
        scores = training.scores(coef, intercept)
        for name in _OF_AVERAGES:  # of an earlier fit
            if hasattr(self, name):
                delattr(self, name)
        self.classes_ = classes
        self.coef_ = coef
        self.intercept_ = intercept
        self.score_ = scores
        self.margin_ = np.array([outcome.separator.margin for outcome in outcomes])
        self.n_iter_ = np.array([outcome.n_generations for outcome in outcomes])
        self.n_evaluations_ = np.array([outcome.n_evaluations for outcome in outcomes])
        self.stop_reason_ = [outcome.stop_reason for outcome in outcomes]
        self.history_ = [outcome.history for outcome in outcomes]
        if outcomes[0].draws is not None:
            self.separators_ = [
                training.scaling.unscale(outcome.draws)
                for outcome in outcomes
                if outcome.draws is not None
            ]
            self.vote_slope_ = np.array([one.vote_slope for one in outcomes])
            self.inverse_temperature_ = np.array([one.inverse_temperature for one in outcomes])
            self.agreement_ = np.array([one.agreement for one in outcomes])

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Signed distances, in scaled coordinates; positive for the second class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            With more than two classes and `decision_function_shape="ovr"` the votes a class
            received plus a confidence below one half that breaks ties; with "ovo" the distance to
            the separator of each pair (i, j), positive for j.
        """
        distances = self._distances(X)
        if self.classes_.size == 2:
            return distances[:, 0]
        if self.decision_function_shape == "ovo":
            return distances
        return vote(distances, self.classes_.size)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        distances = self._distances(X)
        predicted: NDArray[Any] = self.classes_[self._winners(distances)]
        return predicted

    @available_if(_averages)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of the sampled separators expected to vote for each class.

        Only with `separator="average"`. The share is a function of the distance from the mean
        separator, 1 / (1 + exp(-k distance)), with k fitted to the votes on the training samples.
        It says how sure the data make the side that a sample lies on, which is not the frequency
        of the class among such samples: where classes overlap, `CalibratedClassifierCV` gives that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Never exactly 0 or 1. With more than two classes the mean share of a class's pairs.
        """
        distances = self._distances(X)
        shares = pair_shares(distances, self.vote_slope_)
        return join_shares(shares, self.classes_.size, self._winners(distances))

    def error_bound(self, X: Any, y: ArrayLike, delta: float = 0.05) -> ErrorBound:
        """An upper bound on the true balanced error of a randomised form of this separator.

        With probability `1 - delta` over the draw of the samples in (X, y), which may be the
        training data, the classifier that draws its weights from a normal distribution around
        this separator has at most this balanced error on new samples of the same kind. The bound
        is loose: it needs a few hundred samples a class and a wide margin to be far below 0.5. It
        does not cover the separator itself, samples that depend on each other, nor features whose
        scaling was learnt from the same samples: pass them in units that were fixed before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Both classes must occur.
        delta : float, default=0.05

        Returns
        -------
        ErrorBound
        """
        return separator_error_bound(
            self._validated(X), y, self.classes_, self.coef_, self.intercept_, delta
        )

    def _distances(self, X: Any) -> NDArray[np.floating]:
        X = self._validated(X)
        distances: NDArray[np.floating] = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return distances + self.intercept_

    def _winners(self, distances: NDArray[np.floating]) -> NDArray[np.intp]:
        if self.classes_.size == 2:
            return (distances[:, 0] > 0).astype(np.intp)
        return np.asarray(vote(distances, self.classes_.size).argmax(axis=1))

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(
            self, X, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32), reset=False
        )


def _pair_callbacks(
    tasks: FitTasks | None, classes: NDArray[Any], pairs: list[tuple[int, int]]
) -> list[Callable[[], AbstractContextManager[OnGeneration]]] | None:
    if tasks is None:
        return None
    return [partial(tasks.pair, f"{classes[i]} against {classes[j]}") for i, j in pairs]
