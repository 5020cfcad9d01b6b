"""The population searches by name."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from optimargin.search.cma_es import CmaEs, SeparableCmaEs
from optimargin.search.evolution_strategy import EvolutionStrategy
from optimargin.search.particle_swarm import ParticleSwarm
from optimargin.search.population import Optimizer, OptimizerFactory

OPTIMIZERS: dict[str, OptimizerFactory] = {
    "cma_es": CmaEs,
    "separable_cma_es": SeparableCmaEs,
    "evolution_strategy": EvolutionStrategy,
    "particle_swarm": ParticleSwarm,
}

OptimizerChoice = str | Callable[[NDArray[np.float64], int, np.random.Generator], Optimizer]


def optimizer_factory(choice: OptimizerChoice) -> OptimizerFactory:
    """The factory that a name stands for, or the user's own."""
    return OPTIMIZERS[choice] if isinstance(choice, str) else choice
