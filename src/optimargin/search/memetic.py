"""The memetic search: evolution outside, descent and exact moves inside.

An individual is a separator. It *learns*: it descends on a smooth 0-1 loss that is sharpened step
by step, which carries it past most of the small local optima. Then it *walks*: along random
directions it goes to a random point of all the places on the line where the training score is
greatest, found exactly. A walk never loses score, and on the plateaus of a piecewise constant loss
it finds the way up that a descent cannot see.

The first round founds the population: every start learns, and the best individual met becomes the
parent. Every later round makes a child: the parent is knocked off its place by a random step,
learns again from a medium sharpness on, and walks; if it is as good as the parent it takes its
place. Both happen in the coordinates of the whitening metric. When a separator without errors is
found, what remains is to widen its margin: the hard-margin support vector machine is approached by
squared-hinge machines of growing strength, and the search is finished.

A round has a fixed length and does not know the budget, so a greater budget appends rounds to the
same first ones.
"""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.lines import Lines, State
from optimargin.margin_loss import minimise_margin_loss, newton_affordable
from optimargin.objective import Objective, Scores, Separator
from optimargin.problem import Problem
from optimargin.starts import settled

FOUNDING_SHARPNESS = (2.0, 4.0, 8.0, 16.0)
CHILD_SHARPNESS = (8.0, 16.0, 32.0)
LEARNING_STEPS = 12
KNOCK = 0.5  # length of the random step, the parent's weights being 1
WALK_DIRECTIONS = 16  # random directions drawn at once
WALK_MOVES = 64
MARGIN_STRENGTHS = (1e2, 1e4, 1e6)


def default_rounds(problem: Problem) -> int:
    """Rounds of a search when no budget is given: more where they cost next to nothing."""
    size = problem.n_samples * problem.n_features
    return 1 if size > 20_000 else 2 + min(30, int((600 / size) ** 2))


class MemeticSearcher:
    """One parent, a child a round.

    Parameters
    ----------
    lines : Lines
    founders : list of Separator
        The starts, in the problem's coordinates.
    rng : numpy.random.Generator
    """

    def __init__(self, lines: Lines, founders: list[Separator], rng: np.random.Generator) -> None:
        self.lines = lines
        self.rng = rng
        self.founders = founders
        self.parent: State | None = None
        self.sigma = math.nan
        self.finished = False

    def advance(self, objective: Objective) -> Scores:
        """One round: found the population, or raise a child."""
        if self.parent is None:
            met = [state for founder in self.founders for state in self._found(founder)]
            child = max(met, key=lambda state: state.correct)
        else:
            met = self._raise_child(self.parent)
            child = max(met, key=lambda state: state.correct)
        walked, best = self._walk(child)
        if self.parent is None or walked.correct >= self.parent.correct:
            self.parent = walked
        thetas = [state.theta for state in met]
        thetas.append(walked.theta)
        thetas.append(best)
        scores = objective.score(np.array([self.lines.direction(theta) for theta in thetas]))
        total = self.lines.problem.units.total
        if not objective.l1 and (scores.score.max() == 1.0 or self.parent.correct == total):
            return self._widen_margin(objective, scores)
        return scores

    def _found(self, founder: Separator) -> list[State]:
        return self._learn(
            self.lines.state(founder.direction, founder.intercept), FOUNDING_SHARPNESS
        )

    def _raise_child(self, parent: State) -> list[State]:
        step = self.rng.standard_normal(parent.theta.size)
        theta = parent.theta + KNOCK / math.sqrt(step @ step) * step
        knocked = self.lines.state(self.lines.direction(theta), float(theta[-1]))
        return self._learn(knocked, CHILD_SHARPNESS)[1:]

    def _learn(self, state: State, sharpnesses: tuple[float, ...]) -> list[State]:
        met = [state]
        for sharpness in sharpnesses:
            met.append(self.lines.learn(met[-1], sharpness, LEARNING_STEPS))
        return met

    def _walk(self, state: State) -> tuple[State, NDArray[np.float64]]:
        """The state after the walk, and the best separator met on it."""
        best, best_correct = state.theta, state.correct
        moves = 0
        while moves < WALK_MOVES:
            directions = self.rng.standard_normal((WALK_DIRECTIONS, self.lines.n_dimensions))
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            state = self.lines.along_directions(state, directions, "plateau", self.rng)
            if state.best_correct > best_correct:
                best, best_correct = state.best_theta, state.best_correct
            moves += WALK_DIRECTIONS + 1
        return state, best

    def _widen_margin(self, objective: Objective, scores: Scores) -> Scores:
        self.finished = True
        problem = self.lines.problem
        # the stronger machines are within reach of Newton's method only
        strengths = MARGIN_STRENGTHS if newton_affordable(problem) else MARGIN_STRENGTHS[:1]
        machines: list[NDArray[np.float64]] = []
        theta = None
        for strength in strengths:
            theta = minimise_margin_loss(problem, "squared_hinge", strength, begin=theta)
            machines.append(settled(theta[:-1]))
        return objective.score(np.vstack([scores.directions, *machines]))
