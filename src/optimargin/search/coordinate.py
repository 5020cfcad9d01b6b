"""Coordinate search: exact moves along one feature after another, until nothing improves."""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.lines import Lines, State
from optimargin.objective import Objective, Scores, Separator

_ENOUGH = 1e-6


class CoordinateSearcher:
    """Passes over all coordinates in random order, the intercept among them.

    A move costs one column of the data; the values of the samples are updated in place and computed
    anew after every pass, so that they carry the rounding of one pass at most. On a perfect score,
    or after a pass without gain, the search is finished.

    Parameters
    ----------
    lines : Lines
        In the problem's own coordinates.
    start : Separator
    l1 : float
        Weight of the penalty; moves are exact with it, too.
    rng : numpy.random.Generator
    """

    sigma = math.nan

    def __init__(self, lines: Lines, start: Separator, l1: float, rng: np.random.Generator) -> None:
        self.lines = lines
        self.l1 = l1
        self.rng = rng
        self.objective = start.objective
        self.state: State = lines.state(start.direction, start.intercept)
        self.finished = False

    def advance(self, objective: Objective) -> Scores:
        """One pass."""
        order: NDArray[np.intp] = self.rng.permutation(self.lines.n_dimensions + 1)
        before = self.state.correct
        if self.l1:
            self.state = self.lines.along_coordinates_penalised(self.state, order, self.l1)
        else:
            self.state = self.lines.along_coordinates(self.state, order, "best", self.rng)
        scores = objective.score(self.lines.direction(self.state.theta)[None, :])
        # with a penalty every pass may creep a little nearer to the end of an interval
        gained = scores.objective[0] - self.objective
        self.objective = float(scores.objective[0])
        self.finished = gained < _ENOUGH if self.l1 else self.state.correct <= before
        return scores
