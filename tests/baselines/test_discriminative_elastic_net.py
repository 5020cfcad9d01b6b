import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from optimargin.baselines import DiscriminativeElasticNetClassifier
from optimargin.baselines._relaxed_regression import (
    RelaxedRegression,
    relaxed_targets,
    shrink_singular_values,
    solve_admm,
    solve_alternating,
)

LONG = {"max_iter": 50_000, "tol": 1e-12}


def some_rows(rng, n_classes, m=90, n=5):
    y = np.arange(m) % n_classes
    X = rng.normal(size=(m, n))
    X[:, 0] += 0.8 * y
    X[:, 1] -= 0.5 * (y == 1)
    return X, y


def one_hot(y):
    return (y[:, np.newaxis] == np.unique(y)).astype(float)


def published_iteration(X, Y, lam, mu, n_iter, rng):
    """The factorised algorithm that the method's authors published, as it is described."""
    E, c = 2 * Y - 1, Y.shape[1]
    gram, identity = X.T @ X, np.eye(X.shape[1])
    rank = min(5 * max((c - 1) // 5, 1), c - 1)
    B = 1e-5 * rng.normal(size=(rank, c))
    C = 1e-5 * rng.normal(size=(X.shape[1], c))
    D = np.linalg.solve(gram + lam * identity, X.T @ Y)
    for _ in range(n_iter):
        A = (C + mu * D) @ B.T @ np.linalg.inv(lam * np.eye(rank) + mu * B @ B.T)
        B = np.linalg.solve(lam * np.eye(rank) + mu * A.T @ A, A.T @ (C + mu * D))
        M = np.maximum(E * (X @ D - Y), 0)
        T = Y + E * M
        D = np.linalg.solve(2 * gram + (lam + mu) * identity, 2 * X.T @ T + mu * A @ B - C)
        C = C + mu * (D - A @ B)
    return D


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_published_iteration_is_relaxed_ridge_regression(rng, n_classes):
    X, y = some_rows(rng, n_classes)
    model = DiscriminativeElasticNetClassifier(fit_intercept=False, multi_class="native")
    model.fit(X, y)
    published = published_iteration(X - X.mean(axis=0), one_hot(y), 0.5, 1e-8, 400, rng)
    ours = model.coef_.T
    if n_classes == 2:
        published = published[:, [1]] - published[:, [0]]
    difference = np.linalg.norm(ours - published) / np.linalg.norm(published)
    # Its multiplier starts at 1e-5 and is never worked off: that is all that remains.
    assert difference < 1e-6


def squared_hinge_machine(X, signs, C):
    """min ||w||^2 / 2 + C sum max(0, 1 - signs (X w + c))^2, by Newton steps from BFGS."""
    rows = signs[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])
    free = np.append(np.ones(X.shape[1]), 0.0)

    def value_and_gradient(z):
        short = np.maximum(1 - rows @ z, 0)
        return 0.5 * z @ (free * z) + C * short @ short, free * z - 2 * C * rows.T @ short

    z = minimize(value_and_gradient, np.zeros(rows.shape[1]), jac=True, method="BFGS").x
    for _ in range(5):
        active = rows[rows @ z < 1]
        z = np.linalg.solve(np.diag(free) + 2 * C * active.T @ active, 2 * C * active.sum(axis=0))
    assert np.abs(value_and_gradient(z)[1]).max() < 1e-10
    return z[:-1], z[-1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("lam", [0.5, 3.0])
def test_with_an_intercept_it_is_the_squared_hinge_machine(rng, n_classes, lam):
    X, y = some_rows(rng, n_classes)
    model = DiscriminativeElasticNetClassifier(ridge=lam, multi_class="native", **LONG).fit(X, y)
    for k in range(n_classes):
        w, c = squared_hinge_machine(X, np.where(y == k, 1.0, -1.0), 1 / lam)
        if n_classes > 2:
            np.testing.assert_allclose(2 * model.coef_[k], w, atol=1e-6)
            assert 2 * model.intercept_[k] - 1 == pytest.approx(c, abs=1e-6)
        elif k == 1:
            np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
            assert model.intercept_[0] == pytest.approx(c, abs=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("nuclear", [0.5, 20.0])
def test_the_nuclear_norm_agrees_with_a_solver_of_cone_programs(rng, fit_intercept, nuclear):
    X, y = some_rows(rng, 4, m=60)
    model = DiscriminativeElasticNetClassifier(
        nuclear,
        solver="admm",
        multi_class="native",
        fit_intercept=fit_intercept,
        max_iter=5000,
        tol=1e-10,
    ).fit(X, y)
    Y, centred = one_hot(y), X - X.mean(axis=0)
    D, M, b = cp.Variable((5, 4)), cp.Variable((60, 4), nonneg=True), cp.Variable((1, 4))
    scores = centred @ D + (np.ones((60, 1)) @ b if fit_intercept else 0)
    loss = cp.sum_squares(scores - Y - cp.multiply(2 * Y - 1, M))
    problem = cp.Problem(cp.Minimize(loss + nuclear * cp.normNuc(D) + 0.25 * cp.sum_squares(D)))
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    np.testing.assert_allclose(model.coef_.T, D.value, atol=1e-5)
    rank = np.linalg.matrix_rank(model.coef_, tol=1e-9)
    assert rank < 4 if nuclear == 20.0 else rank == 4


@pytest.mark.parametrize("nuclear", [0.5, 5.0])
@pytest.mark.parametrize("kind", ["collinear", "unscaled", "unbalanced"])
def test_the_default_iterations_reach_the_optimum_on_awkward_features(rng, kind, nuclear):
    m, n = 100, 12
    y = (np.arange(m) < (5 if kind == "unbalanced" else 40)).astype(int)
    X = rng.normal(size=(m, n)) + 0.5 * y[:, np.newaxis]
    if kind == "collinear":
        X = np.cumsum(X, axis=1) + 20 * rng.normal(size=(m, 1))
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        assert np.linalg.cond(X) > 100
    elif kind == "unscaled":
        X *= np.logspace(-2, 2, n)
    problem = problem_of(X, y, False)
    found = solve_admm(problem, nuclear, tol=1e-8, max_iter=400)

    labels = problem.labels.T
    D, M = cp.Variable((n, 2)), cp.Variable((m, 2), nonneg=True)
    loss = cp.sum_squares(problem.rows @ D - labels - cp.multiply(2 * labels - 1, M))
    program = cp.Problem(cp.Minimize(loss + nuclear * cp.normNuc(D) + 0.25 * cp.sum_squares(D)))
    program.solve(solver="CLARABEL", tol_gap_abs=1e-7, tol_gap_rel=1e-7, tol_feas=1e-7)
    scores = found.coef @ problem.rows.T
    reached = ((scores - relaxed_targets(scores, problem.labels)) ** 2).sum()
    reached += nuclear * np.linalg.svd(found.coef, compute_uv=False).sum()
    reached += 0.25 * (found.coef**2).sum()
    assert reached == pytest.approx(program.value, rel=1e-5)


def test_without_the_nuclear_norm_both_solvers_agree(rng):
    X, y = some_rows(rng, 3)
    one, other = (
        DiscriminativeElasticNetClassifier(0.0, solver=solver, multi_class="native", **LONG)
        for solver in ("alternating", "admm")
    )
    np.testing.assert_allclose(one.fit(X, y).coef_, other.fit(X, y).coef_, atol=1e-9)


def problem_of(X, y, fit_intercept):
    return RelaxedRegression(
        rows=X - X.mean(axis=0),
        labels=one_hot(y).T,
        weights=np.ones(len(y)),
        ridge=0.5,
        fit_intercept=fit_intercept,
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_objective_never_rises(rng, fit_intercept, n_classes):
    X, y = some_rows(rng, n_classes)
    problem = problem_of(X, y, fit_intercept)
    values = []
    for n_iter in range(1, 30):
        found = solve_alternating(problem, tol=0.0, max_iter=n_iter)
        scores = found.coef @ problem.rows.T + found.intercept[:, np.newaxis]
        residuals = scores - relaxed_targets(scores, problem.labels)
        values.append((residuals**2).sum() + 0.25 * (found.coef**2).sum())
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < values[0] - 1e-4


def test_targets_move_away_from_the_wrong_side_only(rng):
    labels = one_hot(np.arange(30) % 3).T
    targets = relaxed_targets(3 * rng.normal(size=(3, 30)), labels)
    moved = (2 * labels - 1) * (targets - labels)
    assert (moved >= 0).all()
    assert (moved > 0).any()
    # So the true class keeps a target at least one above all others.
    truth = targets[np.arange(30) % 3, np.arange(30)]
    others = np.where(labels > 0, -np.inf, targets).max(axis=0)
    assert (truth >= others + 1).all()


def test_the_columns_of_two_classes_mirror_each_other(rng):
    X, y = some_rows(rng, 2)
    problem = problem_of(X, y, True)
    found = solve_alternating(problem, tol=1e-12, max_iter=5000)
    np.testing.assert_allclose(found.coef[0], -found.coef[1])
    whole = solve_admm(problem, 0.0, tol=1e-12, max_iter=5000)
    np.testing.assert_allclose(found.coef, whole.coef, atol=1e-9)
    np.testing.assert_allclose(found.intercept, whole.intercept, atol=1e-9)


def test_singular_values_shrink(rng):
    matrix = rng.normal(size=(4, 7))
    before = np.linalg.svd(matrix, compute_uv=False)
    after = np.linalg.svd(shrink_singular_values(matrix, before[1]), compute_uv=False)
    np.testing.assert_allclose(after, np.maximum(before - before[1], 0), atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_moving_all_rows_changes_no_score(rng, fit_intercept):
    X, y = some_rows(rng, 2)
    model = DiscriminativeElasticNetClassifier(fit_intercept=fit_intercept)
    scores = model.fit(X, y).decision_function(X)
    moved = X + rng.normal(size=5)
    np.testing.assert_allclose(scores, model.fit(moved, y).decision_function(moved), atol=1e-9)


def test_without_an_intercept_the_mean_of_the_rows_is_on_the_boundary(rng):
    X, y = some_rows(rng, 2)
    model = DiscriminativeElasticNetClassifier(fit_intercept=False).fit(X[15:], y[15:])
    assert model.decision_function([X[15:].mean(axis=0)])[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("solver", ["alternating", "admm"])
def test_more_features_than_rows_is_the_same_problem(rng, solver):
    X, y = rng.normal(size=(14, 30)), np.arange(14) % 2
    model = DiscriminativeElasticNetClassifier(solver=solver, **LONG).fit(X, y)
    padded = DiscriminativeElasticNetClassifier(solver=solver, **LONG)
    weights = np.repeat([1.0, 1e-14, 1e-14], 14)
    padded.fit(np.vstack([X, X, X]), np.tile(y, 3), sample_weight=weights)
    np.testing.assert_allclose(model.coef_, padded.coef_, atol=1e-8)


def test_says_so_when_it_does_not_converge():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="classes 1 and 2 did not converge in max_iter=5"):
        DiscriminativeElasticNetClassifier(max_iter=5).fit(X[50:], y[50:])


@pytest.mark.parametrize(
    "parameters",
    [
        {"nuclear": -1.0},
        {"ridge": 0.0},
        {"max_iter": 0},
        {"tol": -1.0},
        {"solver": "other"},
        {"multi_class": "ovr"},
    ],
)
def test_refuses_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        DiscriminativeElasticNetClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
