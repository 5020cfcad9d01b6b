"""Where searches begin: the minima they claim to be, with weights and in any container."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import optimargin.starts
from optimargin.problem import make_problem
from optimargin.starts import START_NAMES, settled, start_direction

DETERMINISTIC = [name for name in START_NAMES if name != "random"]
LOSSES = {"logistic": "logistic", "svm": "squared_hinge"}
FOR_SPARSE = [name for name in DETERMINISTIC if name != "lda"]


def cosine(a, b):
    return float(np.ravel(a) @ np.ravel(b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def samples(m=300, n=6, seed=0, shift=1.0):
    """Samples by rows, the negative class (a third) first."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) @ (np.eye(n) + 0.4 * rng.standard_normal((n, n)))
    X[m // 3 :] += shift * rng.standard_normal(n)
    return X, m // 3


def problem_of(X, n_negative, weights=None, costs="balanced"):
    features = sparse.csc_array(X) if sparse.issparse(X) else np.ascontiguousarray(X.T)
    return make_problem(features, n_negative, weights, costs)


def start(name, problem):
    return start_direction(name, problem, np.random.default_rng(0))


def labels(X, n_negative):
    return (np.arange(X.shape[0]) >= n_negative).astype(int)


@pytest.mark.parametrize(("name", "C"), [("logistic", 1.0), ("logistic_free", 1e6)])
def test_logistic_is_the_balanced_logistic_regression(name, C):
    X, n_negative = samples()
    peer = LogisticRegression(C=C, class_weight="balanced", tol=1e-10, max_iter=10_000)
    peer.fit(X, labels(X, n_negative))
    assert cosine(start(name, problem_of(X, n_negative)), peer.coef_) > 1 - 1e-7


def test_svm_is_the_balanced_linear_svm():
    X, n_negative = samples()
    peer = LinearSVC(
        class_weight="balanced", tol=1e-10, max_iter=100_000, intercept_scaling=1e3
    ).fit(X, labels(X, n_negative))  # the scaling leaves the intercept nearly unpenalised
    assert cosine(start("svm", problem_of(X, n_negative)), peer.coef_) > 1 - 1e-5


def test_lda_is_fishers_direction():
    # with many samples there is hardly any shrinkage; in each class half of the covariance
    X, n_negative = samples(m=30_000)
    peer = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.5, 0.5])
    rows = np.concatenate([np.repeat(np.arange(n_negative), 2), np.arange(n_negative, len(X))])
    peer.fit(X[rows], labels(X, n_negative)[rows])
    assert cosine(start("lda", problem_of(X, n_negative)), peer.coef_) > 1 - 1e-4


def test_lda_shrinks_where_there_are_few_samples():
    X, n_negative = samples(m=12, n=30)
    direction = start("lda", problem_of(X, n_negative))
    assert np.isfinite(direction).all()
    apart = X[n_negative:] @ direction
    assert apart.mean() > (X[:n_negative] @ direction).mean()


def test_mean_difference():
    X, n_negative = samples()
    expected = X[n_negative:].mean(axis=0) - X[:n_negative].mean(axis=0)
    assert cosine(start("mean_difference", problem_of(X, n_negative)), expected) > 1 - 1e-12


@pytest.mark.parametrize("name", ["logistic", "svm"])
@pytest.mark.parametrize("by", ["newton", "conjugate_gradients"])
def test_gradient_vanishes_at_the_start(monkeypatch, name, by):
    X, n_negative = samples(shift=0.3)
    if by == "conjugate_gradients":
        monkeypatch.setattr(optimargin.margin_loss, "NEWTON_LIMIT", 2)
    weights = np.random.default_rng(1).random(len(X)) + 0.1
    problem = problem_of(X, n_negative, weights, (1.0, 3.0))
    theta = optimargin.margin_loss.minimise_margin_loss(problem, LOSSES[name], 1.0)
    w, b = theta[:-1], theta[-1]
    scale = problem.total_weight * problem.importance
    margins = problem.signs * (X @ w + b)
    slopes = -expit(-margins) if name == "logistic" else -2 * np.maximum(1 - margins, 0)
    pull = scale * slopes * problem.signs
    assert abs(pull.sum()) < 1e-3 * np.abs(pull).sum()
    gradient = X.T @ pull + w
    assert np.abs(gradient).max() < 1e-3 * np.abs(w).max()


