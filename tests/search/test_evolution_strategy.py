"""The evolution strategy, step by step."""

import numpy as np
import pytest

from optimargin.objective import Scores
from optimargin.search.evolution_strategy import EvolutionStrategy


def scores_of(values, directions):
    zeros = np.zeros(len(values))
    return Scores(directions, values, zeros, zeros, zeros.astype(np.int64), values)


def test_steps_are_those_of_the_definition():
    n, k = 6, 8
    search = EvolutionStrategy(np.arange(1.0, n + 1), k, np.random.default_rng(0))
    mirror = np.random.default_rng(0)
    parent = np.arange(1.0, n + 1) / np.linalg.norm(np.arange(1.0, n + 1))
    sigma = search.sigma
    for generation in range(20):
        sigmas = sigma * np.exp(mirror.standard_normal(k) / np.sqrt(2 * n))
        offspring = np.array(
            [
                parent + own * mutation
                for own, mutation in zip(sigmas, mirror.standard_normal((k, n)), strict=True)
            ]
        )
        offspring = np.array([child / np.linalg.norm(child) for child in offspring])
        np.testing.assert_allclose(search.ask(), offspring)

        values = np.cos(5 * offspring[:, 0]) + generation * offspring[:, 1]
        search.tell(offspring, scores_of(values, offspring))
        parents = np.argsort(-values)[: k // 2]
        # comma selection: the former parent is gone, however good it was
        parent = sum(offspring[i] for i in parents) / len(parents)
        parent /= np.linalg.norm(parent)
        sigma = sum(sigmas[i] for i in parents) / len(parents)
        np.testing.assert_allclose(search.parent, parent)
        assert search.sigma == pytest.approx(sigma)


@pytest.mark.parametrize("population_size", [2, 3])
def test_smallest_populations_have_a_parent(population_size):
    search = EvolutionStrategy(np.ones(4), population_size, np.random.default_rng(1))
    directions = search.ask()
    search.tell(directions, scores_of(np.arange(float(population_size)), directions))
    np.testing.assert_allclose(search.parent, directions[-1])


def test_good_steps_make_themselves_felt():
    # the greater the mutation, the better: the step size must grow
    search = EvolutionStrategy(np.ones(5), 20, np.random.default_rng(2))
    before = search.sigma
    for _ in range(30):
        directions = search.ask()
        search.tell(directions, scores_of(search.sigmas, directions))
    assert search.sigma > 2 * before
