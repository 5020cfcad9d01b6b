"""Any linear classifier's direction with the exact balanced cut."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import has_fit_parameter

from optimargin.baselines._base import FloatArray, Hyperplane, Pair, WeightedPairwiseClassifier
from optimargin.threshold import optimal_margin_threshold


@dataclass(frozen=True, kw_only=True)
class RefittedHyperplane(Hyperplane):
    """A hyperplane with a new intercept."""

    estimator: Any
    score: float
    margin: float


@dataclass(frozen=True)
class RefittedScores:
    """A classifier of which only the scores are known, cut anew."""

    estimator: Any
    sign: int
    threshold: float
    score: float
    margin: float

    def decision_function(self, X: FloatArray) -> FloatArray:
        """One score a row, positive for the second class of the pair."""
        scores: FloatArray = self.sign * self.estimator.decision_function(X) - self.threshold
        return scores


class ThresholdRefitClassifier(WeightedPairwiseClassifier):
    r"""A linear classifier whose cut is replaced by the one of greatest balanced accuracy.

    Another classifier chooses the direction :math:`w`. The cut is then the exact maximiser

    .. math:: \max_{s \in \{-1, 1\}, t} \frac{1}{2} \left(
        \frac{|\{i : y_i = +1, \; s\, x_i \cdot w > t\}|}{m_+} +
        \frac{|\{i : y_i = -1, \; s\, x_i \cdot w \le t\}|}{m_-} \right)

    on the training data, in the middle of the widest gap. What a method gains by direct
    optimisation of balanced accuracy beyond this, it gains by its direction.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with ``coef_`` and ``intercept_``, or with a ``decision_function`` (a
        pipeline, for instance). It is cloned for every pair of classes. None:
        ``LogisticRegression(class_weight="balanced")``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    estimators_ : list of classifiers
        The fitted clones, one a pair.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        The separators, positive for the second class of a pair, if ``estimator`` has ``coef_``.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Their intercepts, if ``estimator`` has ``coef_``.
    score_ : ndarray of shape (n_pairs,)
        Training balanced accuracy of each pair.
    margin_ : ndarray of shape (n_pairs,)
        Distance from the cut to the nearest sample, in units of the features where there are
        coefficients, else in units of the scores.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has string column names.

    See Also
    --------
    optimargin.optimal_margin_threshold : The cut alone.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a cut by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from optimargin.baselines import ThresholdRefitClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> refit = ThresholdRefitClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    >>> print(refit.score_.round(3))
    [0.979]
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _fit_pair(self, pair: Pair) -> RefittedHyperplane | RefittedScores:
        if self.estimator is None:
            estimator = LogisticRegression(class_weight="balanced")
        else:
            estimator = clone(self.estimator)
        labels = np.where(pair.positive, pair.classes[1], pair.classes[0])
        weighted = not np.all(pair.weights == 1.0)
        if weighted and self.estimator is None:
            # before scikit-learn 1.7, "balanced" counts rows and does not see their weights
            halves = np.array(
                [pair.weights[~pair.positive].sum(), pair.weights[pair.positive].sum()]
            )
            factors = halves.sum() / (2 * halves)
            estimator.set_params(class_weight=None)
            estimator.fit(
                pair.X, labels, sample_weight=pair.weights * factors[pair.positive.astype(int)]
            )
        elif not weighted:
            estimator.fit(pair.X, labels)
        elif has_fit_parameter(estimator, "sample_weight"):
            estimator.fit(pair.X, labels, sample_weight=pair.weights)
        else:
            raise ValueError(
                f"sample_weight was given, but {type(estimator).__name__} takes none in fit. Leave "
                "it out, or choose an estimator that takes sample weights."
            )
        weights = pair.weights if weighted else None
        if hasattr(estimator, "coef_"):
            coef = np.asarray(estimator.coef_, dtype=np.float64).ravel()
            fit = optimal_margin_threshold(pair.X @ coef, pair.positive, weights)
            length = float(np.linalg.norm(coef)) or 1.0
            return RefittedHyperplane(
                fit.sign * coef,
                -fit.threshold,
                estimator=estimator,
                score=fit.score,
                margin=fit.margin / length,
            )
        if not hasattr(estimator, "decision_function"):
            raise TypeError(
                f"{type(estimator).__name__} has neither coef_ nor decision_function: there is no "
                "projection to cut."
            )
        fit = optimal_margin_threshold(estimator.decision_function(pair.X), pair.positive, weights)
        return RefittedScores(estimator, fit.sign, fit.threshold, fit.score, fit.margin)

    def _expose(self, rules: list[Any]) -> None:
        self.estimators_ = [rule.estimator for rule in rules]
        self.score_ = np.array([rule.score for rule in rules])
        self.margin_ = np.array([rule.margin for rule in rules])
