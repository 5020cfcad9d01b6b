import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from optimargin.baselines import MinimaxProbabilityClassifier

ACCURATE = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}


def two_classes(rng, n, m_minus=60, m_plus=90):
    mixing = rng.normal(size=(2, n, n))
    minus = rng.normal(size=(m_minus, n)) @ mixing[0]
    plus = rng.normal(size=(m_plus, n)) @ mixing[1] + rng.normal(size=n)
    return np.vstack([minus, plus]), np.repeat([0, 1], [m_minus, m_plus])


def moments(X):
    return X.mean(axis=0), np.cov(X.T, bias=True).reshape(X.shape[1], X.shape[1])


@pytest.mark.parametrize("n", [2, 5, 15])
@pytest.mark.parametrize("ridge", [0.0, 1e-2])
def test_agrees_with_the_cone_program(rng, n, ridge):
    X, y = two_classes(rng, n)
    model = MinimaxProbabilityClassifier(ridge=ridge).fit(X, y)
    (mean2, cov2), (mean1, cov1) = moments(X[y == 0]), moments(X[y == 1])
    added = ridge * (np.trace(cov1) + np.trace(cov2)) / (2 * n) * np.eye(n)
    roots = [np.linalg.cholesky(cov + added).T for cov in (cov1, cov2)]
    a = cp.Variable(n)
    deviations = [cp.norm(root @ a) for root in roots]
    problem = cp.Problem(cp.Minimize(sum(deviations)), [a @ (mean1 - mean2) == 1])
    problem.solve(solver="CLARABEL", **ACCURATE)
    kappa = 1 / problem.value
    assert model.kappa_[0] == pytest.approx(kappa, rel=1e-6)
    # The objective is flat at its minimum, so the program knows its variables only to the root
    # of its accuracy; the conditions of optimality tell more about ours.
    np.testing.assert_allclose(model.coef_[0], a.value, atol=2e-4 * np.abs(a.value).max())
    ours = model.coef_[0]
    slope = sum(root.T @ (root @ ours) / np.linalg.norm(root @ ours) for root in roots)
    np.testing.assert_allclose(kappa * slope, mean1 - mean2, atol=1e-6)
    assert sum(np.linalg.norm(root @ ours) for root in roots) <= problem.value * (1 + 1e-9)
    threshold = ours @ mean1 - kappa * np.linalg.norm(roots[0] @ ours)
    assert -model.intercept_[0] == pytest.approx(threshold, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", ["unbalanced", "nearly singular", "unscaled", "wide"])
def test_reaches_the_greatest_kappa_on_awkward_rows(rng, kind):
    n = 30 if kind == "wide" else 5
    X, y = two_classes(rng, n, *((90, 3) if kind == "unbalanced" else (12, 14)))
    if kind == "nearly singular":
        X = X[:, :3] @ rng.normal(size=(3, 5)) + 1e-5 * X
    elif kind == "unscaled":
        X = X * np.logspace(-2, 2, 5)
    model = MinimaxProbabilityClassifier().fit(X, y)
    (mean2, cov2), (mean1, cov1) = moments(X[y == 0]), moments(X[y == 1])
    added = 1e-6 * (np.trace(cov1) + np.trace(cov2)) / (2 * n) * np.eye(n)
    roots = [np.linalg.cholesky(cov + added).T for cov in (cov1, cov2)]

    def kappa(a):
        return a @ (mean1 - mean2) / sum(np.linalg.norm(root @ a) for root in roots)

    # In coordinates in which the covariances add up to the identity the program is easy.
    inverse = np.linalg.inv(np.linalg.cholesky(cov1 + cov2 + 2 * added)).T
    a = cp.Variable(n)
    deviations = sum(cp.norm(root @ inverse @ a) for root in roots)
    problem = cp.Problem(cp.Minimize(deviations), [a @ (inverse.T @ (mean1 - mean2)) == 1])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-7, tol_gap_rel=1e-7, tol_feas=1e-7)
    assert model.kappa_[0] == pytest.approx(kappa(model.coef_[0]), rel=1e-6)
    assert model.kappa_[0] == pytest.approx(kappa(inverse @ a.value), rel=1e-6)