@pytest.mark.parametrize("name", ["logistic", "svm"])
@pytest.mark.parametrize("by", ["newton", "conjugate_gradients"])
def test_the_minimum_does_not_depend_on_where_its_search_begins(monkeypatch, name, by):
    X, n_negative = samples(shift=0.3)
    if by == "conjugate_gradients":
        monkeypatch.setattr(optimargin.margin_loss, "NEWTON_LIMIT", 2)
    problem = problem_of(X, n_negative)
    minimise = optimargin.margin_loss.minimise_margin_loss
    from_zero = minimise(problem, LOSSES[name], 100.0)
    begin = from_zero + np.random.default_rng(3).standard_normal(from_zero.size)
    kept = begin.copy()
    np.testing.assert_allclose(
        minimise(problem, LOSSES[name], 100.0, begin), from_zero, rtol=1e-3, atol=1e-4
    )
    np.testing.assert_array_equal(begin, kept)


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_weights_are_repetitions(name):
    X, n_negative = samples(m=90)
    weights = np.random.default_rng(2).integers(1, 5, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    weighted = start(name, problem_of(X, n_negative, weights.astype(float)))
    repeated = start(name, problem_of(X[rows], int(weights[:n_negative].sum())))
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=2e-9)


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_row_order_does_not_matter(name):
    X, n_negative = samples(m=90)
    rng = np.random.default_rng(3)
    order = np.concatenate(
        [rng.permutation(n_negative), n_negative + rng.permutation(len(X) - n_negative)]
    )
    np.testing.assert_allclose(
        start(name, problem_of(X, n_negative)),
        start(name, problem_of(X[order], n_negative)),
        rtol=0,
        atol=2e-9,
    )


@pytest.mark.parametrize("name", FOR_SPARSE)
def test_sparse_and_dense_agree(name):
    X, n_negative = samples()
    X[np.abs(X) < 0.8] = 0.0
    assert (
        cosine(
            start(name, problem_of(X, n_negative)),
            start(name, problem_of(sparse.csr_array(X), n_negative)),
        )
        > 1 - 1e-7
    )


def test_sparse_data_have_no_covariance():
    X, n_negative = samples()
    with pytest.raises(ValueError, match="not available for sparse"):
        start("lda", problem_of(sparse.csr_array(X), n_negative))


@pytest.mark.parametrize("name", ["logistic", "svm"])
def test_many_features_are_met_by_the_same_minimum(monkeypatch, name):
    X, n_negative = samples(n=40)
    by_hessian = start(name, problem_of(X, n_negative))
    monkeypatch.setattr(optimargin.margin_loss, "NEWTON_LIMIT", 10)
    iteratively = start(name, problem_of(X, n_negative))
    np.testing.assert_allclose(iteratively, by_hessian, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize(
    "case",
    ["separable", "more_features_than_rows", "one_sample_a_class", "identical", "single_precision"],
)
def test_awkward_data_have_a_start(name, case):
    X, n_negative = samples()
    if case == "separable":
        X, n_negative = samples(shift=50.0)
    elif case == "more_features_than_rows":
        X, n_negative = samples(m=9, n=50)
    elif case == "one_sample_a_class":
        X, n_negative = X[[0, -1]], 1
    elif case == "identical":
        X = np.ones_like(X)
    elif case == "single_precision":
        X = X.astype(np.float32)
    direction = start(name, problem_of(X, n_negative))
    assert direction.shape == (X.shape[1],)
    assert direction.dtype == np.float64
    assert np.isfinite(direction).all()
    assert direction.any()


def test_random_comes_from_the_generator():
    X, n_negative = samples()
    problem = problem_of(X, n_negative)
    one = start_direction("random", problem, np.random.default_rng(5))
    np.testing.assert_array_equal(one, np.random.default_rng(5).standard_normal(6))


def test_unknown_names_are_refused():
    X, n_negative = samples()
    with pytest.raises(ValueError, match="'ridge' is not one of random, mean_difference"):
        start("ridge", problem_of(X, n_negative))


def test_settled_directions():
    np.testing.assert_array_equal(settled(np.zeros(3)), np.ones(3))
    np.testing.assert_array_equal(settled(np.array([np.nan, 1.0])), np.ones(2))
    np.testing.assert_array_equal(settled(np.array([1e-300, -2e-300])), [0.5, -1.0])
    np.testing.assert_array_equal(settled(np.array([1.0, 1e-12])), [1.0, 0.0])
