"""CMA-ES: covariance matrix adaptation evolution strategy, on the sphere of directions.

Equations and default constants are those of Hansen's tutorial (arXiv 1604.00772) with positive
recombination weights. Two things are particular here. Only the direction of a candidate matters,
so samples are scored at unit length but the distribution is updated with the samples as drawn, and
after each generation mean and step size are divided by the mean's length. And the
eigendecomposition, which costs O(n^3), is postponed until the covariance has changed noticeably.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.evolution import update_distribution
from optimargin.objective import Scores


@dataclass(frozen=True)
class Constants:
    """Weights and learning rates for a dimension and a population size."""

    weights: NDArray[np.float64]
    effective: float  # variance-effective number of parents
    rate_sigma: float
    damping: float
    rate_path: float
    rate_one: float
    rate_mu: float

    @classmethod
    def default(cls, n: int, population_size: int) -> "Constants":
        """Hansen's choice."""
        parents = population_size // 2
        weights = math.log(population_size / 2 + 0.5) - np.log(np.arange(1, parents + 1))
        weights /= weights.sum()
        effective = float(1.0 / np.sum(weights**2))
        rate_sigma = (effective + 2) / (n + effective + 5)
        rate_one = 2 / ((n + 1.3) ** 2 + effective)
        return cls(
            weights=weights,
            effective=effective,
            rate_sigma=rate_sigma,
            damping=2 * effective / population_size + 0.3 + rate_sigma,
            rate_path=(4 + effective / n) / (n + 4 + 2 * effective / n),
            rate_one=rate_one,
            rate_mu=min(
                1 - rate_one,
                2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective),
            ),
        )

    def for_diagonal(self, n: int) -> "Constants":
        """Faster learning rates for a covariance of n instead of n^2 / 2 numbers."""
        faster = (n + 2) / 3
        rate_one = min(1.0, self.rate_one * faster)
        return Constants(
            self.weights,
            self.effective,
            self.rate_sigma,
            self.damping,
            self.rate_path,
            rate_one,
            min(1 - rate_one, self.rate_mu * faster),
        )


INITIAL_SIGMA = 0.5


class CmaEs:
    """Full covariance: the paper's choice.

    Parameters
    ----------
    start : ndarray of shape (n,)
        First mean.
    population_size : int
    rng : numpy.random.Generator
    """

    def __init__(
        self, start: NDArray[np.float64], population_size: int, rng: np.random.Generator
    ) -> None:
        n = start.size
        self.rng = rng
        self.population_size = population_size
        self.constants = Constants.default(n, population_size)
        self.mean = start / np.linalg.norm(start)
        self.sigma = INITIAL_SIGMA
        self.covariance = np.eye(n)
        self.root = np.eye(n)  # symmetric
        self.path_sigma = np.zeros(n)
        self.path_covariance = np.zeros(n)
        self.generation = 0
        self.normals = np.empty((population_size, n))
        self.steps = np.empty((population_size, n))
        change = self.constants.rate_one + self.constants.rate_mu
        self.postponed = max(1, round(1.0 / (change * n)))
        self._decomposed = 0

    def ask(self) -> NDArray[np.float64]:
        """Draw a generation."""
        if self.generation - self._decomposed >= self.postponed:
            self._decompose()
        self.rng.standard_normal(out=self.normals)
        np.matmul(self.normals, self.root, out=self.steps)
        return self.mean + self.sigma * self.steps

    def tell(self, directions: NDArray[np.floating], scores: Scores) -> None:
        """Learn from the scores of the generation last drawn."""
        self.generation += 1
        constants = self.constants
        sigma = update_distribution(
            self.mean,
            self.sigma,
            self.covariance,
            self.path_sigma,
            self.path_covariance,
            self.normals,
            self.steps,
            scores.ranking(),
            constants.weights,
            constants.effective,
            constants.rate_sigma,
            constants.damping,
            constants.rate_path,
            constants.rate_one,
            constants.rate_mu,
            self.generation,
        )
        length = math.sqrt(self.mean @ self.mean)
        self.mean /= length
        self.sigma = sigma / length

    def _decompose(self) -> None:
        values, basis = np.linalg.eigh(self.covariance)
        # rounding may leave the smallest eigenvalues at or below zero
        values = np.maximum(values, 1e-14 * values[-1])
        self.root = (basis * np.sqrt(values)) @ basis.T
        self._decomposed = self.generation


class SeparableCmaEs:
    """Diagonal covariance: O(n) a candidate, for many features.

    After Ros and Hansen, "A simple modification in CMA-ES achieving linear time and space
    complexity" (2008).
    """

    def __init__(
        self, start: NDArray[np.float64], population_size: int, rng: np.random.Generator
    ) -> None:
        n = start.size
        self.rng = rng
        self.population_size = population_size
        self.constants = Constants.default(n, population_size).for_diagonal(n)
        self.mean = start / np.linalg.norm(start)
        self.sigma = INITIAL_SIGMA
        self.variances = np.ones(n)
        self.path_sigma = np.zeros(n)
        self.path_covariance = np.zeros(n)
        self.generation = 0

    def ask(self) -> NDArray[np.float64]:
        """Draw a generation."""
        self.normals = self.rng.standard_normal((self.population_size, self.mean.size))
        self.steps = self.normals * np.sqrt(self.variances)
        return self.mean + self.sigma * self.steps

    def tell(self, directions: NDArray[np.floating], scores: Scores) -> None:
        """Learn from the scores of the generation last drawn."""
        self.generation += 1
        c = self.constants
        n = self.mean.size
        best = scores.ranking()[: c.weights.size]
        step = c.weights @ self.steps[best]
        white = c.weights @ self.normals[best]
        self.mean += self.sigma * step
        self.path_sigma *= 1 - c.rate_sigma
        self.path_sigma += math.sqrt(c.rate_sigma * (2 - c.rate_sigma) * c.effective) * white
        length = float(self.path_sigma @ self.path_sigma) / n
        started = 1 - (1 - c.rate_sigma) ** (2 * self.generation)
        moving = float(length / started < 2 + 4 / (n + 1))
        self.path_covariance *= 1 - c.rate_path
        self.path_covariance += (
            moving * math.sqrt(c.rate_path * (2 - c.rate_path) * c.effective) * step
        )
        kept = 1 - c.rate_one * (1 - (1 - moving) * c.rate_path * (2 - c.rate_path)) - c.rate_mu
        self.variances *= kept
        self.variances += c.rate_one * self.path_covariance**2
        self.variances += c.rate_mu * (c.weights @ self.steps[best] ** 2)
        self.sigma *= math.exp(min(1.0, c.rate_sigma / c.damping * (length - 1) / 2))
        norm = math.sqrt(self.mean @ self.mean)
        self.mean /= norm
        self.sigma /= norm