def test_equal_covariances_give_the_lda_direction_and_the_midpoint(rng):
    half = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4))
    shift = np.array([1.0, -0.5, 2.0, 0.3])
    X, y = np.vstack([half, half + shift]), np.repeat([0, 1], 40)
    model = MinimaxProbabilityClassifier(ridge=0.0).fit(X, y)
    mean, cov = moments(half)
    lda = np.linalg.solve(cov, shift)
    np.testing.assert_allclose(model.coef_[0], lda / (lda @ shift), rtol=1e-12, atol=1e-12)
    midpoint = model.coef_[0] @ (mean + shift / 2)
    assert -model.intercept_[0] == pytest.approx(midpoint, rel=1e-12, abs=1e-12)
    assert model.kappa_[0] == pytest.approx(np.sqrt(shift @ lda) / 2, rel=1e-12)


def test_both_classes_keep_the_same_number_of_deviations(rng):
    X, y = two_classes(rng, 6)
    model = MinimaxProbabilityClassifier(ridge=0.0).fit(X, y)
    for label, side in ((0, -1), (1, 1)):
        mean, cov = moments(X[y == label])
        distance = side * (model.coef_[0] @ mean + model.intercept_[0])
        deviation = np.sqrt(model.coef_[0] @ cov @ model.coef_[0])
        assert distance / deviation == pytest.approx(model.kappa_[0], rel=1e-9)
    kappa = model.kappa_[0]
    assert model.accuracy_bound_[0] == pytest.approx(kappa**2 / (1 + kappa**2))


def test_the_bound_holds_for_the_training_rows(rng):
    # Their empirical law is one of the laws with these moments.
    X, y = two_classes(rng, 3)
    model = MinimaxProbabilityClassifier(ridge=0.0).fit(X, y)
    right = model.predict(X) == y
    assert min(right[y == 0].mean(), right[y == 1].mean()) >= model.accuracy_bound_[0]


def test_invertible_maps_change_no_score(rng):
    X, y = two_classes(rng, 4)
    moved = X @ rng.normal(size=(4, 4)) + rng.normal(size=4)
    scores, others = (
        MinimaxProbabilityClassifier(ridge=0.0).fit(Z, y).decision_function(Z) for Z in (X, moved)
    )
    np.testing.assert_allclose(scores, others, rtol=1e-8, atol=1e-9)


def test_sizes_of_the_classes_do_not_matter(rng):
    X, y = two_classes(rng, 4)
    more = np.concatenate([np.arange(len(y)), np.tile(np.flatnonzero(y == 0), 9)])
    once, often = (
        MinimaxProbabilityClassifier().fit(X[rows], y[rows]) for rows in (np.arange(len(y)), more)
    )
    np.testing.assert_allclose(once.coef_, often.coef_, rtol=1e-8)
    np.testing.assert_allclose(once.intercept_, often.intercept_, rtol=1e-8, atol=1e-10)


def test_more_features_than_rows_is_the_same_problem_as_written_out(rng):
    X, y = rng.normal(size=(12, 30)), np.repeat([0, 1], 6)
    model = MinimaxProbabilityClassifier(ridge=1e-3).fit(X, y)
    wide = MinimaxProbabilityClassifier(ridge=1e-3)
    # Rows that weigh next to nothing make as many rows as features, so nothing is rotated.
    padded = np.vstack([X, X, X])
    weights = np.repeat([1.0, 1e-13, 1e-13], 12)
    wide.fit(padded, np.tile(y, 3), sample_weight=weights)
    np.testing.assert_allclose(model.coef_, wide.coef_, atol=1e-8 * np.abs(wide.coef_).max())


def test_says_so_when_the_means_coincide():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    with pytest.warns(ConvergenceWarning, match="means of classes no and yes coincide"):
        model = MinimaxProbabilityClassifier().fit(X, ["no", "no", "yes", "yes"])
    assert not model.coef_.any()
    assert model.kappa_[0] == 0.0


def test_says_so_when_it_does_not_converge(rng):
    X, y = two_classes(rng, 5)
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1 steps"):
        MinimaxProbabilityClassifier(max_iter=1).fit(X, y)


def test_refuses_singular_covariances_without_a_ridge(rng):
    X, y = two_classes(rng, 3)
    with pytest.raises(ValueError, match="singular together; set ridge"):
        MinimaxProbabilityClassifier(ridge=0.0).fit(np.column_stack([X, np.ones(len(y))]), y)


@pytest.mark.parametrize(
    "parameters", [{"ridge": -1.0}, {"tol": -1.0}, {"max_iter": 0}, {"max_iter": 1.5}]
)
def test_refuses_parameters(parameters):
    with pytest.raises((ValueError, TypeError), match=next(iter(parameters))):
        MinimaxProbabilityClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
