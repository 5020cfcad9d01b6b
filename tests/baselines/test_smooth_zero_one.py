"""SLA: its loss, its moves, and where it ends between the start and the optimum."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from optimargin.baselines import ExactZeroOneClassifier, SmoothZeroOneClassifier
from optimargin.baselines._smooth_descent import (
    LEVELS,
    SmoothLoss,
    _losses_along,
    logistic_regression,
    logistic_start,
    minimise,
    sweep,
    true_loss,
)


def contaminated(seed, n_samples=60, n_outliers=6):
    """Two clouds in the plane, and some rows of one class far on the wrong side."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.standard_normal((n_samples, 2)) + 1.2 * y[:, None]
    X[: 2 * n_outliers : 2] += 6.0
    return X, y


def signed_design(X, y):
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    return np.where(y == 1, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(X)), scaled])


@pytest.mark.parametrize("sharpness", [2.0, 20.0])
@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_gradient_by_finite_differences(sharpness, l2):
    X, y = contaminated(0)
    design = signed_design(X, y)
    costs = np.random.default_rng(0).random(len(y)) + 0.5
    loss = SmoothLoss(design, costs, sharpness, l2)
    weights = np.array([0.1, -0.3, 0.2])
    numeric = approx_fprime(weights, loss, 1e-7)
    np.testing.assert_allclose(loss.gradient(weights, design @ weights), numeric, rtol=1e-4)


def test_smooth_loss_tends_to_the_number_of_errors():
    X, y = contaminated(1)
    design = signed_design(X, y)
    weights = np.array([0.1, -0.3, 0.2])
    errors = true_loss(design, np.ones(len(y)), y == 1, weights)
    distances = [
        abs(SmoothLoss(design, np.ones(len(y)), sharpness)(weights) - errors)
        for sharpness in (2.0, 20.0, 200.0, 2e4, 1e6)
    ]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_every_level_ends_below_its_start(seed):
    X, y = contaminated(seed)
    design, costs = signed_design(X, y), np.ones(len(y))
    weights = logistic_start(design, costs, y == 1)
    for sharpness, _, _ in LEVELS:
        loss = SmoothLoss(design, costs, sharpness)
        before = loss(weights)
        weights, rounds, at_rest = minimise(design, costs, weights, sharpness, 0.0, 1000)
        assert at_rest
        assert loss(weights) <= before - 0.1 * (rounds - 1) + 1e-9


def published_level(design, weights, sharpness, radius, step):
    """One level of the authors' program, as it is described: one trial after the other."""

    def loss(w):
        return expit(-sharpness * design @ w).sum()

    def gradient(w):
        p = expit(-sharpness * design @ w)
        return -sharpness * (p * (1 - p)) @ design

    def descend(w):
        while np.abs(gradient(w)).max() > 0.01:
            trials = (w - 10.0**-k * gradient(w) for k in range(1, 7))
            lower = next((trial for trial in trials if loss(w) - loss(trial) >= 0.1), None)
            if lower is None:
                break
            w = lower
        return w

    def shift_one(w):
        for d in range(len(w)):
            for j in range(1, round(radius / step) + 1):
                for sign in (1, -1):
                    trial = w.copy()
                    trial[d] += sign * j * step
                    if loss(w) - loss(trial) > 0.1:
                        return trial
        return None

    while True:
        weights = descend(weights)
        shifted = shift_one(weights)
        if shifted is None:
            return weights
        weights = shifted


@pytest.mark.parametrize("seed", range(3))
def test_the_descent_is_the_published_one(seed):
    X, y = contaminated(seed)
    design, costs = signed_design(X, y), np.ones(len(y))
    ours = theirs = logistic_start(design, costs, y == 1)
    n_rounds = 0
    for sharpness, radius, step in ((2.0, 8.0, 0.2), (20.0, 4.0, 0.1), (200.0, 2.0, 0.05)):
        ours, rounds, _ = minimise(design, costs, ours, sharpness, 0.0, 1000)
        theirs = published_level(design, theirs, sharpness, radius, step)
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
        n_rounds += rounds
    assert n_rounds > 3


@pytest.mark.parametrize("seed", range(5))
def test_the_sweep_is_the_published_one(seed):
    X, y = contaminated(seed)
    design, weights = signed_design(X, y), np.random.default_rng(seed).standard_normal(3)
    ours = sweep(design, np.ones(len(y)), y == 1, weights)
    theirs = weights.copy()
    for d in range(3):
        centre, least = theirs[d], true_loss(design, np.ones(len(y)), y == 1, theirs)
        for j in range(1, 201):
            for sign in (1, -1):
                trial = theirs.copy()
                trial[d] = centre + sign * 0.05 * j
                loss = true_loss(design, np.ones(len(y)), y == 1, trial)
                if loss < least:
                    theirs, least = trial, loss
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_sweep_never_loses(seed):
    X, y = contaminated(seed)
    design, costs = signed_design(X, y), np.where(y == 1, 2.0, 1.0)
    weights = np.random.default_rng(seed).standard_normal(3)
    swept = sweep(design, costs, y == 1, weights)
    assert true_loss(design, costs, y == 1, swept) < true_loss(design, costs, y == 1, weights)


