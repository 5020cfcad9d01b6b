"""A population of directions -> scores (the paper's Algorithm 2).

With p the weighted share of samples classified correctly after the best cut and r the margin of
that cut, the objective of a direction of unit length is `p` while there are errors and `1 + r` when
there are none, less `l1 * (||w||_1 - 1)`. It is maximised; of equal objectives the one with the
wider margin is better.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.directions import unit_length
from optimargin.problem import Problem
from optimargin.threshold import Cuts, cut_projections, cutting_space

_CHUNK = 2**22  # projected values held at once


@dataclass(frozen=True, slots=True)
class Separator:
    """A linear rule in scaled coordinates: `x @ direction + intercept > 0` means positive."""

    direction: NDArray[np.float64]  # unit length
    intercept: float
    score: float  # p
    margin: float  # r
    objective: float

    @property
    def key(self) -> tuple[float, float]:
        """By which separators are ordered."""
        return self.objective, self.margin


@dataclass(slots=True)  # a frozen one takes three times as long to make, each generation
class Scores:
    """Scores of several directions, one entry each."""

    directions: NDArray[np.floating]  # unit length
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    threshold: NDArray[np.float64]
    sign: NDArray[np.int64]
    objective: NDArray[np.float64]

    def ranking(self) -> NDArray[np.intp]:
        """Indices from best to worst."""
        return np.lexsort((-self.margin, -self.objective))

    def best(self) -> int:
        """Index of the best direction."""
        return int(self.ranking()[0])

    def separator(self, index: int) -> Separator:
        """The separator that a direction and its cut make."""
        sign = float(self.sign[index])
        return Separator(
            direction=sign * np.asarray(self.directions[index], dtype=np.float64),
            intercept=-float(self.threshold[index]),
            score=float(self.score[index]),
            margin=float(self.margin[index]),
            objective=float(self.objective[index]),
        )


class Objective:
    """What the searches see of a problem."""

    def __init__(self, problem: Problem, l1: float = 0.0) -> None:
        self.problem = problem
        self.l1 = l1
        self.n_evaluations = 0
        self._space = cutting_space(problem.n_samples, problem.dtype)

    @property
    def n_dimensions(self) -> int:
        """Length of a direction."""
        return self.problem.n_features

    def score(self, directions: NDArray[np.floating]) -> Scores:
        """Score directions of any length, at unit length: shape (k, n)."""
        problem = self.problem
        directions = np.asarray(directions)
        if directions.ndim != 2 or directions.shape[1] != self.n_dimensions:
            raise ValueError(
                f"Directions of shape {directions.shape} were asked for; the optimizer must ask "
                f"for an array of shape (number of candidates, {self.n_dimensions})."
            )
        k = directions.shape[0]
        unit = np.empty(directions.shape, problem.dtype)
        l1_norms = np.empty(k)
        if not unit_length(directions, unit, l1_norms):
            raise ValueError(
                "A direction that is zero or not finite was asked for; the optimizer must ask "
                "for finite vectors that are not zero."
            )
        rows = max(1, _CHUNK // problem.n_samples)
        chunks = [
            cut_projections(
                problem.project(unit[first : first + rows]),
                problem.n_negative,
                problem.units,
                self._space,
            )
            for first in range(0, k, rows)
        ]
        cuts = chunks[0] if len(chunks) == 1 else Cuts.joined(chunks)
        self.n_evaluations += k
        threshold, margin, score, objective = cuts.rates(problem.units.total, self.l1, l1_norms)
        return Scores(unit, score, margin, threshold, cuts.sign, objective)
