"""The re-fitted threshold: the direction stays, the cut is the best there is."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optimargin import optimal_margin_threshold
from optimargin.baselines import ThresholdRefitClassifier


def unbalanced(seed=0, n_samples=120):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_samples) < n_samples // 6, "rare", "common")
    return rng.standard_normal((n_samples, 3)) + 1.0 * (y == "rare")[:, None], y


def brute_force(projection, y):
    """Try every midpoint, and both orientations."""
    values = np.unique(projection)
    cuts = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2])
    labels = y == np.unique(y)[1]
    return max(
        balanced_accuracy_score(labels, above if sign > 0 else ~above)
        for above in (projection > cut for cut in cuts)
        for sign in (1, -1)
    )


ESTIMATORS = [
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    RidgeClassifier(),
    Perceptron(random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_cut_is_the_best_and_never_worse_than_the_old_one(estimator):
    X, y = unbalanced()
    refit = ThresholdRefitClassifier(estimator).fit(X, y)
    plain = estimator.fit(X, y)
    reached = balanced_accuracy_score(y, refit.predict(X))
    assert refit.score_[0] == pytest.approx(reached)
    assert reached >= balanced_accuracy_score(y, plain.predict(X))
    assert reached == pytest.approx(brute_force(plain.decision_function(X), y))


def test_the_direction_is_the_estimators():
    X, y = unbalanced()
    refit = ThresholdRefitClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    np.testing.assert_array_equal(refit.coef_, refit.estimators_[0].coef_)
    fit = optimal_margin_threshold(X @ refit.coef_[0], y)
    assert refit.intercept_[0] == -fit.threshold
    assert refit.margin_[0] == pytest.approx(
        np.abs(refit.decision_function(X)).min() / np.linalg.norm(refit.coef_)
    )


def test_a_direction_that_points_the_wrong_way_is_turned():
    class Backwards(LinearDiscriminantAnalysis):
        def fit(self, X, y):
            super().fit(X, y)
            self.coef_ = -self.coef_
            return self

    X, y = unbalanced()
    plain, turned = (
        ThresholdRefitClassifier(estimator).fit(X, y)
        for estimator in (LinearDiscriminantAnalysis(), Backwards())
    )
    np.testing.assert_allclose(plain.coef_, turned.coef_)
    np.testing.assert_array_equal(plain.predict(X), turned.predict(X))


def test_a_pipeline_is_cut_on_its_scores():
    X, y = unbalanced()
    piped = make_pipeline(StandardScaler(), LogisticRegression())
    refit = ThresholdRefitClassifier(piped).fit(X * [1, 100, 0.01], y)
    assert not hasattr(refit, "coef_")
    scaled = StandardScaler().fit_transform(X)
    alone = ThresholdRefitClassifier(LogisticRegression()).fit(scaled, y)
    np.testing.assert_array_equal(refit.predict(X * [1, 100, 0.01]), alone.predict(scaled))


def test_swapping_the_labels_swaps_the_prediction():
    X, y = unbalanced()
    swapped = np.where(y == "rare", "common", "rare")
    first, second = (ThresholdRefitClassifier().fit(X, labels) for labels in (y, swapped))
    np.testing.assert_allclose(first.coef_, -second.coef_, rtol=1e-4)
    assert (first.predict(X) != second.predict(X)).all()


def test_weights_reach_the_direction_and_the_cut():
    X, y = unbalanced()
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = ThresholdRefitClassifier(LogisticRegression(tol=1e-10)).fit(X, y, weights)
    repeated = ThresholdRefitClassifier(LogisticRegression(tol=1e-10)).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-5)
    assert weighted.score_[0] == pytest.approx(repeated.score_[0])


def test_three_classes_get_three_clones():
    rng = np.random.default_rng(0)
    y = np.repeat([2, 5, 9], 20)
    X = rng.standard_normal((60, 2)) + 3 * np.column_stack([y == 5, y == 9])
    refit = ThresholdRefitClassifier().fit(X, y)
    assert [list(estimator.classes_) for estimator in refit.estimators_] == [[2, 5], [2, 9], [5, 9]]
    assert refit.coef_.shape == (3, 2)
    assert refit.score_.shape == refit.margin_.shape == (3,)
    assert refit.score(X, y) > 0.85


def test_what_cannot_be_done_is_said():
    X, y = unbalanced()
    weights = np.linspace(1, 2, len(y))
    with pytest.raises(ValueError, match="LinearDiscriminantAnalysis takes none"):
        ThresholdRefitClassifier(LinearDiscriminantAnalysis()).fit(X, y, weights)
    with pytest.raises(TypeError, match="neither coef_ nor decision_function"):
        ThresholdRefitClassifier(KNeighborsClassifier()).fit(X, y)
