"""Sample weights and costs are exact."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, make_classification

from optimargin import OptimalMarginClassifier
from optimargin.search.registry import OPTIMIZERS

SEARCHES = ["memetic", "coordinate", *OPTIMIZERS]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STARTS = ["random", "mean_difference", "lda", "logistic", "logistic_free", "svm", "auto"]


def make(n_classes=2, m=90, seed=0):
    X, y = make_classification(
        m, 6, n_informative=4, n_classes=n_classes, class_sep=0.5, random_state=seed
    )
    return X, y, np.random.default_rng(seed).integers(0, 4, m)


def assert_same_model(one, other, X):
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(one.score_, other.score_, rtol=1e-12)
    np.testing.assert_array_equal(one.n_iter_, other.n_iter_)


CONFIGURATIONS = [
    *({"optimizer": name, "start": "random"} for name in SEARCHES),
    *({"optimizer": name, "max_generations": 40} for name in OPTIMIZERS),
    *({"start": start} for start in STARTS),
    {"scaling": "whiten"},
    {"scaling": None},
    {"l1": 0.01},
    {"class_weight": None},
    {"class_weight": {0: 2.5, 1: 1.0}},
    {"restarts": 2},
]


@pytest.mark.parametrize("settings", CONFIGURATIONS, ids=str)
def test_weights_are_repetitions(settings):
    X, y, weights = make()
    model = OptimalMarginClassifier(**{"max_generations": 3, "random_state": 0, **settings})
    weighted = model.fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    other = OptimalMarginClassifier(**{"max_generations": 3, "random_state": 0, **settings})
    assert_same_model(weighted, other.fit(X[rows], y[rows]), X)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_array])
def test_weights_are_repetitions_in_sparse_data(container):
    X, y, weights = make()
    X[np.abs(X) < 0.5] = 0.0
    rows = np.repeat(np.arange(len(y)), weights)
    models = [OptimalMarginClassifier(max_generations=3, random_state=0) for _ in range(2)]
    models[0].fit(container(X), y, sample_weight=weights)
    models[1].fit(container(X[rows]), y[rows])
    assert_same_model(*models, X)


def test_weights_are_repetitions_of_several_classes():
    X, y, weights = make(n_classes=4, m=200)
    rows = np.repeat(np.arange(len(y)), weights)
    models = [OptimalMarginClassifier(max_generations=3, random_state=0) for _ in range(2)]
    models[0].fit(X, y, sample_weight=weights)
    models[1].fit(X[rows], y[rows])
    assert_same_model(*models, X)


def test_a_class_whose_weights_are_zero_is_absent():
    X, y, _ = make(n_classes=3)
    model = OptimalMarginClassifier(max_generations=5, random_state=0)
    model.fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]


def test_row_order_does_not_matter():
    X, y, weights = make()
    order = np.random.default_rng(1).permutation(len(y))
    models = [OptimalMarginClassifier(max_generations=3, random_state=0) for _ in range(2)]
    models[0].fit(X, y, sample_weight=weights)
    models[1].fit(X[order], y[order], sample_weight=weights[order])
    assert_same_model(*models, X)


@pytest.mark.parametrize("factor", [1e-3, 3.0, 1e6])
def test_scale_of_the_weights_does_not_matter(factor):
    X, y, _ = make()
    weights = np.random.default_rng(2).random(len(y)) + 0.1
    models = [
        OptimalMarginClassifier(max_generations=3, random_state=0, start="random") for _ in range(2)
    ]
    models[0].fit(X, y, sample_weight=weights)
    models[1].fit(X, y, sample_weight=factor * weights)
    assert_same_model(*models, X)


def test_balanced_weights_ignore_how_often_a_class_occurs():
    X, y, _ = make()
    often = np.where(y == 1, 5.0, 1.0)
    models = [
        OptimalMarginClassifier(max_generations=3, random_state=0, scaling=None, start="random")
        for _ in range(2)
    ]
    models[0].fit(X, y)
    models[1].fit(X, y, sample_weight=often)
    assert_same_model(*models, X)


def test_costs_are_sample_weights_without_balance():
    X, y, _ = make()
    costs = OptimalMarginClassifier(
        max_generations=50,
        random_state=0,
        optimizer="cma_es",
        class_weight={0: 1.0, 1: 3.0},
        scaling=None,
        start="random",
    ).fit(X, y)
    weights = OptimalMarginClassifier(
        max_generations=40,
        random_state=0,
        optimizer="cma_es",
        class_weight=None,
        scaling=None,
        start="random",
    ).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_array_equal(costs.coef_, weights.coef_)


def test_balanced_is_a_cost_too():
    X, y = load_breast_cancer(return_X_y=True)
    counts = np.bincount(y)
    balanced = OptimalMarginClassifier(max_generations=20, random_state=0).fit(X, y)
    as_costs = OptimalMarginClassifier(
        max_generations=20,
        random_state=0,
        class_weight={0: float(counts[1]), 1: float(counts[0])},
    ).fit(X, y)
    np.testing.assert_allclose(balanced.score_, as_costs.score_)
    np.testing.assert_allclose(balanced.coef_, as_costs.coef_, rtol=1e-6, atol=1e-12)


def test_higher_cost_means_fewer_errors_of_that_class():
    X, y, _ = make(m=400)
    errors = []
    for cost in (0.2, 1.0, 5.0):
        model = OptimalMarginClassifier(random_state=0, class_weight={1: cost}).fit(X, y)
        errors.append(np.count_nonzero(model.predict(X)[y == 1] != 1))
    assert errors[0] > errors[1] > errors[2]


def test_a_class_that_costs_nothing_is_given_up():
    X, y, _ = make()
    model = OptimalMarginClassifier(max_generations=20, class_weight={0: 0.0}, random_state=0)
    assert (model.fit(X, y).predict(X) == 1).all()
    assert model.score_[0] == 1.0


def test_rare_class_with_plain_loss_may_be_given_up():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 2))
    y = np.zeros(300, int)
    y[:3] = 1
    model = OptimalMarginClassifier(max_generations=20, class_weight=None, random_state=0)
    assert model.fit(X, y).score(X, y) >= 297 / 300


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([-1.0] + [1.0] * 89, "Negative values"),
        ([np.nan] + [1.0] * 89, "NaN"),
        ([1.0] * 5, "sample_weight.shape"),
    ],
)
def test_unusable_weights_are_refused(weights, sentence):
    X, y, _ = make()
    with pytest.raises(ValueError, match=sentence):
        OptimalMarginClassifier(max_generations=5).fit(X, y, sample_weight=weights)
