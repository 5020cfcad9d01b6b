import cvxpy as cp
import numpy as np
import pytest

from optimargin.baselines import WeightedLinearTwinSVC

C = {"c1": 0.3, "c2": 0.2, "c3": 0.15, "c4": 0.4}


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


def second_pass_weights(near, far, loss, ridge, sign, first_pass=1.0):
    """Which far rows keep their weight, by the description of the method, written out."""
    gram = near.T @ near + ridge * np.eye(near.shape[1])
    z = sign * first_pass * loss * np.linalg.solve(gram, far.sum(axis=0))
    slack = 1 - sign * (far @ z)
    return np.where(slack > np.abs(slack).mean(), 1e-5, 1.0)


@pytest.mark.parametrize("scaling", ["paper", "demo"])
def test_the_gradient_of_each_problem_is_zero(data, scaling):
    H, G = augmented(*data)
    c = C if scaling == "paper" else {**C, "c1": 3.0, "c2": 4.0}
    model = WeightedLinearTwinSVC(**c, scaling=scaling).fit(*data)
    for near, far, c_loss, ridge, sign, side in (
        (H, G, c["c1"], c["c3"], -1, "plus"),
        (G, H, c["c2"], c["c4"], 1, "minus"),
    ):
        share = len(near) / len(data[1])
        loss, first = (c_loss, 1.0) if scaling == "paper" else (1 / c_loss, share)
        v = second_pass_weights(near, far, loss, ridge, sign, first)
        assert 0 < (v < 1).sum() < len(v)
        z = plane(model, side)
        gradient = near.T @ (near @ z) + ridge * z - sign * loss * far.T @ v
        np.testing.assert_allclose(gradient, 0, atol=1e-10)


def test_agrees_with_a_solver_of_quadratic_programs(data):
    H, G = augmented(*data)
    model = WeightedLinearTwinSVC(**C).fit(*data)
    for near, far, loss, ridge, sign, side in (
        (H, G, C["c1"], C["c3"], -1, "plus"),
        (G, H, C["c2"], C["c4"], 1, "minus"),
    ):
        v = second_pass_weights(near, far, loss, ridge, sign)
        z = cp.Variable(4)
        objective = 0.5 * cp.sum_squares(near @ z) + 0.5 * ridge * cp.sum_squares(z)
        objective += loss * (v @ (1 - sign * (far @ z)))
        cp.Problem(cp.Minimize(objective)).solve(
            solver="CLARABEL", tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13
        )
        np.testing.assert_allclose(plane(model, side), z.value, atol=1e-8)


def test_more_features_than_rows_agrees_with_woodbury(rng):
    X, y = rng.normal(size=(20, 50)), np.repeat([0, 1], 10)
    H, G = augmented(X, y)
    model = WeightedLinearTwinSVC(**C).fit(X, y)
    for near, far, loss, ridge, sign, side in (
        (H, G, C["c1"], C["c3"], -1, "plus"),
        (G, H, C["c2"], C["c4"], 1, "minus"),
    ):
        v = second_pass_weights(near, far, loss, ridge, sign)
        q = far.T @ v
        small = np.eye(len(near)) + near @ near.T / ridge
        woodbury = (q - near.T @ np.linalg.solve(small, near @ q) / ridge) / ridge
        direct = np.linalg.solve(near.T @ near + ridge * np.eye(51), q)
        np.testing.assert_allclose(woodbury, direct, atol=1e-8)
        np.testing.assert_allclose(plane(model, side), sign * loss * direct, atol=1e-8)


def test_swapping_the_labels_swaps_the_planes(data):
    X, y = data
    c = {"c1": C["c2"], "c2": C["c1"], "c3": C["c4"], "c4": C["c3"]}
    one, other = WeightedLinearTwinSVC(**C).fit(X, y), WeightedLinearTwinSVC(**c).fit(X, 1 - y)
    np.testing.assert_allclose(plane(one, "plus"), -plane(other, "minus"), rtol=1e-10)
    np.testing.assert_allclose(plane(one, "minus"), -plane(other, "plus"), rtol=1e-10)


def test_planes_recover_two_parallel_lines(rng):
    along = rng.normal(size=(80, 1))
    y = np.repeat([0, 1], 40)
    X = along * [2.0, 1.0] + np.where(y == 1, 3.0, -3.0)[:, np.newaxis] * [-1.0, 2.0]
    model = WeightedLinearTwinSVC(c3=1e-8, c4=1e-8).fit(X, y)
    normal = np.array([-1.0, 2.0]) / np.sqrt(5)
    for side, label in (("plus", 1), ("minus", 0)):
        z = plane(model, side) / np.linalg.norm(plane(model, side)[:-1])
        assert abs(z[:2] @ normal) == pytest.approx(1.0, abs=1e-10)
        np.testing.assert_allclose(X[y == label] @ z[:2] + z[2], 0, atol=1e-6)
    assert model.score(X, y) == 1.0


def test_score_is_the_difference_of_perpendicular_distances(data):
    X, y = data
    model = WeightedLinearTwinSVC().fit(X, y)
    distances = [
        np.abs(X @ z[:-1] + z[-1]) / np.linalg.norm(z[:-1])
        for z in (plane(model, "minus"), plane(model, "plus"))
    ]
    np.testing.assert_allclose(model.decision_function(X), distances[0] - distances[1])


def test_losses_that_are_scaled_move_planes_only_through_the_weights(data):
    # With losses so small that no slack differs from one, nothing loses its weight.
    X, y = data
    small, smaller = (WeightedLinearTwinSVC(c, c).fit(X, y) for c in (1e-9, 1e-12))
    assert plane(small, "plus") == pytest.approx(1e3 * plane(smaller, "plus"), rel=1e-3)


def test_rotations_change_no_score(data, rng):
    X, y = data
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    scores = WeightedLinearTwinSVC().fit(X, y).decision_function(X)
    rotated = WeightedLinearTwinSVC().fit(X @ rotation, y).decision_function(X @ rotation)
    np.testing.assert_allclose(scores, rotated, atol=1e-10)


def test_balanced_does_not_mind_the_size_of_the_other_class(data):
    X, y = data
    rows = np.concatenate([np.arange(70), np.tile(np.flatnonzero(y == 0), 4)])
    one, other = (
        WeightedLinearTwinSVC(balanced=True).fit(X[r], y[r]) for r in (np.arange(70), rows)
    )
    np.testing.assert_allclose(plane(one, "plus"), plane(other, "plus"), rtol=1e-9)


@pytest.mark.parametrize("parameters", [{"c1": 0.0}, {"c4": -1.0}, {"scaling": "other"}])
def test_refuses_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        WeightedLinearTwinSVC(**parameters).fit([[0.0], [1.0]], [0, 1])
