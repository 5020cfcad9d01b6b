"""The evolution strategy, step by step."""

import math

import numpy as np
import pytest

from optimargin.objective import Scores
from optimargin.search.evolution_strategy import LARGEST_SIGMA, EvolutionStrategy


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
        sigma = min(LARGEST_SIGMA, math.prod(sigmas[i] for i in parents) ** (1 / len(parents)))
        np.testing.assert_allclose(search.parent, parent)
        assert search.sigma == pytest.approx(sigma)


@pytest.mark.parametrize("population_size", [2, 3])
def test_smallest_populations_have_a_parent(population_size):
    search = EvolutionStrategy(np.ones(4), population_size, np.random.default_rng(1))
    directions = search.ask()
    search.tell(directions, scores_of(np.arange(float(population_size)), directions))
    np.testing.assert_allclose(search.parent, directions[-1])


def test_good_steps_make_themselves_felt():
    # the greater the mutation, the better: the step size must grow to its limit; and the reverse
    for factor in (1, -1):
        search = EvolutionStrategy(np.ones(5), 20, np.random.default_rng(2))
        for _ in range(30):
            directions = search.ask()
            search.tell(directions, scores_of(factor * search.sigmas, directions))
        assert search.sigma == LARGEST_SIGMA if factor == 1 else search.sigma < 0.01


def test_step_size_has_no_drift_of_its_own():
    rng = np.random.default_rng(3)
    search = EvolutionStrategy(np.ones(20), 50, rng)
    search.sigma = 1e-3
    logs = []
    for _ in range(400):
        directions = search.ask()
        search.tell(directions, scores_of(rng.standard_normal(50), directions))
        logs.append(np.log(search.sigma))
    # without selection the logarithm walks at random: 400 steps of 1 / sqrt(2 n parents)
    assert abs(logs[-1] - np.log(1e-3)) < 4 * np.sqrt(400 / (2 * 20 * 25))
