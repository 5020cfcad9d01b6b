"""Ask/tell optimizers as searchers: ask, score, tell."""

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from optimargin.objective import Objective, Scores


class Optimizer(Protocol):
    """Proposes directions and learns from their scores.

    `sigma`, where there is one, is the present step size; it is recorded, and the search stops when
    it vanishes.
    """

    def ask(self) -> NDArray[np.floating]:
        """Directions of any length: shape (candidates, n)."""

    def tell(self, directions: NDArray[np.floating], scores: Scores) -> Any:
        """Learn from the scores of the directions last asked for, as they were asked for."""


OptimizerFactory = Callable[[NDArray[np.float64], int, np.random.Generator], Optimizer]


def default_population_size(n: int) -> int:
    """The paper's 4 + 3 ln n."""
    return 4 + int(3 * math.log(n))


def default_max_generations(n: int) -> int:
    """The paper's 150 ln(n + 1)."""
    return math.ceil(150 * math.log(n + 1))


class PopulationSearcher:
    """Drives an optimizer, one generation at a time."""

    def __init__(self, optimizer: Optimizer) -> None:
        for method in ("ask", "tell"):
            if not callable(getattr(optimizer, method, None)):
                raise TypeError(
                    f"The optimizer {optimizer!r} has no method {method}(); it must have ask() and "
                    "tell(directions, scores)."
                )
        self.optimizer = optimizer

    def advance(self, objective: Objective) -> Scores:
        """One generation."""
        directions = self.optimizer.ask()
        scores = objective.score(directions)
        self.optimizer.tell(directions, scores)
        return scores

    @property
    def sigma(self) -> float:
        """The optimizer's step size, NaN where it has none."""
        return float(getattr(self.optimizer, "sigma", math.nan))

    @property
    def finished(self) -> bool:
        """An optimizer can always ask for more."""
        return False