def test_the_losses_along_a_coordinate_are_those_of_one_offset_after_the_other():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, column = rng.integers(-3, 4, 15).astype(float), rng.integers(-2, 3, 15) * 1.0
        costs, positive = rng.integers(1, 4, 15).astype(float), rng.random(15) < 0.5
        offsets = np.arange(-4, 4.5, 0.5)
        expected = [
            costs[np.where(positive, z <= 0, z < 0)].sum()
            for z in values + offsets[:, None] * column
        ]
        found = _losses_along(column, values, costs, positive, offsets)
        np.testing.assert_array_equal(found, expected)


def test_logistic_start_agrees_with_scikit_learn():
    X, y = contaminated(2)
    design = signed_design(X, y)
    weights = logistic_regression(design, 0.5 * np.ones(len(y)), np.zeros(3))
    signs = np.where(y == 1, 1.0, -1.0)
    reference = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10)
    reference.fit(design * signs[:, None], y)
    np.testing.assert_allclose(weights, reference.coef_[0], atol=1e-4)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("final_sweep", ["grid", "exact", None])
def test_between_the_logistic_start_and_the_optimum(class_weight, final_sweep):
    optima = 0
    for seed in range(8):
        X, y = contaminated(seed)
        y[:7] = 0
        model = SmoothZeroOneClassifier(class_weight=class_weight, final_sweep=final_sweep)
        loss = model.fit(X, y).loss_[0]
        exact = 1 - ExactZeroOneClassifier(class_weight=class_weight).fit(X, y).score_[0]
        design = signed_design(X, y)
        costs = np.ones(len(y))
        if class_weight == "balanced":
            costs = len(y) / (2 * np.bincount(y)[y])
        start = true_loss(design, costs, y == 1, logistic_start(design, costs, y == 1)) / len(y)
        assert exact - 1e-12 <= loss <= start + 1e-12
        optima += loss <= exact + 1e-12
    assert optima >= 3


def test_loss_is_that_of_the_predictions():
    X, y = contaminated(3)
    model = SmoothZeroOneClassifier().fit(X * [1e3, 1e-3] + 7, y)
    assert model.loss_[0] == pytest.approx(np.mean(model.predict(X * [1e3, 1e-3] + 7) != y))


def test_scale_and_place_of_the_features_do_not_matter():
    X, y = contaminated(4)
    first = SmoothZeroOneClassifier().fit(X, y)
    second = SmoothZeroOneClassifier().fit(X * [64.0, 0.125] + [8.0, -2.0], y)
    np.testing.assert_allclose(first.coef_, second.coef_ * [64.0, 0.125], rtol=1e-6)


def test_swapping_the_labels_flips_the_separator():
    X, y = contaminated(5)
    first, second = (SmoothZeroOneClassifier().fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(first.coef_, -second.coef_, rtol=1e-6)
    np.testing.assert_allclose(first.intercept_, -second.intercept_, rtol=1e-6)


def test_weights_equal_repeated_and_shuffled_rows_bit_for_bit():
    X, y = contaminated(6)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = SmoothZeroOneClassifier(class_weight="balanced").fit(X, y, weights)
    repeated = SmoothZeroOneClassifier(class_weight="balanced").fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)
    np.testing.assert_array_equal(weighted.intercept_, repeated.intercept_)


def test_balanced_costs_lift_the_rare_class():
    rng = np.random.default_rng(0)
    y = (np.arange(220) < 20).astype(int)
    X = rng.standard_normal((220, 2)) + 0.8 * y[:, None]
    plain = SmoothZeroOneClassifier().fit(X, y).predict(X)
    balanced = SmoothZeroOneClassifier(class_weight="balanced").fit(X, y).predict(X)
    assert balanced[y == 1].mean() > plain[y == 1].mean() + 0.3


def test_wide_and_constant_data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 30))
    X[:, 4] = 1e9
    y = np.arange(12) % 2
    model = SmoothZeroOneClassifier().fit(X, y)
    assert model.loss_[0] == 0
    assert model.coef_[0, 4] == 0


def test_stopping_early_is_told():
    X = np.random.default_rng(0).standard_normal((200, 5))
    y = (np.random.default_rng(1).random(200) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        SmoothZeroOneClassifier(max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"final_sweep": "fine"}, "final_sweep must be one of"),
        ({"l2": -1.0}, "l2 == -1"),
        ({"max_iter": 0}, "max_iter == 0"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    X, y = contaminated(0)
    with pytest.raises(ValueError, match=message):
        SmoothZeroOneClassifier(**parameters).fit(X, y)
