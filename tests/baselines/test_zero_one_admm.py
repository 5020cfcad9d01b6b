"""L0/1-SVM: the published iteration, the accuracies it is known to reach, and its symmetries."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from optimargin.baselines import ZeroOneADMMClassifier
from optimargin.baselines.zero_one_admm import _ridge


def clouds(seed, n_samples=60, distance=3.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.standard_normal((n_samples, 3)) + distance * y[:, None] * [1, 0.5, 0]
    y[:3] = 1 - y[:3]
    return X, y


@pytest.mark.parametrize(
    ("C", "accuracy"), [(0.01, 0.935), (0.1, 0.972), (1.0, 0.975), (10.0, 0.989)]
)
def test_reaches_the_known_accuracy_with_few_support_vectors(C, accuracy):
    X, y = load_breast_cancer(return_X_y=True)
    model = ZeroOneADMMClassifier(C=C).fit(scale(X), y)
    assert model.score(scale(X), y) >= accuracy
    assert model.n_support_[0] <= 40
    assert model.n_iter_[0] <= 150


def published_iteration(X, y, C, n_iter):
    """The authors' program as it is described; the start is the one that our notes give."""
    signs = np.where(y == 1, 1.0, -1.0)
    A = signs[:, None] * (X - X.mean(axis=0))
    towards = A[y == 1].mean(axis=0) + A[y == 0].mean(axis=0)
    w, b, lam, sigma = 0.01 * towards / np.linalg.norm(towards), 0.0, np.zeros(len(y)), 1.0
    best, fewest = None, np.inf
    for k in range(1, n_iter + 1):
        z = 1 - A @ w - b * signs - lam / sigma
        nearest = z[z > 0].min()
        if sigma > 2 * C / nearest**2:
            sigma = 1.9 * C / nearest**2
        T = (z > 0) & (z <= np.sqrt(2 * C / sigma))
        u = np.where(T, 0.0, z)
        right = A[T].T @ (1 - u - lam / sigma - b * signs)[T]
        w = np.linalg.solve(A[T].T @ A[T] + np.eye(len(w)) / sigma, right)
        b = np.mean((signs * (1 - u - lam / sigma - A @ w))[T])
        om = A @ w + u - 1 + b * signs
        lam = np.where(T, lam + sigma * om, 0.0)
        errors = np.count_nonzero((signs * (A @ w + b * signs) > 0) != (y == 1))
        if errors < fewest:
            best, fewest = w, errors
        v = u - lam / sigma
        prox = np.where((v > 0) & (v <= np.sqrt(2 * C / sigma)), 0.0, v)
        residuals = [
            np.sum((w + A[T].T @ lam[T]) ** 2) / (1 + w @ w),
            abs(signs[T] @ lam[T]) / (1 + T.sum()),
            om @ om / len(y),
            np.sum((u - prox) ** 2) / (1 + u @ u),
        ]
        if max(residuals) < 1e-3:
            return best, k
        if k % 10 == 0:
            if residuals[2] > 1e-3:
                sigma = min(2 * sigma, 10)
            elif residuals[0] > 1e-3:
                sigma = np.clip(sigma / 1.25, 0.01, 5)
    return best, n_iter


@pytest.mark.parametrize("C", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_published_iteration(seed, C):
    X, y = clouds(seed)
    coef, n_iter = published_iteration(X, y, C, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ZeroOneADMMClassifier(C=C, max_iter=60).fit(X, y)
    assert model.n_iter_[0] == n_iter
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-6, atol=1e-9)


def test_the_ridge_step_is_the_same_in_both_dimensions():
    rng = np.random.default_rng(0)
    for shape in ((5, 8), (8, 5)):
        rows, weights, target = (
            rng.standard_normal(shape),
            rng.random(shape[0]) + 1,
            rng.random(shape[0]),
        )
        w = _ridge(rows, weights, target, 0.3)
        gradient = rows.T @ (weights * (rows @ w - target)) + 0.3 * w
        np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_separable_data_are_separated():
    X, y = clouds(0, distance=12.0)
    y = (X[:, 0] > 6).astype(int)
    assert ZeroOneADMMClassifier().fit(X, y).score(X, y) == 1


def test_swapping_the_labels_flips_the_separator():
    X, y = clouds(1)
    first, second = (ZeroOneADMMClassifier().fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(first.coef_, -second.coef_, rtol=1e-6)
    np.testing.assert_allclose(first.intercept_, -second.intercept_, rtol=1e-6)


def test_the_place_of_the_features_does_not_matter():
    X, y = clouds(2)
    first, second = (ZeroOneADMMClassifier().fit(Z, y) for Z in (X, X + 64.0))
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-5)


def test_weights_equal_repeated_and_shuffled_rows_bit_for_bit():
    X, y = clouds(3)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = ZeroOneADMMClassifier(class_weight="balanced").fit(X, y, weights)
    repeated = ZeroOneADMMClassifier(class_weight="balanced").fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)
    np.testing.assert_array_equal(weighted.intercept_, repeated.intercept_)


def test_balanced_costs_lift_the_rare_class():
    rng = np.random.default_rng(0)
    y = (np.arange(220) < 20).astype(int)
    X = rng.standard_normal((220, 2)) + 1.5 * y[:, None]
    plain = ZeroOneADMMClassifier(C=0.1, max_iter=200)
    balanced = ZeroOneADMMClassifier(C=0.1, max_iter=200, class_weight="balanced")
    recalls = [model.fit(X, y).predict(X)[y == 1].mean() for model in (plain, balanced)]
    assert recalls[1] > recalls[0]


def test_constant_columns_and_more_features_than_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 30))
    X[:, 2] = 3.0
    y = np.arange(12) % 2
    model = ZeroOneADMMClassifier().fit(X, y)
    assert model.score(X, y) == 1
    assert model.coef_[0, 2] == pytest.approx(0, abs=1e-12)


def test_rows_that_contradict_each_other_do_not_overflow():
    with pytest.warns(ConvergenceWarning, match="not below tol"):
        model = ZeroOneADMMClassifier().fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert np.isfinite(model.decision_function(np.ones((1, 2)))).all()


def test_stopping_early_is_told():
    X, y = clouds(4)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 iterations"):
        ZeroOneADMMClassifier(max_iter=2).fit(X, y)


@pytest.mark.parametrize("name", ["C", "sigma", "eta", "tol", "max_iter"])
def test_impossible_parameters_are_refused(name):
    X, y = clouds(0)
    with pytest.raises(ValueError, match=f"^{name} == 0"):
        ZeroOneADMMClassifier(**{name: 0}).fit(X, y)
