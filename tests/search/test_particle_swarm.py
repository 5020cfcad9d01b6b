"""The particle swarm, step by step."""

import numpy as np
import pytest

from optimargin.objective import Objective, Scores
from optimargin.problem import make_problem
from optimargin.search.particle_swarm import ACCELERATION, INERTIA, SPEED_LIMIT, ParticleSwarm


def scores_of(values, directions, signs=None):
    zeros = np.zeros(len(values))
    signs = np.ones(len(values), np.int64) if signs is None else signs
    return Scores(directions, values, zeros, zeros, signs, values)


def test_steps_are_those_of_the_definition():
    n, k = 5, 7
    swarm = ParticleSwarm(np.ones(n), k, np.random.default_rng(0))
    positions, velocities = swarm.positions.copy(), swarm.velocities.copy()
    mirror = np.random.Generator(np.random.PCG64())
    mirror.bit_generator.state = swarm.rng.bit_generator.state
    own, own_values = positions.copy(), np.full(k, -np.inf)
    for _ in range(25):
        asked = swarm.ask()
        np.testing.assert_allclose(asked, positions, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(np.linalg.norm(asked, axis=1), 1.0)
        values = np.sin(9 * positions[:, 0]) + positions[:, 1]
        swarm.tell(asked, scores_of(values, asked))
        for i in range(k):
            if values[i] > own_values[i]:
                own[i], own_values[i] = positions[i], values[i]
        leader = own[np.argmax(own_values)]
        to_own, to_leader = mirror.random((k, n)), mirror.random((k, n))
        for i in range(k):
            velocities[i] = (
                INERTIA * velocities[i]
                + ACCELERATION * to_own[i] * (own[i] - positions[i])
                + ACCELERATION * to_leader[i] * (leader - positions[i])
            )
            speed = np.linalg.norm(velocities[i])
            if speed > SPEED_LIMIT:
                velocities[i] *= SPEED_LIMIT / speed
            positions[i] += velocities[i]
            positions[i] /= np.linalg.norm(positions[i])
        np.testing.assert_allclose(swarm.velocities, velocities, rtol=1e-10, atol=1e-12)


def test_velocities_stay_bounded():
    swarm = ParticleSwarm(np.ones(3), 6, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for _ in range(200):
        swarm.velocities *= 10
        swarm.tell(swarm.ask(), scores_of(rng.standard_normal(6), swarm.positions))
        assert np.linalg.norm(swarm.velocities, axis=1).max() <= SPEED_LIMIT * (1 + 1e-12)


def test_a_particle_and_its_opposite_are_the_same_separator():
    # where the cut turned the direction round, the particle goes on from the other side
    swarm = ParticleSwarm(np.ones(3), 4, np.random.default_rng(3))
    asked = swarm.ask().copy()
    swarm.tell(asked, scores_of(np.arange(4.0), asked, np.array([-1, 1, -1, 1])))
    np.testing.assert_allclose(swarm.own_best, asked * [[-1], [1], [-1], [1]])


def test_own_best_is_replaced_by_the_wider_margin():
    swarm = ParticleSwarm(np.ones(3), 2, np.random.default_rng(4))
    first = swarm.ask().copy()
    values, signs = np.full(2, 0.7), np.ones(2, np.int64)
    swarm.tell(first, Scores(first, values, np.array([0.2, 0.2]), values, signs, values))
    second = swarm.ask().copy()
    swarm.tell(second, Scores(second, values, np.array([0.1, 0.3]), values, signs, values))
    np.testing.assert_allclose(swarm.own_best[0], first[0])
    np.testing.assert_allclose(swarm.own_best[1], second[1])


def test_the_swarm_gathers():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((4, 400))
    X[0, 200:] += 3.0
    objective = Objective(make_problem(X, 200, None, "balanced"))
    swarm = ParticleSwarm(rng.standard_normal(4), 10, rng)
    for _ in range(200):
        directions = swarm.ask()
        swarm.tell(directions, objective.score(directions))
    assert abs(swarm.own_best[:, 0]).min() > 0.8
    assert swarm.own_objective.max() == pytest.approx(0.93, abs=0.04)
