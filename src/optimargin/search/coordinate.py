"""Coordinate search: exact moves along one feature after another, until nothing improves."""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.lines import Lines, State
from optimargin.objective import Objective, Scores, Separator


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
    rng : numpy.random.Generator
    """

    sigma = math.nan

    def __init__(self, lines: Lines, start: Separator, rng: np.random.Generator) -> None:
        self.lines = lines
        self.rng = rng
        self.state: State = lines.state(start.direction, start.intercept)
        self.finished = False

    def advance(self, objective: Objective) -> Scores:
        """One pass."""
        order: NDArray[np.intp] = self.rng.permutation(self.lines.n_dimensions + 1)
        before = self.state.correct
        self.state = self.lines.along_coordinates(self.state, order, "best", self.rng)
        self.finished = self.state.correct <= before
        return objective.score(self.lines.direction(self.state.theta)[None, :])
