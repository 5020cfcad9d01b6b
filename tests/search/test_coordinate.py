"""The coordinate search: passes until nothing is gained."""

import numpy as np
import pytest
from scipy import sparse

import reference
from optimargin.binary import Plan, fit_binary
from optimargin.lines import Lines
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.coordinate import CoordinateSearcher

SEED = np.random.SeedSequence(0)


def make(m=150, n=5, seed=0, container="dense", swap=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    X[m // 2 :] += 0.4 * rng.standard_normal(n)
    if container == "sparse":
        X[rng.random((m, n)) < 0.6] = 0.0
    if swap:
        X = np.vstack([X[m // 2 :], X[: m // 2]])
    features = sparse.csc_array(X) if container == "sparse" else np.ascontiguousarray(X.T)
    return make_problem(features, m - m // 2 if swap else m // 2, None, "balanced")


def searcher(problem, l1=0.0, seed=0, direction=None):
    objective = Objective(problem, l1)
    rng = np.random.default_rng(seed)
    if direction is None:
        direction = rng.standard_normal(problem.n_features)
    start = objective.score(direction[None, :]).separator(0)
    return CoordinateSearcher(Lines(problem, whiten=False), start, l1, rng), objective, start


@pytest.mark.parametrize("container", ["dense", "sparse"])
@pytest.mark.parametrize("l1", [0.0, 0.03])
def test_no_pass_loses(container, l1):
    for seed in range(6):
        search, objective, start = searcher(make(seed=seed, container=container), l1, seed)
        met = [start.objective]
        for _ in range(50):
            met.append(search.advance(objective).objective[0])
            if search.finished:
                break
        assert search.finished
        assert met == sorted(met)


@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_at_the_end_no_coordinate_can_be_improved(container):
    for seed in range(4):
        problem = make(seed=seed, container=container)
        search, objective, _ = searcher(problem, seed=seed)
        while not search.finished:
            search.advance(objective)
        X = problem.features.toarray() if problem.is_sparse else problem.features.T
        state = search.state
        weights = np.where(
            problem.signs > 0, problem.units.unit_positive, problem.units.unit_negative
        )
        for j in range(6):
            slopes = np.ones(len(X)) if j == 5 else X[:, j]
            intervals = reference.line_intervals(
                state.values, slopes, problem.signs > 0, weights, reference.projective(1.0)
            )
            assert max(one.correct for one in intervals if one.width > 1e-12) <= state.correct


def test_a_perfect_score_ends_the_search():
    X = np.array([[-2.0, 0.1], [-1.0, -0.3], [1.0, 0.2], [3.0, -0.1]])
    problem = make_problem(np.ascontiguousarray(X.T), 2, None, "balanced")
    search, objective, _ = searcher(problem, direction=np.array([0.2, 1.0]))
    scores = [search.advance(objective).score[0]]
    while not search.finished:
        scores.append(search.advance(objective).score[0])
    assert scores[-1] == 1.0
    assert len(scores) <= 3


def test_exchanged_classes_give_the_opposite_separator():
    for seed in range(5):
        direction = np.random.default_rng(seed).standard_normal(5)
        one, objective, _ = searcher(make(seed=seed), seed=seed, direction=direction)
        other, swapped, _ = searcher(make(seed=seed, swap=True), seed=seed, direction=-direction)
        for _ in range(3):
            first, second = one.advance(objective), other.advance(swapped)
            np.testing.assert_allclose(first.directions, -second.directions, atol=1e-12)
            assert first.score[0] == second.score[0]


def test_order_of_the_samples_does_not_matter():
    problem = make()
    order = np.concatenate([np.arange(75)[::-1], 75 + np.random.default_rng(0).permutation(75)])
    shuffled = make_problem(np.ascontiguousarray(problem.features[:, order]), 75, None, "balanced")
    plan = Plan("coordinate", ("mean_difference",))
    one, other = fit_binary(problem, plan, SEED), fit_binary(shuffled, plan, SEED)
    np.testing.assert_allclose(one.separator.direction, other.separator.direction, atol=1e-9)
    assert one.separator.score == other.separator.score
