"""Particle swarm optimisation with inertia (Bonyadi and Michalewicz, 2016, for a review)."""

import numpy as np
from numpy.typing import NDArray

from optimargin.objective import Scores

INERTIA = 0.71
ACCELERATION = 1.49
SPEED_LIMIT = 2.0  # a particle at unit length crosses the sphere in one step at this speed


class ParticleSwarm:
    """Every particle is drawn to its own best place and to the swarm's.

    Particles live on the sphere: they are put back to unit length after every step, and no velocity
    exceeds the sphere's diameter.

    Parameters
    ----------
    start : ndarray of shape (n,)
        The first particle; the others begin at random directions.
    population_size : int
    rng : numpy.random.Generator
    """

    def __init__(
        self, start: NDArray[np.float64], population_size: int, rng: np.random.Generator
    ) -> None:
        shape = (population_size, start.size)
        self.rng = rng
        self.positions = _on_sphere(rng.standard_normal(shape))
        self.positions[0] = start / np.linalg.norm(start)
        self.velocities = rng.standard_normal(shape) / np.sqrt(start.size)
        self.own_best = self.positions.copy()
        self.own_objective = np.full(population_size, -np.inf)
        self.own_margin = np.full(population_size, -np.inf)

    def ask(self) -> NDArray[np.float64]:
        """The particles where they are."""
        return self.positions

    def tell(self, directions: NDArray[np.floating], scores: Scores) -> None:
        """Learn from the scores of the generation last drawn."""
        better = (scores.objective > self.own_objective) | (
            (scores.objective == self.own_objective) & (scores.margin > self.own_margin)
        )
        # the sign that the cut chose is part of the direction: w and -w are the same separator
        oriented = self.positions * scores.sign[:, None]
        self.velocities *= scores.sign[:, None]
        self.own_best[better] = oriented[better]
        self.own_objective[better] = scores.objective[better]
        self.own_margin[better] = scores.margin[better]
        leader = self.own_best[np.lexsort((-self.own_margin, -self.own_objective))[0]]

        shape = self.positions.shape
        self.velocities *= INERTIA
        self.velocities += ACCELERATION * self.rng.random(shape) * (self.own_best - oriented)
        self.velocities += ACCELERATION * self.rng.random(shape) * (leader - oriented)
        speeds = np.linalg.norm(self.velocities, axis=1, keepdims=True)
        self.velocities *= np.minimum(1.0, SPEED_LIMIT / np.maximum(speeds, 1e-300))
        self.positions = _on_sphere(oriented + self.velocities)


def _on_sphere(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float64] = vectors / np.maximum(norms, 1e-300)
    return unit
