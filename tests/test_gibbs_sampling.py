"""Gibbs moves as a sampler: the cells that independent chains end in, against exact shares.

A cell is the set of separators that label the samples alike. Many chains run from one and the same
bad start, only the last state of each is looked at, and the cells are counted. A wrong temperature,
a wrong prior or a wrong centre of a line shows as a large chi-square.
"""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2, chisquare, kstest

import reference
from optimargin.lines import Lines
from optimargin.problem import make_problem

CHAINS = 7000
SWEEPS = 12


def make(X, n_negative, weights=None):
    return make_problem(np.ascontiguousarray(X.T), n_negative, weights, "balanced")


ONE_FEATURE = np.array([[-1.2], [0.1], [0.8], [-0.3], [0.5], [1.9]])
TWO_FEATURES = np.array(
    [[-1.0, 0.3], [0.2, -0.8], [0.7, 1.1], [-0.4, 0.6], [0.9, 0.2], [1.5, -1.3]]
)


def last_states(problem, move, chains=CHAINS, seed=0):
    """Chains of their own from the separator that is wrong wherever it can be."""
    lines = Lines(problem, whiten=False)
    start = lines.state(-np.ones(problem.n_features), 0.5)
    rng = np.random.default_rng(seed)
    return np.array([move(lines, start, rng).theta for _ in range(chains)])


def along_coordinates(beta):
    def move(lines, state, rng):
        order = np.concatenate([rng.permutation(lines.n_dimensions + 1) for _ in range(SWEEPS)])
        return lines.along_coordinates(state, order, "gibbs", rng, beta)

    return move


