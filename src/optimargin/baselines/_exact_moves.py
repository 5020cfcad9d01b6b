"""Exact moves along the coordinates, for methods that improve a separator of their own."""

import numpy as np

from optimargin.baselines._base import BoolArray, FloatArray
from optimargin.lines import Lines
from optimargin.problem import make_problem


def climb(
    X: FloatArray,
    positive: BoolArray,
    costs: FloatArray,
    direction: FloatArray,
    intercept: float,
) -> tuple[FloatArray, float]:
    """Take the best step along one coordinate after the other until none lowers the 0-1 loss.

    Costs of zero are allowed. The separator returned is of unit length.
    """
    present = np.flatnonzero(costs > 0)
    present = present[np.argsort(positive[present], kind="stable")]
    n_negative = int(np.count_nonzero(~positive[present]))
    if n_negative in (0, len(present)):
        return np.zeros(X.shape[1]), 1.0 if n_negative == 0 else -1.0
    problem = make_problem(
        np.ascontiguousarray(X[present].T), n_negative, costs[present], (1.0, 1.0)
    )
    lines = Lines(problem, whiten=False)
    order = np.arange(problem.n_features + 1)
    chances = np.random.default_rng(0)  # asked for by the moves, but without effect on best ones
    state = lines.state(direction, intercept)
    while True:
        moved = lines.along_coordinates(state, order, "best", chances)
        if moved.correct <= state.correct:
            return lines.direction(state.theta), float(state.theta[-1])
        state = moved
