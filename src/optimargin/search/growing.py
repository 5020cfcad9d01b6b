"""Search on a part of large data, and carry what it finds over to all rows.

Finding the right region needs few rows, the last word belongs to all of them. So a block of rounds
of the inner search runs on a subsample; if that found something better than before, it learns on
growing subsamples and ends with an exact pass over all rows. Each of these steps is a round of its
own, and whatever one finds is scored on all rows. The order of rounds does not depend on the
budget: more of it appends rounds.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from optimargin.lines import Lines
from optimargin.objective import Objective, Scores, Separator
from optimargin.search.coordinate import CoordinateSearcher
from optimargin.search.loop import Searcher

GROWTH = 8  # of the subsamples, the last of which is at most half of the rows
LATE_SHARPNESS = 16.0
LATE_STEPS = 8


class GrowingSearcher:
    """A searcher on a subsample, whose gains are carried over to all rows.

    Parameters
    ----------
    inner : Searcher
    inner_rounds : int
        Rounds of the inner searcher between two times that its gains are carried over.
    part : Objective
        The subsample that the inner searcher sees.
    first : Separator
        The best start on all rows.
    whiten : bool
        Whether learning uses the coordinates of the whitening metric.
    rng : numpy.random.Generator
    """

    sigma = math.nan

    def __init__(
        self,
        inner: Searcher,
        inner_rounds: int,
        part: Objective,
        first: Separator,
        whiten: bool,
        rng: np.random.Generator,
    ) -> None:
        self.inner = inner
        self.inner_rounds = inner_rounds
        self.part = part
        self.best = first
        self.whiten = whiten
        self.rng = rng
        self.finished = False
        self._rounds: Iterator[Scores] | None = None

    def default_rounds(self, n_samples: int, l1: float) -> int:
        """One block of the inner search, and what follows it."""
        return self.inner_rounds + len(self._sizes(n_samples, l1)) + 1

    def advance(self, objective: Objective) -> Scores:
        """A round of the inner search, of learning on a greater part, or a pass over all rows."""
        if self._rounds is None:
            self._rounds = self._schedule(objective)
        scores = next(self._rounds)
        found = scores.separator(scores.best())
        if found.key > self.best.key:
            self.best = found
        return scores

    def _schedule(self, objective: Objective) -> Iterator[Scores]:
        problem = objective.problem
        carried = (-math.inf, 0.0)
        while True:
            reached = carried
            for _ in range(self.inner_rounds):
                candidates = self.inner.advance(self.part)
                found = candidates.separator(candidates.best())
                reached = max(reached, found.key)
                self.finished = self.inner.finished and reached == carried
                yield objective.score(found.direction[None, :])
                if self.inner.finished:
                    break
            if reached == carried:
                continue
            carried = reached
            for rows in self._sizes(problem.n_samples, objective.l1):
                yield objective.score(self._learnt(objective, rows)[None, :])
            finish = CoordinateSearcher(
                Lines(problem, whiten=False), self.best, objective.l1, self.rng
            )
            self.finished = self.inner.finished
            yield finish.advance(objective)

    def _sizes(self, n_samples: int, l1: float) -> list[int]:
        """Rows of the subsamples to learn on; learning knows nothing of a penalty."""
        sizes: list[int] = []
        rows = GROWTH * self.part.problem.n_samples
        while 2 * rows <= n_samples and not l1:
            sizes.append(rows)
            rows *= GROWTH
        return sizes

    def _learnt(self, objective: Objective, rows: int) -> NDArray[np.float64]:
        """What the best separator becomes by learning on a greater part."""
        lines = Lines(objective.problem.subsample(rows, self.rng), self.whiten)
        state = lines.state(self.best.direction, self.best.intercept)
        return lines.direction(lines.learn(state, LATE_SHARPNESS, LATE_STEPS).theta)
