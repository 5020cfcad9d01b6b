"""The hinge-loss solver: optimality conditions, cvxpy, and scikit-learn where the two overlap."""

import numpy as np
import pytest
from sklearn.svm import SVC

from optimargin.baselines import _boxed_hinge
from optimargin.baselines._boxed_hinge import hinge_objective, minimise_hinge

cvxpy = pytest.importorskip("cvxpy")


def noisy(seed, n_samples=60, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    signs = np.where(rng.random(n_samples) < 1 / (1 + np.exp(-2 * X[:, 0])), 1.0, -1.0)
    signs[:2] = [-1.0, 1.0]
    return X, signs


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(60, 4), (20, 40)])
def test_agrees_with_scikit_learn(C, shape):
    X, signs = noisy(0, *shape)
    upper = np.full(len(signs), C)
    solution = minimise_hinge(signs[:, None] * X, signs, 0 * upper, upper, tol=1e-9)
    reference = SVC(kernel="linear", C=C, tol=1e-9).fit(X, signs)
    assert solution.converged
    # The reference keeps its kernel in single precision: that is the tolerance.
    np.testing.assert_allclose(solution.direction, reference.coef_[0], atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_lower_bounds_agree_with_cvxpy(seed):
    X, signs = noisy(seed)
    rng = np.random.default_rng(seed)
    upper = rng.random(len(signs)) * (rng.random(len(signs)) < 0.7)
    lower = np.where(upper == 0, -rng.random(len(signs)), 0.0)
    solution = minimise_hinge(signs[:, None] * X, signs, lower, upper, tol=1e-9)

    w, b = cvxpy.Variable(X.shape[1]), cvxpy.Variable()
    slack = 1 - cvxpy.multiply(signs, X @ w + b)
    loss = upper @ cvxpy.pos(slack) - lower @ cvxpy.neg(slack)
    problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + loss))
    problem.solve(solver="CLARABEL")
    slack_here = 1 - signs * (X @ solution.direction + solution.intercept)
    reached = hinge_objective(slack_here, solution.direction, lower, upper)
    assert reached == pytest.approx(problem.value, rel=1e-6)
    np.testing.assert_allclose(solution.direction, w.value, atol=1e-4)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", ["unbalanced", "nearly singular", "outliers", "separable"])
def test_reaches_the_least_objective_on_awkward_rows(kind, C):
    X, signs = noisy(6, 80, 5)
    if kind == "unbalanced":
        signs = np.where(np.arange(80) < 4, 1.0, -1.0)
    elif kind == "nearly singular":
        X = X[:, :2] @ X[:2] + 1e-4 * X
    elif kind == "outliers":
        X[:4] *= 50
    else:
        X += 4 * signs[:, None]
    upper = np.full(80, C)
    solution = minimise_hinge(signs[:, None] * X, signs, 0 * upper, upper)
    assert solution.converged

    w, b = cvxpy.Variable(5), cvxpy.Variable()
    loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(signs, X @ w + b)))
    problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + C * loss))
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    slack = 1 - signs * (X @ solution.direction + solution.intercept)
    reached = hinge_objective(slack, solution.direction, 0 * upper, upper)
    assert reached == pytest.approx(problem.value, rel=1e-6, abs=1e-6)


def test_optimality_conditions():
    X, signs = noisy(3)
    upper = np.full(len(signs), 2.0)
    solution = minimise_hinge(signs[:, None] * X, signs, 0 * upper, upper, tol=1e-10)
    alpha = solution.multipliers
    margins = signs * (X @ solution.direction + solution.intercept)
    np.testing.assert_allclose((alpha * signs) @ X, solution.direction, atol=1e-6)
    assert abs(alpha @ signs) < 1e-6
    assert (alpha[margins > 1 + 1e-4] < 1e-6).all()
    assert (alpha[margins < 1 - 1e-4] > 2 - 1e-6).all()


def test_a_warm_start_leads_to_the_same_place():
    X, signs = noisy(4)
    design, upper = signs[:, None] * X, np.full(len(signs), 1.0)
    near = minimise_hinge(design, signs, 0 * upper, 3 * upper, tol=1e-9)
    cold = minimise_hinge(design, signs, 0 * upper, upper, tol=1e-9)
    warm = minimise_hinge(design, signs, 0 * upper, upper, near, tol=1e-9)
    np.testing.assert_allclose(cold.direction, warm.direction, atol=1e-5)


def test_a_gap_that_is_still_open_is_reported(monkeypatch):
    monkeypatch.setattr(_boxed_hinge, "_MAX_MULTIPLIER_STEPS", 1)
    X, signs = noisy(5)
    upper = np.full(len(signs), 1.0)
    solution = minimise_hinge(signs[:, None] * X, signs, 0 * upper, upper)
    assert not solution.converged
    assert solution.gap > 1e-6
