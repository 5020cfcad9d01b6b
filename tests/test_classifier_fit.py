"""What a fitted classifier is: its attributes, its decisions, the labels it takes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score

from optimargin import OptimalMarginClassifier
from optimargin.one_vs_one import vote
from optimargin.search.registry import OPTIMIZERS
from optimargin.training import class_pairs

SEARCHES = ["memetic", "coordinate", *OPTIMIZERS]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def brief(**settings):
    return OptimalMarginClassifier(**{"max_generations": 20, "random_state": 0, **settings})


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("scaling", ["standardize", "whiten", None])
@pytest.mark.parametrize("optimizer", SEARCHES)
def test_attributes_of_two_classes(cancer, optimizer, scaling):
    X, y = cancer
    model = brief(separator="best", optimizer=optimizer, scaling=scaling).fit(X, y)
    assert model.classes_.tolist() == [0, 1]
    assert model.coef_.shape == (1, 30)
    assert model.intercept_.shape == model.score_.shape == model.margin_.shape == (1,)
    if optimizer in OPTIMIZERS:
        assert model.n_iter_.tolist() == [20]
        assert model.stop_reason_ == ["budget"]
        assert model.n_evaluations_[0] > 20
    else:
        assert 1 <= model.n_iter_[0] <= 20
        assert model.stop_reason_[0] in ("budget", "finished")
    assert model.n_features_in_ == 30
    history = model.history_[0]
    assert set(history) == {"score", "sigma", "evaluations"}
    assert all(values.shape == (model.n_iter_[0],) for values in history.values())
    assert (np.diff(history["score"]) >= 0).all()
    assert (np.diff(history["evaluations"]) > 0).all()
    assert history["evaluations"][-1] == model.n_evaluations_[0]
    assert np.isnan(history["sigma"]).all() == (
        optimizer in ("memetic", "coordinate", "particle_swarm")
    )
    assert history["score"][-1] == pytest.approx(model.score_[0], abs=0.01)


def test_score_is_the_balanced_accuracy_of_the_predictions(cancer):
    X, y = cancer
    for scaling in ("standardize", "whiten", None):
        model = brief(scaling=scaling).fit(X, y)
        assert model.score_[0] == pytest.approx(balanced_accuracy_score(y, model.predict(X)))
        assert model.score_[0] > 0.95


def test_plain_loss_is_the_accuracy(cancer):
    X, y = cancer
    model = brief(class_weight=None).fit(X, y)
    assert model.score_[0] == pytest.approx(model.score(X, y))


def test_margin_is_the_distance_to_the_nearest_sample(iris):
    X, y = iris
    model = brief(max_generations=None).fit(X[:100], y[:100])
    assert model.score_[0] == 1.0
    distances = np.abs(model.decision_function(X[:100]))
    assert distances.min() == pytest.approx(model.margin_[0], rel=1e-6)
    # in scaled coordinates, where the direction has length 1
    assert np.linalg.norm(model.coef_[0] * X[:100].std(axis=0)) == pytest.approx(1.0, rel=1e-6)


def test_decision_is_linear(cancer):
    X, y = cancer
    model = brief().fit(X, y)
    decision = model.decision_function(X)
    np.testing.assert_allclose(decision, X @ model.coef_[0] + model.intercept_[0])
    np.testing.assert_array_equal(model.predict(X), model.classes_[(decision > 0).astype(int)])


def test_several_classes(iris):
    X, y = iris
    model = brief().fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert len(model.stop_reason_) == len(model.history_) == len(model.n_iter_) == 3
    by_class = model.decision_function(X)
    assert by_class.shape == (150, 3)
    np.testing.assert_array_equal(model.predict(X), by_class.argmax(axis=1))
    assert balanced_accuracy_score(y, model.predict(X)) > 0.95
    by_pair = model.set_params(decision_function_shape="ovo").decision_function(X)
    np.testing.assert_allclose(by_pair, X @ model.coef_.T + model.intercept_)
    np.testing.assert_allclose(vote(by_pair, 3), by_class)
    for column, (i, j) in enumerate(class_pairs(3)):
        rows = (y == i) | (y == j)
        says_j = by_pair[rows, column] > 0
        assert balanced_accuracy_score(y[rows] == j, says_j) == pytest.approx(model.score_[column])


def test_more_pairs_than_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 20)
    X = rng.standard_normal((120, 3)) + 6 * rng.standard_normal((6, 3))[y]
    model = brief(decision_function_shape="ovo").fit(X, y)
    assert model.decision_function(X).shape == (120, 15)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    "labels",
    [
        ["ham", "spam"],
        [False, True],
        [-1, 1],
        [7, 3],
        [1.0, 2.0],
        ["b", "a", "c"],
        np.array(["x", "y"], dtype=object),
    ],
    ids=str,
)
def test_labels_of_any_kind(labels):
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(len(labels)), 30)
    X = rng.standard_normal((codes.size, 2)) + 5 * codes[:, None]
    y = np.asarray(labels)[codes]
    model = brief().fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    predicted = model.predict(X)
    assert predicted.dtype == y.dtype
    assert (predicted == y).mean() > 0.95


def test_renamed_labels_change_nothing_but_the_names(iris):
    X, y = iris
    numbers = brief().fit(X, y)
    names = brief().fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_array_equal(numbers.coef_, names.coef_)


def test_the_papers_classifier_is_a_setting(cancer):
    X, y = cancer
    model = OptimalMarginClassifier(optimizer="cma_es", start="random", random_state=0).fit(X, y)
    assert model.n_iter_[0] == np.ceil(150 * np.log(31))
    assert model.n_evaluations_[0] == 1 + 14 * model.n_iter_[0]
    assert model.score_[0] > 0.98


def test_fit_leaves_parameters_and_data_alone(cancer):
    X, y = (part.copy() for part in cancer)
    model = brief(start=["lda", "svm"], class_weight={0: 2.0})
    before = clone(model).get_params()
    model.fit(X, y, sample_weight=np.arange(len(y)) % 3)
    assert model.get_params() == before
    np.testing.assert_array_equal(X, cancer[0])
    np.testing.assert_array_equal(y, cancer[1])


def test_fitting_again_forgets(cancer, iris):
    model = brief().fit(*iris)
    model.fit(*cancer)
    assert model.coef_.shape == (1, 30)
    np.testing.assert_array_equal(model.coef_, brief().fit(*cancer).coef_)


def test_not_fitted_yet(cancer):
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(OptimalMarginClassifier(), method)(cancer[0])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"optimizer": "adam"}, "'optimizer' parameter"),
        ({"l1": -1}, "'l1' parameter"),
        ({"scaling": "minmax"}, "'scaling' parameter"),
        ({"start": "nowhere"}, "'start' parameter"),
        ({"start": ["svm", "nowhere"]}, "must name at least one of random, mean_difference"),
        ({"start": []}, "must name at least one"),
        ({"start": np.ones(3)}, r"shape \(1, 3\); it must hold finite numbers with 4 columns"),
        ({"start": np.full(4, np.nan)}, "finite numbers"),
        ({"max_generations": -1}, "'max_generations' parameter"),
        ({"population_size": 1}, "'population_size' parameter"),
        ({"max_time": 0}, "'max_time' parameter"),
        ({"patience": 0}, "'patience' parameter"),
        ({"restarts": 0}, "'restarts' parameter"),
        ({"decision_function_shape": "ova"}, "'decision_function_shape' parameter"),
        ({"class_weight": "fair"}, "'class_weight' parameter"),
        ({"class_weight": {5: 1.0}}, "names the class 5, which is not in y; the classes are 0, 1"),
        ({"class_weight": {0: -1.0}}, r"class_weight\[0\] is -1.0"),
        ({"class_weight": {0: np.inf}}, "a cost is a finite number"),
        ({"class_weight": {0: "high"}}, "a cost is a finite number"),
        ({"class_weight": {0: 0, 1: 0, 2: 0}}, "gives every class the cost 0"),
        ({"scaling": "whiten", "l1": 0.1}, "whitened coordinates mix all of them"),
    ],
)
def test_unusable_parameters_are_named(iris, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        brief(**settings).fit(*iris)


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="only one class"):
        brief().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="only one class of positive sample weight"):
        brief().fit(np.eye(3), [0, 1, 1], sample_weight=[0, 1, 1])
    with pytest.raises(ValueError, match=r"at least one non-zero|only one class of positive"):
        brief().fit(np.eye(3), [0, 1, 1], sample_weight=[0, 0, 0])


def test_regression_targets_are_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        brief().fit(np.eye(3), [0.1, 0.2, 0.3])
