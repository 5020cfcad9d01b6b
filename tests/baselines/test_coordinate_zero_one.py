"""SCD01: never above the optimum, usually near it, and independent of what must not matter."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score

from optimargin import optimal_margin_threshold
from optimargin.baselines import CoordinateZeroOneClassifier, ExactZeroOneClassifier


def overlapping(seed, n_samples=60, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = (rng.random(n_samples) < 1 / (1 + np.exp(-1.5 * X.sum(axis=1)))).astype(int)
    return X, y


@pytest.mark.parametrize("class_weight", ["balanced", None, {0: 3, 1: 1}])
def test_near_the_optimum_and_never_above(class_weight):
    shortfalls = []
    for seed in range(8):
        X, y = overlapping(seed)
        found = CoordinateZeroOneClassifier(class_weight=class_weight, random_state=0).fit(X, y)
        optimum = ExactZeroOneClassifier(class_weight=class_weight).fit(X, y)
        shortfalls.append(optimum.score_[0] - found.score_[0])
    assert min(shortfalls) > -1e-12
    assert np.mean(shortfalls) < 0.03


def test_score_is_that_of_the_predictions():
    X, y = overlapping(0)
    X = X * [1e3, 1.0, 1e-3] + 5
    model = CoordinateZeroOneClassifier(random_state=0).fit(X, y)
    assert model.score_[0] == pytest.approx(balanced_accuracy_score(y, model.predict(X)))


def test_the_cut_is_the_best_of_its_direction():
    X, y = overlapping(1)
    model = CoordinateZeroOneClassifier(random_state=0).fit(X, y)
    assert model.score_[0] == pytest.approx(
        optimal_margin_threshold(X @ model.coef_[0], y).score, abs=1e-12
    )


def test_a_search_on_all_rows_ends_where_no_single_shift_is_better():
    for seed in range(5):
        X, y = overlapping(seed, n_features=5)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        model = CoordinateZeroOneClassifier(
            n_restarts=1, n_draws=1, sample_fraction=1.0, random_state=seed
        ).fit(X, y)
        direction = model.coef_[0] / np.linalg.norm(model.coef_)
        shifts = 0.17 * np.vstack([np.eye(5), -np.eye(5)])
        best = max(optimal_margin_threshold(X @ (direction + shift), y).score for shift in shifts)
        assert best <= model.score_[0] + 1e-6
        assert model.n_iter_[0] > 1


def test_more_restarts_and_draws_never_lower_the_score():
    X, y = overlapping(2, n_features=8)
    scores = [
        CoordinateZeroOneClassifier(n_restarts=n, random_state=0).fit(X, y).score_[0]
        for n in (1, 2, 4, 8)
    ]
    assert scores == sorted(scores)


def test_scale_and_place_of_the_features_do_not_matter():
    X, y = overlapping(3)
    first = CoordinateZeroOneClassifier(random_state=0).fit(X, y)
    second = CoordinateZeroOneClassifier(random_state=0).fit(X * [64.0, 0.125, 1.0] + 8.0, y)
    np.testing.assert_allclose(first.coef_, second.coef_ * [64.0, 0.125, 1.0], rtol=1e-6)


def test_weights_equal_repeated_and_shuffled_rows_bit_for_bit():
    X, y = overlapping(4)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = CoordinateZeroOneClassifier(random_state=0).fit(X, y, weights)
    repeated = CoordinateZeroOneClassifier(random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)


def test_the_seed_decides():
    X, y = overlapping(5, n_features=6)
    fits = [
        CoordinateZeroOneClassifier(n_restarts=1, n_draws=3, random_state=seed).fit(X, y).coef_
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.allclose(fits[0], fits[2])


def test_wide_data_with_a_constant_column_and_a_class_of_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 150))
    X[:, 7] = 1.0
    y = (np.arange(20) == 4).astype(int)
    model = CoordinateZeroOneClassifier(random_state=0).fit(X, y)
    assert model.score_[0] == pytest.approx(1)
    assert model.coef_[0, 7] == 0


def test_identical_rows_are_one_class():
    X, y = np.ones((6, 2)), np.array([0, 0, 1, 1, 1, 1])
    model = CoordinateZeroOneClassifier(class_weight=None, n_draws=2, random_state=0).fit(X, y)
    assert model.score_[0] == pytest.approx(2 / 3)
    assert set(model.predict(X)) == {1}


def test_searches_that_are_stopped_early_are_told():
    X, y = overlapping(6, n_features=6)
    with pytest.warns(ConvergenceWarning, match="stopped after max_sweeps=1 sweeps"):
        CoordinateZeroOneClassifier(max_sweeps=1, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [("step", 0.0), ("n_restarts", 0), ("n_draws", 0), ("sample_fraction", 1.5), ("tol", -1.0)],
)
def test_impossible_parameters_are_refused(name, value):
    X, y = overlapping(0)
    with pytest.raises(ValueError, match=f"^{name} =="):
        CoordinateZeroOneClassifier(**{name: value}).fit(X, y)
