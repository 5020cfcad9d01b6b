"""What the figures read from a fitted estimator: its linear part, its classes, its names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from optimargin.training import class_pairs


def last_step(estimator: Any) -> Any:
    """The classifier itself, also where it ends a pipeline."""
    check_is_fitted(estimator)
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def as_last_step_sees(estimator: Any, X: Any) -> Any:
    """The features that reach the classifier, after the earlier steps of a pipeline."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X


def coefficients(estimator: Any) -> NDArray[np.floating]:
    """One row of weights a separator."""
    classifier = last_step(estimator)
    if not hasattr(classifier, "coef_"):
        raise TypeError(
            f"{type(classifier).__name__} has no attribute coef_: this figure needs a fitted "
            "linear classifier, or a pipeline that ends in one."
        )
    return np.atleast_2d(np.asarray(classifier.coef_))


def margins(estimator: Any) -> NDArray[np.floating] | None:
    """The margin of every pair, or None for classifiers that know none."""
    found = getattr(last_step(estimator), "margin_", None)
    return None if found is None else np.atleast_1d(np.asarray(found, dtype=float))


def sampled_separators(estimator: Any) -> list[NDArray[np.floating]] | None:
    """For every pair the separators that the classifier is a mean of, or None if it is none."""
    found = getattr(last_step(estimator), "separators_", None)
    return None if found is None else [np.asarray(one, dtype=float) for one in found]


def separates_pairs(classifier: Any) -> bool:
    """Whether the rows of ``coef_`` are the pairs of classes, in the order of ``class_pairs``.

    Three classes have as many pairs as classes, so the number of rows alone does not tell; and
    scikit-learn's SVC turns its pairs the other way round. An attribute by pair does: the margins
    of OptimalMarginClassifier, the rules of the baselines.
    """
    by_pair = getattr(classifier, "margin_", getattr(classifier, "rules_", None))
    pairs = class_pairs(len(classifier.classes_))
    rows = np.atleast_2d(getattr(classifier, "coef_", np.empty((0, 0))))
    return by_pair is not None and len(by_pair) == len(rows) == len(pairs)


def pair_scores(estimator: Any, X: ArrayLike) -> NDArray[np.floating]:
    """Signed distances, one column a pair of classes; positive speaks for the second of the pair.

    For two classes this is the decision function, whatever the classifier is.
    """
    classifier = last_step(estimator)
    n_classes = len(classifier.classes_)
    if n_classes == 2:
        return np.asarray(estimator.decision_function(X), dtype=float).reshape(-1, 1)
    if not separates_pairs(classifier):
        raise ValueError(
            f"{type(classifier).__name__} distinguishes {n_classes} classes, but not by one "
            "separator for each pair of classes, so there is no projection to show. Fit it on two "
            "classes, or use OptimalMarginClassifier."
        )
    features = check_array(as_last_step_sees(estimator, X), accept_sparse="csr")
    projected = safe_sparse_dot(features, coefficients(estimator).T, dense_output=True)
    return np.asarray(projected + classifier.intercept_, dtype=float)


def class_indices(y: ArrayLike, classes: NDArray[Any]) -> NDArray[np.intp]:
    """The position of every label in ``classes``, which are sorted."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(
            f"y must be one-dimensional, one label a sample; its shape is {labels.shape}."
        )
    unknown = [label for label in np.unique(labels) if label not in classes]
    if unknown:
        raise ValueError(
            f"y holds the label {unknown[0]!r}, which is none of the classes seen in fit: "
            f"{', '.join(map(str, classes))}."
        )
    return np.searchsorted(classes, labels)


def feature_names(estimator: Any, n_features: int) -> list[str]:
    """The names of the features that reach the classifier, or x1, x2, ... where it knows none."""
    classifier = last_step(estimator)
    names = getattr(classifier, "feature_names_in_", None)
    if names is None and isinstance(estimator, Pipeline) and len(estimator) > 1:
        try:
            names = estimator[:-1].get_feature_names_out()
        except (AttributeError, ValueError):  # a step that cannot name its output
            names = None
    elif names is None:
        names = getattr(estimator, "feature_names_in_", None)
    if names is None or len(names) != n_features:
        return [f"x{index + 1}" for index in range(n_features)]
    return [str(name) for name in names]
