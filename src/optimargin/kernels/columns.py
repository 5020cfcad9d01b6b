"""Range and moments of all columns of a table, in one pass over its rows."""

from typing import Any

from optimargin.kernels.compilation import VECTORISED, compiled


@compiled()
def widen_ranges(block: Any, low: Any, high: Any) -> None:
    """Take the values of a block of rows into the least and greatest value of every column."""
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            low[j] = min(low[j], block[i, j])
            high[j] = max(high[j], block[i, j])


@compiled(VECTORISED)
def add_moments(
    block: Any, weights: Any, factors: Any, total: float, mean: Any, squares: Any, space: Any
) -> Any:
    """Take a block of rows into the weighted moments of `factors` times every column.

    `mean` and the sum of `squares` about it are of rows whose weights add up to `total`; returns
    the new total. The block's own moments are found first and joined then, so that a large mean
    costs no digits. `space`, three rows as long as the mean, is worked in.
    """
    n = block.shape[1]
    own_mean = space[0]
    own_squares = space[1]
    rest = space[2]  # what rounding has left out of the mean
    for j in range(n):
        own_mean[j] = own_squares[j] = rest[j] = 0.0
    own_total = 0.0
    for i in range(block.shape[0]):
        own_total += weights[i]
        for j in range(n):
            own_mean[j] += weights[i] * (factors[j] * block[i, j])
    if own_total == 0.0:
        return total
    for j in range(n):
        own_mean[j] /= own_total
    for i in range(block.shape[0]):
        for j in range(n):
            away = factors[j] * block[i, j] - own_mean[j]
            own_squares[j] += weights[i] * (away * away)
            rest[j] += weights[i] * away
    together = total + own_total
    for j in range(n):
        own_mean[j] += rest[j] / own_total
        own_squares[j] -= rest[j] * rest[j] / own_total
        away = own_mean[j] - mean[j]
        mean[j] += away * (own_total / together)
        squares[j] += own_squares[j] + away * away * (total * own_total / together)
    return together
