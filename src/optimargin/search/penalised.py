"""The memetic search with an L1 penalty: a parent, children, exact penalised moves.

Learning on a smooth loss knows nothing of the penalty, whose good places are sharp corners: few
weights that are not zero. So the founders are the starts cut down to their largest weights, and
every single feature; a child is the parent knocked off its place with some of its weights set to
zero; and what improves them are passes of coordinate moves that are exact for score and penalty
together.
"""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.lines import Lines, State
from optimargin.objective import Objective, Scores

FOUNDERS = 3
CHILD_PASSES = 2
KNOCK = 0.5
DEFAULT_ROUNDS = 8
_MOST_SINGLE_FEATURES = 500


class PenalisedMemeticSearcher:
    """One parent, a child a round.

    Parameters
    ----------
    lines : Lines
        In the problem's own coordinates.
    starts : ndarray of shape (k, n)
        Directions to begin with.
    l1 : float
    rng : numpy.random.Generator
    """

    sigma = math.nan
    finished = False

    def __init__(
        self,
        lines: Lines,
        starts: NDArray[np.float64],
        l1: float,
        rng: np.random.Generator,
    ) -> None:
        self.lines = lines
        self.starts = starts
        self.l1 = l1
        self.rng = rng
        self.parent: NDArray[np.float64] | None = None
        self.parent_objective = -math.inf

    def advance(self, objective: Objective) -> Scores:
        """One round: the founders, or a child."""
        if self.parent is None:
            founders = objective.score(self._founders())
            best = [founders.separator(index) for index in founders.ranking()[:FOUNDERS]]
            states = [self.lines.state(one.direction, one.intercept) for one in best]
        else:
            states = [self._child(self.parent)]
        scores = objective.score(
            np.array([self.lines.direction(self._improved(state).theta) for state in states])
        )
        top = scores.best()
        if scores.objective[top] >= self.parent_objective:
            separator = scores.separator(top)
            self.parent = np.append(separator.direction, separator.intercept)
            self.parent_objective = float(scores.objective[top])
        return scores

    def _founders(self) -> NDArray[np.float64]:
        n = self.lines.n_dimensions
        founders = [self.starts]
        kept = 2
        while kept < n:
            for start in self.starts:
                smallest = np.argsort(np.abs(start), kind="stable")[: n - kept]
                cut_down = start.copy()
                cut_down[smallest] = 0.0
                if cut_down.any():
                    founders.append(cut_down[None, :])
            kept *= 2
        if n <= _MOST_SINGLE_FEATURES:
            founders.append(np.eye(n))
        return np.vstack(founders)

    def _child(self, parent: NDArray[np.float64]) -> State:
        weights = parent[:-1].copy()
        step = self.rng.standard_normal(weights.size)
        weights += KNOCK / math.sqrt(step @ step) * step
        # the weights that are zero stay so, and one more of the others may join them
        zero = parent[:-1] == 0.0
        zero |= self.rng.random(weights.size) < 1.0 / max(weights.size - zero.sum(), 2)
        if not zero.all():
            weights[zero] = 0.0
        return self.lines.state(weights, float(parent[-1]))

    def _improved(self, state: State) -> State:
        for _ in range(CHILD_PASSES):
            order: NDArray[np.intp] = self.rng.permutation(self.lines.n_dimensions + 1)
            state = self.lines.along_coordinates_penalised(state, order, self.l1)
        return state
