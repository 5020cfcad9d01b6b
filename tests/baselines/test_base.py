import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from optimargin.baselines import MinimaxProbabilityClassifier, WeightedLinearTwinSVC
from optimargin.baselines._base import Hyperplane, PairwiseClassifier
from optimargin.training import class_pairs


class NearestMean(PairwiseClassifier):
    """The smallest method there is, to test what it inherits."""

    def __init__(self, length=1.0, random_state=None):
        self.length = length
        self.random_state = random_state

    def _fit_pair(self, pair):
        self.draws_ = [*getattr(self, "draws_", []), pair.rng.random()]
        assert set(pair.signs) == {-1.0, 1.0}
        means = [pair.X[rows].mean(axis=0) for rows in (~pair.positive, pair.positive)]
        coef = self.length * (means[1] - means[0])
        return Hyperplane(coef, -float(coef @ (means[0] + means[1])) / 2)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def test_one_rule_a_pair_in_the_order_of_the_pairs(iris):
    X, y = iris
    model = MinimaxProbabilityClassifier().fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == model.n_iter_.shape == model.kappa_.shape == (3,)
    for row, (i, j) in enumerate(class_pairs(3)):
        kept = (y == i) | (y == j)
        alone = MinimaxProbabilityClassifier().fit(X[kept], y[kept])
        np.testing.assert_array_equal(alone.coef_[0], model.coef_[row])
        assert alone.intercept_[0] == model.intercept_[row]


def test_votes_count_and_confidence_breaks_ties(iris):
    X, y = iris
    for model in (MinimaxProbabilityClassifier(), WeightedLinearTwinSVC()):
        scores = model.fit(X, y).decision_function(X)
        votes = np.zeros_like(scores)
        for (i, j), rule in zip(class_pairs(3), model.rules_, strict=True):
            pair_scores = rule.decision_function(X)
            votes[:, j] += pair_scores > 0
            votes[:, i] += pair_scores <= 0
        assert np.abs(scores - votes).max() < 1 / 3
        np.testing.assert_array_equal(np.round(scores), votes)


def test_ties_do_not_depend_on_the_length_of_coefficients(iris):
    X, y = iris
    short, long = (NearestMean(length).fit(X, y) for length in (1.0, 1e3))
    np.testing.assert_allclose(short.decision_function(X), long.decision_function(X))


def test_two_classes_score_as_their_rule(iris):
    X, y = iris[0][:100], iris[1][:100]
    model = MinimaxProbabilityClassifier().fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, X @ model.coef_[0] + model.intercept_[0])
    np.testing.assert_array_equal(model.predict(X), (scores > 0).astype(int))


def test_each_pair_has_a_generator_of_its_own_that_the_seed_fixes(iris):
    X, y = iris
    first, again = (NearestMean(random_state=7).fit(X, y).draws_ for _ in range(2))
    assert first == again
    assert len(set(first)) == 3
    assert NearestMean(random_state=8).fit(X, y).draws_ != first


def test_a_method_without_weights_does_not_take_them(iris):
    with pytest.raises(TypeError, match="sample_weight"):
        NearestMean().fit(*iris, sample_weight=np.ones(150))


def test_not_fitted():
    with pytest.raises(NotFittedError):
        NearestMean().predict([[0.0]])


def test_a_number_is_a_weight_for_every_row(iris):
    X, y = iris
    one, three = (MinimaxProbabilityClassifier().fit(X, y, sample_weight=w) for w in (1, 3))
    np.testing.assert_allclose(one.coef_, three.coef_, rtol=1e-9)