def along_directions(beta, at_once):
    def move(lines, state, rng):
        for _ in range(2 * SWEEPS // at_once):
            directions = rng.standard_normal((at_once, lines.n_dimensions))
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            state = lines.along_directions(state, directions, "gibbs", rng, beta)
        return state

    return move


def p_value(X, problem, thetas, beta):
    """Of the counts of cells, under the exact shares."""
    shares = reference.gibbs_separator_cells(X, problem.signs > 0, problem.importance, beta)
    found = Counter((row > 0).tobytes() for row in thetas[:, :-1] @ X.T + thetas[:, -1:])
    assert set(found) <= set(shares), "a cell that no separator makes"
    patterns = sorted(shares, key=shares.__getitem__)
    expected = np.array([shares[pattern] for pattern in patterns]) * len(thetas)
    counts = np.array([found[pattern] for pattern in patterns])
    while expected[0] < 8:  # the rarest together
        expected = np.append(expected[0] + expected[1], expected[2:])
        counts = np.append(counts[0] + counts[1], counts[2:])
    assert expected.size > 4
    return chisquare(counts, expected).pvalue


@pytest.mark.parametrize(("beta", "another"), [(1.0, 2.0), (10.0, 11.0)])
@pytest.mark.parametrize("X", [ONE_FEATURE, TWO_FEATURES], ids=["one_feature", "two_features"])
def test_chains_along_coordinates_visit_cells_by_their_probability(X, beta, another):
    problem = make(X, 3)
    thetas = last_states(problem, along_coordinates(beta))
    assert p_value(X, problem, thetas, beta) > 1e-3
    assert p_value(X, problem, thetas, another) < 1e-3  # the counts can tell


@pytest.mark.parametrize("at_once", [1, 3])
def test_chains_along_directions_visit_cells_by_their_probability(at_once):
    problem = make(TWO_FEATURES, 3)
    thetas = last_states(problem, along_directions(10.0, at_once), chains=1500)
    assert p_value(TWO_FEATURES, problem, thetas, 10.0) > 1e-3


def test_sample_weights_shift_the_probabilities():
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    problem = make(TWO_FEATURES, 3, weights)
    thetas = last_states(problem, along_coordinates(6.0))
    assert p_value(TWO_FEATURES, problem, thetas, 6.0) > 1e-3
    assert p_value(TWO_FEATURES, make(TWO_FEATURES, 3), thetas, 6.0) < 1e-3


@pytest.mark.parametrize("moves", ["coordinates", "directions"])
def test_the_length_of_the_separators_is_the_priors(moves):
    # p does not change with the length of (w, b), which is therefore distributed as in the prior
    problem = make(TWO_FEATURES, 3)
    move = along_coordinates(10.0) if moves == "coordinates" else along_directions(10.0, 3)
    thetas = last_states(problem, move, chains=1000)
    squares = np.sum(thetas**2, axis=1)
    assert kstest(squares, chi2(3).cdf).pvalue > 1e-3


def test_the_distribution_is_left_as_it_is():
    # started in it, a chain stays in it from the first sweep on
    beta = 10.0
    problem = make(TWO_FEATURES, 3)
    lines = Lines(problem, whiten=False)
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((300_000, 3))
    right = (drawn[:, :-1] @ TWO_FEATURES.T + drawn[:, -1:] > 0) == (problem.signs > 0)
    accepted = drawn[rng.random(len(drawn)) < np.exp(beta * (right @ problem.importance - 1.0))]
    assert len(accepted) > 2000
    assert p_value(TWO_FEATURES, problem, accepted, beta) > 1e-3
    after = []
    for theta in accepted:
        state = lines.state(theta[:-1], theta[-1])
        length = math.sqrt(theta[:-1] @ theta[:-1])
        state.theta, state.values = theta, state.values * length
        after.append(lines.along_coordinates(state, rng.permutation(3), "gibbs", rng, beta).theta)
    after = np.array(after)
    assert np.all(np.any(after != accepted, axis=1))
    assert p_value(TWO_FEATURES, problem, after, beta) > 1e-3
    assert kstest(np.sum(after**2, axis=1), chi2(3).cdf).pvalue > 1e-3


def test_at_a_very_high_inverse_temperature_chains_move_and_only_to_what_is_as_good():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    X[30:] += 0.5
    lines = Lines(make(X, 30), whiten=False)
    start = state = lines.state(-np.ones(2), 0.5)
    for _ in range(20):
        order = rng.permutation(3)
        moved = lines.along_coordinates(state, order, "gibbs", rng, 1e6)
        assert np.all(moved.theta != state.theta)
        assert moved.correct >= state.correct
        state = moved
    assert state.correct > start.correct


def test_cells_of_the_prior_by_drawing_it():
    # the oracle itself
    rng = np.random.default_rng(1)
    for X in (ONE_FEATURE, TWO_FEATURES):
        shares = reference.separator_cells(X)
        assert math.fsum(shares.values()) == pytest.approx(1.0)
        drawn = rng.standard_normal((200_000, X.shape[1] + 1))
        found = Counter((row > 0).tobytes() for row in drawn[:, :-1] @ X.T + drawn[:, -1:])
        assert set(found) <= set(shares)
        for pattern, share in shares.items():
            assert found[pattern] / len(drawn) == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("spread", [0.2, 1.0, 4.0])
def test_without_any_information_draws_have_the_priors_spread(spread):
    problem = make(np.random.default_rng(0).standard_normal((30, 3)), 12)
    lines = Lines(problem, whiten=False)
    orders = np.tile(np.arange(4), (4000, 1))
    visited, _, state = lines.sample(
        lines.state(np.ones(3), 0.7), orders, np.random.default_rng(1), 1e-9, None, spread
    )
    for column, expected in zip(visited.T, (1.0, 1.0, 1.0, spread), strict=True):
        assert kstest(column / expected, "norm").pvalue > 1e-3
    np.testing.assert_array_equal(state.theta, visited[-1])


def test_a_wider_prior_of_the_intercept_leaves_the_score_in_its_place():
    problem = make(TWO_FEATURES, 3)
    lines = Lines(problem, whiten=False)
    start = lines.state(-np.ones(2), 0.5)
    rng = np.random.default_rng(4)
    orders = np.tile(np.arange(3), (20_000, 1))
    visited, correct, _ = lines.sample(start, orders, rng, 6.0, None, 3.0)
    signs = problem.signs
    shares = ((visited[:, :2] @ TWO_FEATURES.T + visited[:, 2:]) * signs > 0).mean(axis=1)
    np.testing.assert_allclose(correct / problem.units.total, shares, atol=1e-12)
    # weighting draws of the prior gives the same mean score
    prior = rng.standard_normal((400_000, 3)) * [1.0, 1.0, 3.0]
    scores = ((prior[:, :2] @ TWO_FEATURES.T + prior[:, 2:]) * signs > 0).mean(axis=1)
    expected = np.average(scores, weights=np.exp(6.0 * scores))
    assert shares[100:].mean() == pytest.approx(expected, abs=0.01)
