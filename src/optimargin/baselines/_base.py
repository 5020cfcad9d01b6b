"""How a rule for two classes becomes a scikit-learn classifier.

A method supplies one thing, ``_fit_pair(pair) -> rule``. Everything else is here, once:
validation, labels, weights, one-vs-one, votes, ``decision_function`` and ``predict``.

The contract of a method
------------------------
* Derive from `PairwiseClassifier`, or from `WeightedPairwiseClassifier` if the method admits
  sample weights. In that case a weight of 2 must give what writing the row twice gives.
* ``__init__`` stores its flat parameters and nothing else. ``_check_parameters`` refuses
  impossible values with ``sklearn.utils.check_scalar`` or a ``ValueError``.
* ``_fit_pair`` receives a `Pair` and returns a rule: a `Hyperplane`, or any frozen record with
  a ``decision_function(X)`` that is positive for ``pair.classes[1]``. A record may have an
  ``n_iter``, which becomes an entry of ``n_iter_``. The pair's arrays must not be written to.
* Randomness comes from ``pair.rng`` alone; the base seeds it from the parameter
  ``random_state``, if there is one.
* Where an iteration ends before it has converged, ``_fit_pair`` warns with a
  ``ConvergenceWarning`` that says so for ``pair.name``.
* What the method exposes beyond the common attributes it sets in ``_expose(rules)``, which is
  called last.
"""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from optimargin._sklearn import validate_data
from optimargin.one_vs_one import vote
from optimargin.training import class_pairs

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Pair:
    """One two-class problem: rows of the greater class are positive, every weight is positive."""

    X: FloatArray
    positive: BoolArray
    weights: FloatArray
    classes: tuple[Any, Any]
    rng: np.random.Generator

    @property
    def signs(self) -> FloatArray:
        """The labels as -1 and +1."""
        return np.where(self.positive, 1.0, -1.0)

    @property
    def name(self) -> str:
        """How messages speak of this problem."""
        return f"classes {self.classes[0]!s} and {self.classes[1]!s}"


class Rule(Protocol):
    """What `_fit_pair` returns."""

    def decision_function(self, X: FloatArray) -> FloatArray:
        """One score a row, positive for the second class of the pair."""
        ...


@dataclass(frozen=True)
class Hyperplane:
    """The rule ``X @ coef + intercept``."""

    coef: FloatArray
    intercept: float
    n_iter: int | None = None

    def decision_function(self, X: FloatArray) -> FloatArray:
        """One score a row, positive for the second class of the pair."""
        scores: FloatArray = X @ self.coef + self.intercept
        return scores


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    """One finite, non-negative weight a row, ones where none are given."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must hold one number a row, shape ({n_samples},); "
            f"got shape {weights.shape}."
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight holds NaN or infinity; every weight must be finite.")
    if (weights < 0).any():
        raise ValueError(f"sample_weight must not be negative; the least is {weights.min()}.")
    if not (weights > 0).any():
        raise ValueError(
            "Every sample_weight is zero; at least one row of every class needs a positive weight."
        )
    return weights


class PairwiseClassifier(ClassifierMixin, BaseEstimator):
    """Base of the baselines: a binary rule, joined by one-vs-one votes for more than two classes.

    Attributes set by ``fit``: ``classes_``, ``n_features_in_``, ``rules_`` (one a pair of
    classes, in the order of `optimargin.one_vs_one.class_pairs`), ``n_iter_`` where the method
    counts iterations, and, where every rule is a hyperplane, ``coef_`` of shape (1, n) and
    ``intercept_`` of shape (1,), one row a pair for more than two classes.
    """

    classes_: NDArray[Any]
    n_features_in_: int
    rules_: list[Any]
    coef_: FloatArray
    intercept_: FloatArray

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two or more classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(X, y, None)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Score rows for the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: the score of the rule, positive for ``classes_[1]``. More: the votes of
            a class, plus its summed confidences squeezed into (-1/3, 1/3), which break ties.
        """
        check_is_fitted(self)
        return self._scores(validate_data(self, X, reset=False, dtype=np.float64))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The predicted labels.
        """
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def _check_parameters(self) -> None:
        """Refuse parameters that mean nothing. Default: all are accepted."""

    def _fit_pair(self, pair: Pair) -> Rule:
        """Fit the rule of one pair of classes."""
        raise NotImplementedError

    def _expose(self, rules: list[Any]) -> None:
        """Set the attributes that only this method has. Default: none."""

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        self._check_parameters()
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        weights = check_sample_weight(sample_weight, rows.shape[0])
        kept = weights > 0
        if not kept.all():
            rows, labels, weights = rows[kept], labels[kept], weights[kept]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes; y holds one class "
                f"only, {self.classes_[0]!s} (rows of zero weight do not count)."
            )
        try:
            self._fit_classes(rows, codes, weights)
        except LinAlgError as error:
            raise ValueError(
                f"A linear system of {type(self).__name__} is singular in floating point: columns "
                f"of X are too large, too different in scale, or too far from zero for their "
                f"spread. Standardise X first ({error})."
            ) from error
        return self

    def _fit_classes(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        """Fit one rule a pair.

        A method with a form of its own for many classes replaces this and `_scores`.
        """
        pairs = class_pairs(len(self.classes_))
        random_state = check_random_state(getattr(self, "random_state", None))
        seeds = random_state.randint(np.iinfo(np.int32).max, size=len(pairs))
        rules: list[Any] = []
        for (i, j), seed in zip(pairs, seeds, strict=True):
            rows = slice(None) if len(pairs) == 1 else (codes == i) | (codes == j)
            rules.append(
                self._fit_pair(
                    Pair(
                        X=X[rows],
                        positive=codes[rows] == j,
                        weights=weights[rows],
                        classes=(self.classes_[i], self.classes_[j]),
                        rng=np.random.default_rng(seed),
                    )
                )
            )
        self.rules_ = rules
        if all(isinstance(rule, Hyperplane) for rule in rules):
            self.coef_ = np.array([rule.coef for rule in rules])
            self.intercept_ = np.array([rule.intercept for rule in rules], dtype=np.float64)
        counts = [getattr(rule, "n_iter", None) for rule in rules]
        if None not in counts:
            self.n_iter_ = np.array(counts)
        self._expose(rules)

    def _scores(self, X: FloatArray) -> FloatArray:
        if len(self.rules_) == 1:
            scores: FloatArray = self.rules_[0].decision_function(X)
            return scores
        if all(isinstance(rule, Hyperplane) for rule in self.rules_):
            # A tie is broken by distance: the length of a pair's coefficients has no say in it.
            lengths = np.linalg.norm(self.coef_, axis=1)
            pair_scores = (X @ self.coef_.T + self.intercept_) / np.where(lengths > 0, lengths, 1.0)
        else:
            pair_scores = np.column_stack([rule.decision_function(X) for rule in self.rules_])
        return vote(pair_scores, len(self.classes_)).astype(np.float64, copy=False)


class WeightedPairwiseClassifier(PairwiseClassifier):
    """Base of the baselines that admit sample weights."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. A weight of 2 does what writing the row twice does; a row of
            weight 0 is as good as absent. None: every weight is 1.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(X, y, sample_weight)
