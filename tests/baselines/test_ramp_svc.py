"""The ramp-loss machine: its procedure, its objective, and what outliers can do to it."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from optimargin.baselines import RampSVC
from optimargin.baselines.ramp_svc import ramp_objective


def with_outliers(seed, n_samples=80, n_outliers=8):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.standard_normal((n_samples, 3)) + 1.5 * y[:, None]
    X[1 : 2 * n_outliers : 2] -= 4.0
    return X, y


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("s", [-1.0, 0.0, 0.5])
def test_the_objective_never_rises(seed, s):
    X, y = with_outliers(seed)
    objectives = np.array(RampSVC(s=s).fit(X, y).rules_[0].objectives)
    assert len(objectives) > 1
    assert (np.diff(objectives) <= 1e-5 * objectives[0]).all()


def test_objective_from_the_two_hinges():
    X, y = with_outliers(0)
    signs = np.where(y == 1, 1.0, -1.0)
    model = RampSVC(C=0.7, s=-0.5, tol=1e-9).fit(X, y)
    margins = signs * model.decision_function(X)
    hinges = np.maximum(0, 1 - margins) - np.maximum(0, -0.5 - margins)
    expected = 0.7 * hinges.sum() + 0.5 * np.sum(model.coef_**2)
    assert model.objective_[0] == pytest.approx(expected, rel=1e-9)
    costs = np.full(len(y), 0.7)
    assert ramp_objective(margins, model.coef_[0], costs, -0.5) == pytest.approx(expected)


def test_a_distant_ceiling_gives_the_hinge_loss():
    X, y = with_outliers(1)
    model = RampSVC(s=-1e6, tol=1e-9).fit(X, y)
    reference = SVC(kernel="linear", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-5)
    assert model.n_iter_[0] == 1


def test_it_is_a_fixed_point_of_the_procedure():
    """Samples beyond the ceiling, and only they, no longer matter."""
    X, y = with_outliers(2)
    model = RampSVC(tol=1e-9).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    within = signs * model.decision_function(X) >= -1
    assert 0 < within.sum() < len(y)
    reference = SVC(kernel="linear", tol=1e-9).fit(X[within], y[within])
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-5)


def test_an_outlier_further_away_changes_nothing():
    X, y = with_outliers(3)
    model = RampSVC(tol=1e-9).fit(X, y)
    beyond = np.flatnonzero(np.where(y == 1, 1, -1) * model.decision_function(X) < -1.5)
    moved = X.copy()
    moved[beyond] -= 0.2 * np.where(y[beyond] == 1, 1, -1)[:, None] * np.sign(model.coef_)
    np.testing.assert_allclose(RampSVC(tol=1e-9).fit(moved, y).coef_, model.coef_, atol=1e-5)


def test_swapping_the_labels_flips_the_separator():
    X, y = with_outliers(4)
    first, second = (RampSVC(tol=1e-9).fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(first.coef_, -second.coef_, atol=1e-6)
    np.testing.assert_allclose(first.intercept_, -second.intercept_, atol=1e-6)


def test_moving_and_turning_the_features_moves_and_turns_the_separator():
    X, y = with_outliers(5)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    plain, turned = RampSVC(tol=1e-9).fit(X, y), RampSVC(tol=1e-9).fit(X @ turn + 5, y)
    np.testing.assert_allclose(turned.coef_, plain.coef_ @ turn, atol=1e-5)


def test_weights_equal_repeated_and_shuffled_rows_bit_for_bit():
    X, y = with_outliers(6)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = RampSVC(class_weight="balanced").fit(X, y, weights)
    repeated = RampSVC(class_weight="balanced").fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)


def test_constant_columns_and_more_features_than_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10, 25))
    X[:, 3] = 4.0
    y = np.arange(10) % 2
    model = RampSVC(C=100).fit(X, y)
    assert model.score(X, y) == 1
    assert model.coef_[0, 3] == pytest.approx(0, abs=1e-12)


def test_one_sample_of_a_class():
    X, y = with_outliers(7)
    y = (np.arange(len(y)) == np.argmax(X.sum(axis=1))).astype(int)
    assert RampSVC(class_weight="balanced", C=100).fit(X, y).predict(X)[y == 1] == 1


def test_stopping_early_is_told():
    X, y = with_outliers(0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 convex"):
        RampSVC(max_iter=1).fit(X, y)


@pytest.mark.parametrize(("name", "value"), [("C", 0.0), ("s", 1.0), ("max_iter", 0), ("tol", 0.0)])
def test_impossible_parameters_are_refused(name, value):
    X, y = with_outliers(0)
    with pytest.raises(ValueError, match=f"^{name} =="):
        RampSVC(**{name: value}).fit(X, y)
