"""A classifier of known attributes for the figures, which are closed after each test."""

from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from optimargin.one_vs_one import vote


class KnownLinearClassifier(ClassifierMixin, BaseEstimator):
    """A fitted linear classifier whose every attribute the test has chosen."""

    def fit(self, X, y):
        raise NotImplementedError("its attributes are given, not learned")

    def decision_function(self, X):
        scores = np.asarray(X) @ self.coef_.T + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else vote(scores, len(self.classes_))

    def predict(self, X):
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[chosen]


@pytest.fixture
def known_linear() -> Callable[..., Any]:
    def build(classes, coef, intercept, margin=None, history=None, names=None):
        model = KnownLinearClassifier()
        model.classes_ = np.asarray(classes)
        model.coef_ = np.atleast_2d(np.asarray(coef, dtype=float))
        model.intercept_ = np.atleast_1d(np.asarray(intercept, dtype=float))
        if margin is not None:
            model.margin_ = np.atleast_1d(np.asarray(margin, dtype=float))
        if history is not None:
            model.history_ = history
        if names is not None:
            model.feature_names_in_ = np.asarray(names, dtype=object)
        return model

    return build


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")
