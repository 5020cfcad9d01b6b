import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from optimargin.baselines import TwinSVC
from optimargin.baselines._interior_point import solve_hinge

C = {"c1": 0.8, "c2": 0.5, "c3": 0.15, "c4": 0.4}
ACCURATE = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


@pytest.fixture
def data(rng):
    X = np.vstack([rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) * [1, 2, 0.5] + 0.8])
    return X, np.repeat([0, 1], [40, 30])


def augmented(X, y):
    ones = np.ones((len(y), 1))
    return np.hstack([X, ones])[y == 1], np.hstack([X, ones])[y == 0]


def plane(model, side):
    coef, intercept = getattr(model, f"coef_{side}_"), getattr(model, f"intercept_{side}_")
    return np.append(coef[0], intercept[0])


def problems(X, y, c):
    H, G = augmented(X, y)
    return (H, G, c["c1"], c["c3"], -1, "plus"), (G, H, c["c2"], c["c4"], 1, "minus")


def test_agrees_with_the_primal_problem(data):
    model = TwinSVC(**C).fit(*data)
    for near, far, loss, ridge, sign, side in problems(*data, C):
        z = cp.Variable(4)
        objective = 0.5 * cp.sum_squares(near @ z) + 0.5 * ridge * cp.sum_squares(z)
        objective += loss * cp.sum(cp.pos(1 - sign * (far @ z)))
        cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL", **ACCURATE)
        np.testing.assert_allclose(plane(model, side), z.value, atol=1e-6)


@pytest.mark.parametrize("cost", [2.0**-6, 2.0**6])
@pytest.mark.parametrize("kind", ["unbalanced", "nearly singular", "outliers"])
def test_reaches_the_least_objective_on_awkward_rows(rng, kind, cost):
    X, y = rng.normal(size=(90, 6)), (np.arange(90) < (3 if kind == "unbalanced" else 40)) * 1
    X += 0.7 * y[:, np.newaxis]
    if kind == "nearly singular":
        X = X[:, :3] @ rng.normal(size=(3, 6)) + 1e-5 * X
    elif kind == "outliers":
        X[::20] *= 100
    c = {"c1": cost, "c2": cost, "c3": 2.0**-7, "c4": 2.0**-7}
    model = TwinSVC(**c).fit(X, y)
    for near, far, loss, ridge, sign, side in problems(X, y, c):
        z = cp.Variable(7)
        objective = 0.5 * cp.sum_squares(near @ z) + 0.5 * ridge * cp.sum_squares(z)
        objective += loss * cp.sum(cp.pos(1 - sign * (far @ z)))
        problem = cp.Problem(cp.Minimize(objective))
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        ours = plane(model, side)
        reached = 0.5 * np.sum((near @ ours) ** 2) + 0.5 * ridge * ours @ ours
        reached += loss * np.maximum(1 - sign * (far @ ours), 0).sum()
        assert reached == pytest.approx(problem.value, rel=1e-6)


def test_agrees_with_the_dual_problem(data):
    model = TwinSVC(**C).fit(*data)
    for near, far, loss, ridge, sign, side in problems(*data, C):
        gram = near.T @ near + ridge * np.eye(4)
        Q = far @ np.linalg.solve(gram, far.T)
        found = minimize(
            lambda a, Q=Q: (0.5 * a @ Q @ a - a.sum(), Q @ a - 1),
            np.full(len(far), loss / 2),
            jac=True,
            bounds=[(0, loss)] * len(far),
            method="L-BFGS-B",
            options={"ftol": 1e-16, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 20_000},
        )
        z = sign * np.linalg.solve(gram, far.T @ found.x)
        np.testing.assert_allclose(plane(model, side), z, atol=1e-6)


