"""Every search that has a name finds what there is to find."""

import numpy as np
import pytest

from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.population import (
    PopulationSearcher,
    default_max_generations,
    default_population_size,
)
from optimargin.search.registry import OPTIMIZERS, optimizer_factory

ALL = pytest.mark.parametrize("name", OPTIMIZERS)


def planted(n=8, m=300, distance=4.0, seed=0):
    """Two classes apart along one direction, which is returned too."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal(n)
    normal /= np.linalg.norm(normal)
    X = rng.standard_normal((n, m))
    X -= np.outer(normal, normal @ X)
    place = rng.uniform(0.5, 2.0, m)
    place[: m // 2] *= -1
    X += np.outer(normal, distance / 2 * place)
    return make_problem(X, m // 2, None, "balanced"), normal


def run(name, problem, generations, seed=0):
    rng = np.random.default_rng(seed)
    n = problem.n_features
    optimizer = optimizer_factory(name)(rng.standard_normal(n), default_population_size(n), rng)
    searcher, objective = PopulationSearcher(optimizer), Objective(problem)
    best = []
    for _ in range(generations):
        scores = searcher.advance(objective)
        best.append(scores.separator(scores.best()))
    return best


@ALL
def test_finds_the_planted_direction(name):
    problem, normal = planted()
    found = max(run(name, problem, 300), key=lambda separator: separator.key)
    assert found.score == 1.0
    assert found.direction @ normal > 0.95


@ALL
def test_margin_grows_on_separable_data(name):
    problem, normal = planted()
    keys = [separator.key for separator in run(name, problem, 300)]
    margins = [margin for objective, margin in keys if objective > 1]
    assert max(margins) > margins[0]
    assert max(margins) > 0.95 * Objective(problem).score(normal[None, :]).margin[0]


@ALL
def test_same_generator_same_search(name):
    problem, _ = planted(distance=0.5)
    one, other = run(name, problem, 40, seed=3), run(name, problem, 40, seed=3)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.direction, b.direction)
        assert a.key == b.key


@ALL
@pytest.mark.parametrize("population_size", [2, 3, 11])
def test_asks_for_what_was_ordered(name, population_size):
    problem, _ = planted(n=3)
    optimizer = OPTIMIZERS[name](np.ones(3), population_size, np.random.default_rng(0))
    objective = Objective(problem)
    for _ in range(50):
        directions = optimizer.ask()
        assert directions.shape == (population_size, 3)
        assert np.isfinite(directions).all()
        optimizer.tell(directions, objective.score(directions))


@ALL
def test_searches_do_not_share_state(name):
    problem, _ = planted(distance=0.5)
    alone = run(name, problem, 20, seed=1)
    rngs = [np.random.default_rng(1), np.random.default_rng(2)]
    population_size = default_population_size(8)
    searchers = [
        PopulationSearcher(OPTIMIZERS[name](rng.standard_normal(8), population_size, rng))
        for rng in rngs
    ]
    objective = Objective(problem)
    for before in alone:
        scores, _ = (searcher.advance(objective) for searcher in searchers)
        np.testing.assert_array_equal(scores.separator(scores.best()).direction, before.direction)


def test_budgets_are_those_of_the_paper():
    assert [default_population_size(n) for n in (1, 2, 9, 100)] == [4, 6, 10, 17]
    assert [default_max_generations(n) for n in (1, 9, 100)] == [104, 346, 693]


def test_a_step_size_is_not_required():
    class Bare:
        def ask(self):
            return np.ones((1, 8))

        def tell(self, directions, scores):
            pass

    searcher = PopulationSearcher(Bare())
    assert np.isnan(searcher.sigma)
    assert not searcher.finished
