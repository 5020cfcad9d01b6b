"""The scikit-learn estimator: validate, encode, scale, delegate, unscale, expose."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_random_state

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
from optimargin.binary import Plan
from optimargin.one_vs_one import OnGeneration, TrainingSet, class_pairs, fit_pairs, vote
from optimargin.scaling import Scaling, fit_scaling
from optimargin.search.loop import History, Outcome
from optimargin.search.registry import OPTIMIZERS, OptimizerChoice
from optimargin.starts import START_NAMES

_SCORED_ROWS = 2**16  # rows scored at once when the training score is computed again


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
        Candidates a generation; None is the paper's 4 + 3 ln(n).
    max_generations : int, default=None
        Budget of a search; None is the paper's 150 ln(n + 1).
    max_time : float, default=None
        Seconds for the whole fit. Each pair gets at least its cheapest start. With a time limit the
        result depends on the speed of the machine.
    patience : int, default=None
        Stop after this many generations without improvement.
    restarts : int, default=1
        Independent searches for each pair, of which the best is kept.
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
        Generations, and directions scored.
    stop_reason_ : list of str
        Why each search ended: "budget", "time", "patience", "sigma", "finished" or "callback".
    history_ : list of dict
        For each pair, by generation: best training `score`, step size `sigma` (NaN where there is
        none) and cumulative `evaluations`.
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
    >>> bool(model.score_[0] > 0.98)
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
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.scaling != "whiten"
        return tags

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
        with np.errstate(invalid="ignore"):  # the check for NaN adds up numbers near the greatest
            X, labels = validate_data(
                self,
                X,
                y,
                accept_sparse=("csr", "csc"),
                dtype=(np.float64, np.float32),
            )
        if sparse.issparse(X):
            X = _compact(X)
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
        training = TrainingSet(X, codes, classes.size, weights, self._costs(classes), scaling)
        pairs = class_pairs(classes.size)
        names, starts = self._starts(scaling, len(pairs), classes.size)
        plan = Plan(
            optimizer=self.optimizer,
            starts=names,
            l1=float(self.l1),
            population_size=self.population_size,
            max_generations=self.max_generations,
            patience=self.patience,
        )
        if isinstance(
            self.random_state, int | np.integer
        ):  # making a RandomState would take a while
            seed = np.random.SeedSequence(int(self.random_state))
        else:
            entropy = check_random_state(self.random_state).randint(2**31 - 1, size=4)
            seed = np.random.SeedSequence([int(number) for number in entropy])
        with fit_tasks(self, len(pairs), X, labels, sample_weight) as tasks:
            outcomes = fit_pairs(
                training,
                plan,
                starts,
                seed,
                self.restarts,
                self.n_jobs,
                self.max_time,
                int(self.verbose),
                _pair_callbacks(tasks, classes, pairs),
            )
        self._expose(outcomes, training, classes)
        return self

    def _costs(self, classes: NDArray[Any]) -> NDArray[np.float64] | None:
        if self.class_weight == "balanced":
            return None
        costs = np.ones(classes.size)
        if isinstance(self.class_weight, Mapping):
            known = {label: index for index, label in enumerate(classes.tolist())}
            named: Mapping[Any, Any] = self.class_weight
            for label, cost in named.items():
                if label not in known:
                    raise ValueError(
                        f"class_weight names the class {label!r}, which is not in y; the classes "
                        f"are {', '.join(repr(known_label) for known_label in known)}."
                    )
                if not isinstance(cost, Real) or not 0 <= float(cost) < np.inf:
                    raise ValueError(
                        f"class_weight[{label!r}] is {cost!r}; a cost is a finite number, at "
                        "least 0."
                    )
                costs[known[label]] = cost
            if not costs.any():
                raise ValueError("class_weight gives every class the cost 0; one must cost more.")
        return costs

    def _starts(
        self, scaling: Scaling, n_pairs: int, n_classes: int
    ) -> tuple[tuple[str, ...], list[NDArray[np.float64] | None]]:
        """Names of starts, or directions in scaled coordinates for each pair."""
        start = self.start
        if isinstance(start, str):
            return (start,), [None] * n_pairs
        if isinstance(start, list | tuple) and all(isinstance(name, str) for name in start):
            unknown = [name for name in start if name not in START_NAMES]
            if unknown or not start:
                raise ValueError(
                    f"start={start!r} must name at least one of {', '.join(START_NAMES)}, and "
                    "nothing else."
                )
            return tuple(start), [None] * n_pairs
        estimator_coef = getattr(start, "coef_", None)
        if hasattr(start, "fit") and estimator_coef is None:
            raise ValueError(
                f"start={start!r} has no coef_; fit it first, and use a linear estimator."
            )
        coef = np.asarray(start if estimator_coef is None else estimator_coef, dtype=np.float64)
        coef = np.atleast_2d(coef)
        if coef.ndim != 2 or coef.shape[1] != scaling.n_features or not np.isfinite(coef).all():
            raise ValueError(
                f"start holds weights of shape {coef.shape}; it must hold finite numbers with "
                f"{scaling.n_features} columns, one a feature."
            )
        # who decides by pairs (this classifier, SVC) says so in a parameter; three classes have as
        # many pairs as classes
        by_pairs = hasattr(start, "decision_function_shape")
        if estimator_coef is not None and not by_pairs and coef.shape[0] == n_classes > 2:
            # one against the rest: the difference of two classes separates them
            coef = np.array([coef[j] - coef[i] for i, j in class_pairs(n_classes)])
        directions = scaling.scale_directions(coef)
        # a direction without any weight in the varying columns says nothing
        directions[~directions.any(axis=1)] = 1.0
        if n_pairs > 1 and directions.shape[0] == n_pairs:
            return (), [direction[None, :] for direction in directions]
        return (), [directions] * n_pairs

    def _expose(
        self, outcomes: list[Outcome], training: TrainingSet, classes: NDArray[Any]
    ) -> None:
        """Set the fitted attributes, all of them or none."""
        unscaled = [
            training.scaling.unscale(outcome.separator.direction, outcome.separator.intercept)
            for outcome in outcomes
        ]
        coef = np.array([weights for weights, _ in unscaled], dtype=training.X.dtype)
        intercept = np.array([constant for _, constant in unscaled], dtype=training.X.dtype)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(
                "The separator cannot be written for the original features: their values are too "
                "great or too small for floating-point numbers. Rescale the data first."
            )
        scores = _training_scores(training, coef, intercept)
        self.classes_ = classes
        self.coef_ = coef
        self.intercept_ = intercept
        self.score_ = scores
        self.margin_ = np.array([outcome.separator.margin for outcome in outcomes])
        self.n_iter_ = np.array([outcome.n_generations for outcome in outcomes])
        self.n_evaluations_ = np.array([outcome.n_evaluations for outcome in outcomes])
        self.stop_reason_ = [outcome.stop_reason for outcome in outcomes]
        self.history_ = [outcome.history for outcome in outcomes]

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
        if self.classes_.size == 2:
            indices = (distances[:, 0] > 0).astype(np.intp)
        else:
            indices = vote(distances, self.classes_.size).argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[indices]
        return predicted

    def _distances(self, X: Any) -> NDArray[np.floating]:
        check_is_fitted(self)
        with np.errstate(invalid="ignore"):  # as in fit
            X = validate_data(
                self, X, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32), reset=False
            )
        distances: NDArray[np.floating] = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return distances + self.intercept_


def _compact(X: Any) -> Any:
    """Sparse data with one entry a place, and short indices where they suffice."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == np.int64 and max(X.nnz, *X.shape) < 2**31:
        X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


