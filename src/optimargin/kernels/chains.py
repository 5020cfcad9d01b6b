"""Gibbs draws along lines in turn: by rejection and, where that has no luck, by sorting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels import gibbs, rare_gibbs


def gibbs_chain(
    lines: NDArray[np.floating],
    steps: NDArray[np.float64],
    values: NDArray[np.float64],
    orders: NDArray[np.intp],
    beta: float,
    rng: np.random.Generator,
    n_negative: int,
    weights: NDArray[np.int64],
    unit_negative: int,
    unit_positive: int,
    n_buckets: int,
    scales: NDArray[np.float64],
    intercept_slope: float = 1.0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Move along the lines of all `orders`; `steps`, `values` and `scales` in place.

    The arguments are those of `gibbs.gibbs_moves`; a step of 1 along the last line adds
    `intercept_slope` to all values. Returns the steps and the weight correct after each row of the
    orders.
    """
    visited = np.empty((len(orders), steps.size))
    correct = np.empty(len(orders), np.int64)
    weigh = weights, unit_negative, unit_positive
    cells, *space = gibbs.working_space(values.size, n_buckets, lines.dtype)
    space[-1].fill(intercept_slope)
    slopes_of: Any = [*lines, space[-1]]
    made, known_step = 0, gibbs.UNKNOWN_STEP
    while True:
        made = gibbs.gibbs_moves(
            lines, steps, values, orders, made, known_step, beta, rng, n_negative, *weigh, scales,
            visited, correct, cells, *space,
        )  # fmt: skip
        if made == orders.size:
            return visited, correct
        j = orders.flat[made]
        chances = rng.random(2)
        known_step = rare_gibbs.sorted_gibbs_position(
            values, slopes_of[j], steps[j], *weigh, beta, chances[0], chances[1], cells,
            *rare_gibbs.working_space(values.size),
        )  # fmt: skip