def test_weights_enter_both_terms(data, rng):
    X, y = data
    weights = rng.uniform(0.1, 3.0, size=len(y))
    model = TwinSVC(**C).fit(X, y, sample_weight=weights)
    near, far = augmented(X, y)
    w, v = weights[y == 1], weights[y == 0]
    z = cp.Variable(4)
    objective = 0.5 * w @ cp.square(near @ z) + 0.5 * C["c3"] * cp.sum_squares(z)
    objective += C["c1"] * (v @ cp.pos(1 + far @ z))
    cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL", **ACCURATE)
    np.testing.assert_allclose(plane(model, "plus"), z.value, atol=1e-6)


def test_swapping_the_labels_swaps_the_planes(data):
    X, y = data
    c = {"c1": C["c2"], "c2": C["c1"], "c3": C["c4"], "c4": C["c3"]}
    one, other = TwinSVC(**C).fit(X, y), TwinSVC(**c).fit(X, 1 - y)
    np.testing.assert_allclose(plane(one, "plus"), -plane(other, "minus"), atol=1e-8)
    np.testing.assert_allclose(plane(one, "minus"), -plane(other, "plus"), atol=1e-8)


def test_a_great_ridge_leaves_no_slope_and_finite_scores(data):
    X, y = data
    model = TwinSVC(c3=1e12, c4=1e12).fit(X, y)
    assert np.abs(plane(model, "plus")).max() < 1e-9
    assert np.isfinite(model.decision_function(X)).all()


def test_rotations_change_no_score(data, rng):
    X, y = data
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    scores = TwinSVC().fit(X, y).decision_function(X)
    rotated = TwinSVC().fit(X @ rotation, y).decision_function(X @ rotation)
    np.testing.assert_allclose(scores, rotated, atol=1e-7)


def test_more_features_than_rows_is_the_same_problem(rng):
    X, y = rng.normal(size=(16, 40)), np.repeat([0, 1], 8)
    model = TwinSVC(**C).fit(X, y)
    for near, far, loss, ridge, sign, side in problems(X, y, C):
        z = cp.Variable(41)
        objective = 0.5 * cp.sum_squares(near @ z) + 0.5 * ridge * cp.sum_squares(z)
        objective += loss * cp.sum(cp.pos(1 - sign * (far @ z)))
        cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL", **ACCURATE)
        np.testing.assert_allclose(plane(model, side), z.value, atol=1e-6)


def test_ill_conditioned_rows_converge(rng):
    X = rng.normal(size=(400, 12)) * np.logspace(-4, 4, 12)
    y = (X[:, 0] * 1e4 + X[:, -1] / 1e4 + 0.5 * rng.normal(size=400) > 0).astype(int)
    model = TwinSVC().fit(X, y)
    assert model.n_iter_[0] <= 60


def test_the_gap_bounds_the_error_and_the_dual_is_feasible(rng):
    rows, costs = rng.normal(size=(80, 6)) + 0.4, rng.uniform(0.1, 3.0, size=80)
    loose = solve_hinge(rows, costs, tol=1e-3, max_iter=100)
    tight = solve_hinge(rows, costs, tol=1e-12, max_iter=100)
    assert tight.converged
    assert (tight.dual >= 0).all()
    assert (tight.dual <= costs).all()
    np.testing.assert_allclose(rows.T @ tight.dual, tight.coef, atol=1e-8)

    def objective(w):
        return 0.5 * w @ w + costs @ np.maximum(1 - rows @ w, 0)

    excess = objective(loose.coef) - objective(tight.coef)
    assert -1e-12 <= excess <= loose.gap * objective(loose.coef) + 1e-12


def test_says_so_when_it_does_not_converge(data):
    with pytest.warns(ConvergenceWarning, match="classes 0 and 1 did not converge in 2"):
        TwinSVC(max_iter=2).fit(*data)


@pytest.mark.parametrize("parameters", [{"c1": 0.0}, {"c3": 0.0}, {"tol": 0.0}, {"max_iter": 0}])
def test_refuses_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        TwinSVC(**parameters).fit([[0.0], [1.0]], [0, 1])
