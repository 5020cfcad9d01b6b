"""When a search ends: one rule each for budget, time, stagnation, step size and perfection."""

import time
from dataclasses import dataclass

SMALLEST_SIGMA = 1e-11


@dataclass(slots=True)
class Progress:
    """What the rules look at, after a generation."""

    generation: int
    last_improvement: int  # generation of it
    sigma: float
    finished: bool  # the searcher has nothing left to try


@dataclass(frozen=True)
class Stopping:
    """The ends that are set for a search; None sets none."""

    max_generations: int | None
    patience: int | None = None
    deadline: float | None = None  # on the clock of time.perf_counter

    def reason(self, progress: Progress) -> str | None:
        """Why to stop now, or None to go on."""
        if progress.finished:
            return "finished"
        if self.max_generations is not None and progress.generation >= self.max_generations:
            return "budget"
        if self.patience is not None and (
            progress.generation - progress.last_improvement >= self.patience
        ):
            return "patience"
        if progress.sigma < SMALLEST_SIGMA:
            return "sigma"
        if self.deadline is not None and time.perf_counter() >= self.deadline:
            return "time"
        return None
