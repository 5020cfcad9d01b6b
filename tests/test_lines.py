"""Moves of separators along lines: what they reach, in which coordinates, for which data."""

import numpy as np
import pytest
from scipy import sparse

import reference
from optimargin.lines import Lines
from optimargin.problem import make_problem

DIMENSIONS = 5

# A generator that puts a single direction before the intercept.
LINE_FIRST = next(
    seed for seed in range(99) if np.random.default_rng(seed).permutation(2).tolist() == [0, 1]
)


def make(m=90, n=DIMENSIONS, seed=0, container="dense", weighted=False, density=1.0, dtype=float):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) @ (np.eye(n) + 0.4 * rng.standard_normal((n, n)))
    X[m // 3 :] += 0.6 * rng.standard_normal(n)
    X[rng.random((m, n)) >= density] = 0.0
    X = X.astype(dtype)
    weights = rng.integers(1, 4, m).astype(float) if weighted else None
    features = sparse.csc_array(X) if container == "sparse" else np.ascontiguousarray(X.T)
    return make_problem(features, m // 3, weights, "balanced")


def samples(problem):
    """One row a sample, whatever the container."""
    if problem.is_sparse:
        return problem.features.toarray()
    return problem.features.T


def integer_weights(problem):
    units = problem.units
    single = units.weights if units.weights.size else np.ones(problem.n_samples, int)
    return np.where(problem.signs > 0, units.unit_positive, units.unit_negative) * single


def weigh(problem, direction, intercept):
    """Integer weight that a separator in the problem's coordinates calls rightly."""
    values = samples(problem) @ direction + intercept
    right = (values > 0) == (problem.signs > 0)
    return int(integer_weights(problem)[right].sum())


def start(lines, seed=1):
    rng = np.random.default_rng(seed)
    return lines.state(rng.standard_normal(lines.n_dimensions), 0.2)


def assert_consistent(lines, state):
    """Values and weight are those of the separator, whose weights have unit length."""
    direction, intercept = lines.direction(state.theta), state.theta[-1]
    values = samples(lines.problem) @ direction + intercept
    np.testing.assert_allclose(state.values, values, atol=1e-5 * np.abs(values).max())
    assert state.correct == weigh(lines.problem, direction, intercept)
    assert np.linalg.norm(state.theta[:-1]) == pytest.approx(1.0)


KINDS = {
    "plain": ({}, False),
    "whitened": ({}, True),
    "weighted": ({"weighted": True}, False),
    "whitened_weighted": ({"weighted": True}, True),
    "single_precision": ({"dtype": np.float32}, False),
    "sparse": ({"container": "sparse", "density": 0.3}, False),
}

kinds = pytest.mark.parametrize("kind", KINDS)


def lines_of(kind, seed=0):
    settings, whiten = KINDS[kind]
    return Lines(make(seed=seed, **settings), whiten)


@kinds
def test_a_state_is_its_separator(kind):
    lines = lines_of(kind)
    direction = np.random.default_rng(3).standard_normal(DIMENSIONS)
    state = lines.state(3.0 * direction, 0.75)
    assert_consistent(lines, state)
    # the same separator up to its length
    back = np.append(lines.direction(state.theta), state.theta[-1])
    given = np.append(3.0 * direction, 0.75)
    np.testing.assert_allclose(back / back[-1], given / given[-1], rtol=1e-9)
    copied = state.copy()
    copied.theta[0] += 1.0
    copied.values[0] += 1.0
    assert_consistent(lines, state)


def test_whitened_coordinates_are_uncorrelated():
    problem = make(weighted=True)
    lines = Lines(problem, whiten=True)
    values = np.array([lines.state(lines.direction(e), 0.0).values for e in np.eye(6)[:5]])
    np.testing.assert_allclose((values * problem.importance) @ values.T, np.eye(5), atol=1e-4)


@kinds
@pytest.mark.parametrize("choose", ["best", "plateau"])
def test_moves_never_lose(kind, choose):
    for seed in range(8):
        lines = lines_of(kind, seed)
        rng = np.random.default_rng(seed)
        state = start(lines, seed)
        for _ in range(4):
            order = rng.permutation(lines.n_dimensions + 1)
            moved = lines.along_coordinates(state, order, choose, rng)
            assert moved.correct >= state.correct
            assert moved.best_correct >= moved.correct
            assert_consistent(lines, moved)
            directions = rng.standard_normal((3, lines.n_dimensions))
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            state = lines.along_directions(moved, directions, choose, rng)
            assert state.correct >= moved.correct
            assert_consistent(lines, state)
            best = state.best_theta
            assert state.best_correct == weigh(lines.problem, lines.direction(best), best[-1])


@kinds
def test_a_move_along_a_coordinate_reaches_the_best_of_its_line(kind):
    lines = lines_of(kind)
    problem = lines.problem
    X = samples(problem)
    state = start(lines)
    for j in range(DIMENSIONS + 1):
        if j == DIMENSIONS:
            slopes = np.ones(problem.n_samples)
        else:
            slopes = X @ lines.direction(np.eye(DIMENSIONS + 1)[j])
        intervals = reference.line_intervals(
            state.values,
            slopes,
            problem.signs > 0,
            integer_weights(problem),
            reference.projective(1.0),
        )
        best = max(one.correct for one in intervals if one.width > 1e-9)
        state = lines.along_coordinates(state, np.array([j]), "best", np.random.default_rng(0))
        assert state.correct == best


@kinds
def test_a_move_along_a_direction_changes_nothing_across_it(kind):
    lines = lines_of(kind)
    before = start(lines)
    direction = np.array([[0.6, 0.0, 0.8, 0.0, 0.0]])
    after = lines.along_directions(before, direction, "best", np.random.default_rng(2))
    assert not np.array_equal(after.theta, before.theta)
    across = before.theta[:-1] - (before.theta[:-1] @ direction[0]) * direction[0]
    left = after.theta[:-1] - (after.theta[:-1] @ direction[0]) * direction[0]
    cosine = across @ left / np.linalg.norm(across) / np.linalg.norm(left)
    assert cosine == pytest.approx(1.0)


def test_whitened_and_plain_lines_reach_the_same_separators():
    problem = make(seed=4)
    plain, whitened = Lines(problem, whiten=False), Lines(problem, whiten=True)
    rng = np.random.default_rng(5)
    for _ in range(30):
        weights, v = rng.standard_normal(DIMENSIONS), rng.standard_normal(DIMENSIONS)
        the_same = whitened.direction(np.append(v, 0.0))
        intervals = reference.line_intervals(
            samples(problem) @ weights + 0.1,
            samples(problem) @ the_same,
            problem.signs > 0,
            integer_weights(problem),
            reference.projective(1.0),
        )
        best = max(one.correct for one in intervals if one.width > 1e-9)
        for lines, along in ((plain, the_same), (whitened, v)):
            along = along[None, :] / np.linalg.norm(along)
            moved = lines.along_directions(
                lines.state(weights, 0.1), along, "best", np.random.default_rng(LINE_FIRST)
            )
            assert moved.correct >= best  # the intercept, which comes second, may add to it
            reached = lines.direction(moved.theta)
            basis = np.column_stack([weights, the_same])
            within = basis @ np.linalg.lstsq(basis, reached, rcond=None)[0]
            np.testing.assert_allclose(reached, within, atol=1e-9 * np.abs(reached).max())


@pytest.mark.parametrize("density", [0.1, 0.5])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_sparse_and_dense_moves_agree(density, weighted):
    for seed in range(5):
        found = []
        for container in ("dense", "sparse"):
            problem = make(container=container, density=density, weighted=weighted, seed=seed)
            lines, rng = Lines(problem, whiten=False), np.random.default_rng(seed)
            state = start(lines)
            for _ in range(3):
                order = rng.permutation(DIMENSIONS + 1)
                state = lines.along_coordinates(state, order, "best", rng)
            directions = np.eye(DIMENSIONS)[rng.permutation(DIMENSIONS)]
            found.append(lines.along_directions(state, directions, "plateau", rng))
        np.testing.assert_allclose(found[0].theta, found[1].theta, atol=1e-9)
        assert found[0].correct == found[1].correct


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("choose", ["best", "plateau", "gibbs"])
def test_a_sample_of_weight_two_is_a_sample_given_twice(whiten, choose):
    weighted = make(weighted=True)
    times = np.rint(weighted.units.weights).astype(int)
    kept = np.repeat(np.arange(weighted.n_samples), times)
    repeated = make_problem(
        np.ascontiguousarray(weighted.features[:, kept]),
        int(times[: weighted.n_negative].sum()),
        None,
        "balanced",
    )
    found = []
    for problem in (weighted, repeated):
        lines, rng = Lines(problem, whiten), np.random.default_rng(0)
        state = start(lines)
        for _ in range(3):
            order = rng.permutation(DIMENSIONS + 1)
            state = lines.along_coordinates(state, order, choose, rng, beta=20.0)
        found.append((lines.direction(state.theta), state.theta[-1], state.correct))
    if choose != "gibbs":  # whose points depend on the number of buckets, and so of samples
        np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
        assert found[0][1] == pytest.approx(found[1][1], rel=1e-6)
    totals = weighted.units.total, repeated.units.total
    for (direction, intercept, correct), problem, total in zip(
        found, (weighted, repeated), totals, strict=True
    ):
        assert correct == weigh(problem, direction, intercept)
        shares = [weigh(p, direction, intercept) / p.units.total for p in (weighted, repeated)]
        assert shares == pytest.approx([correct / total] * 2, abs=1e-12)


# Learning


@kinds
def test_learning_lowers_the_smooth_loss(kind):
    lines = lines_of(kind)
    problem = lines.problem

    def loss(state, sharpness):
        centre = problem.importance @ state.values
        spread = np.sqrt(problem.importance @ (state.values - centre) ** 2)
        u = sharpness * problem.signs * state.values / spread
        return float(problem.importance @ (1 - u / np.sqrt(1 + u**2)) / 2)

    for sharpness in (2.0, 8.0):
        before = start(lines)
        after = lines.learn(before, sharpness, 12)
        assert_consistent(lines, after)
        assert loss(after, sharpness) < loss(before, sharpness) - 0.02
        np.testing.assert_array_equal(lines.learn(before, sharpness, 12).theta, after.theta)


def test_learning_without_any_spread_leaves_the_separator():
    problem = make_problem(np.ones((2, 6)), 3, None, "balanced")
    lines = Lines(problem, whiten=False)
    state = lines.state(np.array([1.0, 1.0]), 0.0)
    assert lines.learn(state, 8.0, 12) is state


# The penalty


def penalised(problem, theta, l1):
    weights = theta[:-1]
    share = weigh(problem, weights, theta[-1]) / problem.units.total
    return share - l1 * (np.abs(weights).sum() / np.linalg.norm(weights) - 1.0)


@pytest.mark.parametrize("kind", ["plain", "weighted", "sparse"])
@pytest.mark.parametrize("l1", [0.0, 0.01, 0.1])
def test_a_penalised_move_is_no_worse_than_any_point_of_a_grid(kind, l1):
    for seed in range(3):
        lines = lines_of(kind, seed)
        problem = lines.problem
        state = start(lines, seed)
        for j in np.random.default_rng(seed).permutation(DIMENSIONS + 1):
            moved = lines.along_coordinates_penalised(state, np.array([j]), l1)
            found = penalised(problem, moved.theta, l1)
            assert_consistent(lines, moved)
            assert found >= penalised(problem, state.theta, l1) - 1e-12
            axis = np.eye(DIMENSIONS + 1)[j]
            grid = [*np.tan(np.linspace(-1.5, 1.5, 301)), -state.theta[j]]
            best = max(penalised(problem, state.theta + tau * axis, l1) for tau in grid)
            # within a thousandth of the width of an interval the penalty differs by this at most
            assert found >= best - 2e-3 * l1
            state = moved


def test_a_strong_penalty_leaves_few_weights():
    lines = lines_of("plain")
    state = start(lines)
    order = np.arange(DIMENSIONS + 1)
    for _ in range(4):
        state = lines.along_coordinates_penalised(state, order, 0.5)
    largest = np.abs(state.theta[:-1]).max()
    assert np.sum(np.abs(state.theta[:-1]) > 1e-2 * largest) == 1
