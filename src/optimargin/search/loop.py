"""The only loop: advance a searcher, keep the best, record, stop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optimargin.objective import Objective, Scores, Separator
from optimargin.search.stopping import Progress, Stopping

# A search counts as still improving when its score rose in this last part of its generations.
_LATE = 0.1


class Searcher(Protocol):
    """Improves separators; knows nothing of budgets, time or the best so far."""

    def advance(self, objective: Objective) -> Scores:
        """One generation, or one round of fixed length: the candidates it found."""

    @property
    def sigma(self) -> float:
        """Present step size, NaN where there is none."""

    @property
    def finished(self) -> bool:
        """Nothing left to try."""


History = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Outcome:
    """What a search came to."""

    separator: Separator
    stop_reason: str
    n_generations: int
    n_evaluations: int
    history: History
    still_improving: bool
    draws: NDArray[np.float64] | None = (
        None  # of an average: weights at unit length, intercept last
    )
    vote_slope: float | None = None
    inverse_temperature: float | None = None
    agreement: float | None = None


def run_search(
    searcher: Searcher,
    objective: Objective,
    first: Separator,
    stopping: Stopping,
    on_generation: Callable[[int], bool] | None = None,
) -> Outcome:
    """Improve on `first` until `stopping` says enough; never ends below it.

    `on_generation` is told the number of each finished generation; True from it ends the search.
    """
    best = first
    generation = last_improvement = last_better_score = 0
    scores: list[float] = []
    sigmas: list[float] = []
    evaluations: list[int] = []
    while True:
        progress = Progress(generation, last_improvement, searcher.sigma, searcher.finished)
        reason = stopping.reason(progress)
        if reason is not None:
            break
        generation += 1
        candidates = searcher.advance(objective)
        top = candidates.best()
        if (candidates.objective[top], candidates.margin[top]) > best.key:
            found = candidates.separator(top)
            if found.objective > best.objective:
                last_improvement = generation
            if found.score > best.score:
                last_better_score = generation
            best = found
        scores.append(best.score)
        sigmas.append(searcher.sigma)
        evaluations.append(objective.n_evaluations)
        if on_generation is not None and on_generation(generation):
            reason = "callback"
            break
    return Outcome(
        separator=best,
        stop_reason=reason,
        n_generations=generation,
        n_evaluations=objective.n_evaluations,
        history={
            "score": np.array(scores),
            "sigma": np.array(sigmas),
            "evaluations": np.array(evaluations, dtype=np.float64),
        },
        still_improving=last_better_score > (1 - _LATE) * generation,
    )