def _pair_callbacks(
    tasks: FitTasks | None, classes: NDArray[Any], pairs: list[tuple[int, int]]
) -> list[Callable[[], AbstractContextManager[OnGeneration]]] | None:
    if tasks is None:
        return None
    return [partial(tasks.pair, f"{classes[i]} against {classes[j]}") for i, j in pairs]


def _training_scores(
    training: TrainingSet, coef: NDArray[np.floating], intercept: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Weighted share of each pair's samples on their side, by the weights that users get."""
    m = training.codes.size
    weights = np.ones(m) if training.sample_weight is None else training.sample_weight
    right = np.zeros((len(coef), 2))  # by pair and class of the pair
    for first in range(0, m, _SCORED_ROWS):
        rows = slice(first, min(first + _SCORED_ROWS, m))
        block = training.X[rows]
        distances = safe_sparse_dot(block, coef.T, dense_output=True) + intercept
        for index, (i, j) in enumerate(class_pairs(training.n_classes)):
            side = distances[:, index] > 0
            codes, block_weights = training.codes[rows], weights[rows]
            right[index, 0] += block_weights[(codes == i) & ~side].sum()
            right[index, 1] += block_weights[(codes == j) & side].sum()
    totals = np.bincount(training.codes, weights, minlength=training.n_classes)
    scores = np.empty(len(coef))
    for index, (i, j) in enumerate(class_pairs(training.n_classes)):
        if training.costs is None:
            scores[index] = (right[index, 0] / totals[i] + right[index, 1] / totals[j]) / 2
        else:
            costs = training.costs[[i, j]]
            scores[index] = costs @ right[index] / (costs @ totals[[i, j]])
    return scores
