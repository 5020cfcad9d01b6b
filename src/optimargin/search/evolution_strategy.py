"""A (mu, lambda) evolution strategy with self-adapted step sizes (Beyer and Schwefel, 2002)."""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.objective import Scores

# On the sphere all steps longer than this look alike, so that nothing would ever shorten them.
LARGEST_SIGMA = 1.0


class EvolutionStrategy:
    """Comma selection, mean recombination of parents and of step sizes, log-normal mutation.

    Parameters
    ----------
    start : ndarray of shape (n,)
        The first parent.
    population_size : int
        Offspring a generation; half of them become parents.
    rng : numpy.random.Generator
    """

    def __init__(
        self, start: NDArray[np.float64], population_size: int, rng: np.random.Generator
    ) -> None:
        self.rng = rng
        self.population_size = population_size
        self.parent = start / np.linalg.norm(start)
        self.sigma = 0.5
        self.learning_rate = 1 / math.sqrt(2 * start.size)

    def ask(self) -> NDArray[np.float64]:
        """Draw a generation."""
        k = self.population_size
        self.sigmas = self.sigma * np.exp(self.learning_rate * self.rng.standard_normal(k))
        mutations = self.rng.standard_normal((k, self.parent.size))
        self.offspring = self.parent + self.sigmas[:, None] * mutations
        self.offspring /= np.linalg.norm(self.offspring, axis=1, keepdims=True)
        return self.offspring

    def tell(self, directions: NDArray[np.floating], scores: Scores) -> None:
        """Learn from the scores of the generation last drawn."""
        parents = scores.ranking()[: max(1, self.population_size // 2)]
        parent = self.offspring[parents].mean(axis=0)
        self.parent = parent / np.linalg.norm(parent)
        # the geometric mean: under log-normal mutation the arithmetic one grows without selection
        mean = float(np.exp(np.log(self.sigmas[parents]).mean()))
        self.sigma = min(mean, LARGEST_SIGMA)
