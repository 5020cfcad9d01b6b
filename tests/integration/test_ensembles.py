"""The classifier as a part of ensembles and of non-linear pipelines."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles, make_moons
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.2, random_state=0)


class TestEnsembles:
    def test_bagging(self, moons, quick):
        X, y = moons
        model = BaggingClassifier(quick(), n_estimators=7, max_samples=0.5, random_state=0)
        model.fit(X, y)
        separators = np.array([part.coef_[0] / part.intercept_[0] for part in model.estimators_])
        assert len(np.unique(separators, axis=0)) == 7
        assert model.score(X, y) > 0.8
        weighted = clone(model).fit(X, y, sample_weight=np.where(y == 0, 1.0, 2.0))
        assert weighted.score(X, y) > 0.8

    def test_boosting_reweights_and_gains(self, moons, quick):
        X, y = moons
        # Weights of misclassified samples grow: "balanced" would undo part of that, and what
        # boosting adds up are rules that are good on the weighted samples, not means.
        part = quick(class_weight=None, separator="best")
        single = part.fit(X, y).score(X, y)
        model = AdaBoostClassifier(part, n_estimators=25, random_state=0).fit(X, y)
        assert len(model.estimators_) > 5
        assert model.score(X, y) > single + 0.02

    def test_boosting_of_three_classes(self, iris, quick):
        X, y = iris
        model = AdaBoostClassifier(
            quick(max_generations=5, separator="best"), n_estimators=5, random_state=0
        )
        assert model.fit(X, y).score(X, y) > 0.9

    def test_a_kernel_map_bends_the_separator(self, quick):
        X, y = make_circles(300, noise=0.08, factor=0.5, random_state=0)
        assert quick().fit(X, y).score(X, y) < 0.75
        model = make_pipeline(Nystroem(gamma=1.0, n_components=30, random_state=0), quick())
        assert model.fit(X, y).score(X, y) > 0.95

    def test_voting_and_stacking(self, cancer, quick):
        X, y = cancer
        parts = [
            ("margin", quick()),
            ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
        ]
        assert VotingClassifier(parts).fit(X, y).score(X, y) > 0.9
        assert StackingClassifier(parts, cv=3).fit(X, y).score(X, y) > 0.9

    @pytest.mark.parametrize(
        ("wrapper", "least"), [(OneVsOneClassifier, 0.93), (OneVsRestClassifier, 0.6)]
    )
    def test_scikit_learn_may_split_the_classes(self, iris, wrapper, least, quick):
        X, y = iris
        assert wrapper(quick()).fit(X, y).score(X, y) > least
