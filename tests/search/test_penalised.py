"""The memetic search with an L1 penalty, against a fine grid of all directions."""

import numpy as np
import pytest

from optimargin.binary import Plan, fit_binary
from optimargin.lines import Lines
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.penalised import PenalisedMemeticSearcher


def make(m=80, n=2, seed=0, gap=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    y = np.arange(m) >= m // 2
    direction = rng.standard_normal(n)
    X[y] += 0.8 * direction
    if gap:
        X[y] += gap * direction / np.linalg.norm(direction)
        X[~y] -= gap * direction / np.linalg.norm(direction)
    return make_problem(np.ascontiguousarray(X.T), m // 2, None, "balanced")


def seed(number):
    return np.random.SeedSequence(number)


def best_of_grid(problem, l1, n_angles=7200):
    angles = np.arange(n_angles) * np.pi / n_angles
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    directions[np.abs(directions) < 1e-12] = 0.0
    scores = Objective(problem, l1).score(directions)
    return scores.objective[scores.best()]


@pytest.mark.parametrize("l1", [0.01, 0.1])
def test_two_features_are_solved_nearly_as_well_as_by_a_grid(l1):
    # the moves are exact, the search is not: at least 90 % of its ends are within 0.005
    gaps = []
    for number in range(8):
        problem = make(seed=number)
        best = best_of_grid(problem, l1)
        for state in range(3):
            found = fit_binary(problem, Plan("memetic", ("auto",), l1=l1), seed(state))
            gaps.append(best - found.separator.objective)
    assert np.mean(np.array(gaps) < 0.005) >= 0.9
    assert max(gaps) < 0.012


@pytest.mark.parametrize("l1", [0.01, 0.1])
def test_without_errors_the_margin_is_weighed_against_the_penalty(l1):
    for number in range(6):
        problem = make(seed=number, gap=3.0)
        best = best_of_grid(problem, l1)
        assert best > 1.0
        found = fit_binary(problem, Plan("memetic", ("auto",), l1=l1), seed(0))
        assert found.separator.score == 1.0
        assert found.separator.objective >= best - 0.02


def test_never_below_its_starts_and_more_budget_never_less():
    for number in range(5):
        problem = make(m=150, n=8, seed=number)
        given = np.random.default_rng(number).standard_normal((3, 8))
        starts = Objective(problem, 0.05).score(given)
        keys = [
            fit_binary(
                problem, Plan("memetic", (), l1=0.05, max_generations=budget), seed(1), given
            ).separator.key
            for budget in (0, 1, 2, 5, 12)
        ]
        assert keys[0] >= starts.separator(starts.best()).key
        assert keys == sorted(keys)


def test_the_parent_never_gets_worse_and_the_same_seed_gives_the_same_bits():
    problem = make(m=150, n=8, seed=2)
    runs = []
    for _ in range(2):
        objective = Objective(problem, 0.03)
        starts = np.random.default_rng(0).standard_normal((2, 8))
        search = PenalisedMemeticSearcher(
            Lines(problem, whiten=False), starts, 0.03, np.random.default_rng(4)
        )
        parents, met = [], []
        for _ in range(8):
            met.append(search.advance(objective).objective.max())
            parents.append(search.parent_objective)
        assert parents == sorted(parents)
        assert parents[-1] >= max(met)
        runs.append(search.parent)
    np.testing.assert_array_equal(*runs)


def test_only_the_features_that_matter_keep_weights():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 12))
    y = X[:, 3] - X[:, 7] + 0.3 * rng.standard_normal(300) > 0
    order = np.argsort(y, kind="stable")
    problem = make_problem(np.ascontiguousarray(X[order].T), int(np.sum(~y)), None, "balanced")
    found = fit_binary(problem, Plan("memetic", ("auto",), l1=0.3), seed(0)).separator
    assert np.flatnonzero(found.direction).tolist() == [3, 7]
    assert found.score > 0.85
