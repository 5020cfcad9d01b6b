"""The best move along a coordinate when the sum of absolute weights is penalised."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled

# How far inside an interval its ends are tried, as a share of its width.
_INSIDE = 1e-3

# In units of the length of the weights: as good as infinitely far along the coordinate.
_FAR = 1e3


@compiled()
def penalised_position(
    values: Any,
    slopes: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    total: int,
    correct: int,
    weight: float,
    other_absolutes: float,
    other_squares: float,
    l1: float,
) -> float:
    """Step tau along a coordinate that maximises score less penalty.

    The separator's `weight` on the coordinate becomes x = weight + tau, the penalty at unit length
    l1 * ((A + |x|) / sqrt(S + x^2) - 1) with A and S the sums of absolute values and squares of
    the other weights. Between two crossings the score is constant; the penalty, which rises from
    its kink at x = 0 to x = S / A and falls beyond, is least at an end or at the kink: those are
    tried in every interval, and the middle. Returns 0 where nothing is better than to stay. A
    coordinate on which no sample has a value is not moved along but to weight zero: all the
    weight on what says nothing would be the least penalty.
    """
    m = values.shape[0]
    crossings = np.empty(m)
    gains = np.empty(m, np.int64)
    moving = 0
    lost = np.int64(0)  # weight correct here and not at the far left, less the reverse
    for i in range(m):
        if slopes[i] == 0.0:
            continue
        unit = unit_negative if i < n_negative else unit_positive
        if weights.shape[0] > 0:
            unit = unit * weights[i]
        rising = (slopes[i] > 0.0) == (i >= n_negative)
        crossings[moving] = -values[i] / slopes[i]
        gains[moving] = unit if rising else -unit
        # counted by what the values say, so that rounding at the crossing does not matter
        called_positive = values[i] > 0.0
        left_positive = slopes[i] < 0.0
        if called_positive != left_positive:
            lost += gains[moving]
        moving += 1
    length = np.sqrt(other_squares + weight * weight)
    penalty = l1 * ((other_absolutes + abs(weight)) / length - 1.0) if length > 0.0 else 0.0
    if moving == 0:
        without = l1 * (other_absolutes / np.sqrt(other_squares) - 1.0)
        return -weight if other_squares > 0.0 and without < penalty else 0.0
    order = np.argsort(crossings[:moving])
    best = correct / total - penalty + 1e-12
    chosen = 0.0
    running = correct - lost
    for position in range(moving + 1):
        if position > 0:
            running += gains[order[position - 1]]
        if running / total <= best:  # no penalty is negative
            continue
        low = crossings[order[position - 1]] if position > 0 else 0.0
        high = crossings[order[position]] if position < moving else 0.0
        if position == 0:
            low = high - _FAR * (length + abs(high))
        if position == moving:
            high = low + _FAR * (length + abs(low))
        width = high - low
        if width <= 1e-14 * max(abs(low), abs(high), length):
            continue
        for candidate in range(4):
            if candidate == 0:
                tau = -weight
                if not low + 1e-6 * width < tau < high - 1e-6 * width:
                    continue
            elif candidate == 1:
                tau = low + _INSIDE * width
            elif candidate == 2:
                tau = high - _INSIDE * width
            else:
                tau = 0.5 * (low + high)
            x = weight + tau
            norm = np.sqrt(other_squares + x * x)
            if norm <= 1e-12 * length:
                continue
            penalty = l1 * ((other_absolutes + abs(x)) / norm - 1.0)
            if running / total - penalty > best:
                best = running / total - penalty
                chosen = tau
    return chosen
