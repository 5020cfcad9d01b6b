"""A Gibbs draw on a line by sorting all of its crossings, for when rejection has no luck.

Rejection takes long where the inverse temperature is so high, or a bucket so crowded, that a
bucket promises far more than it holds. Sorting costs more than a usual draw but never fails.
"""

import math
from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled
from optimargin.kernels.lines import REACH, crossing_gain, normal_crossing

_HALVINGS = 60
_ROOT_HALF = math.sqrt(0.5)


@compiled()
def _mass(low: float, high: float) -> float:
    """Of the standard normal between two points, from the tail that keeps its digits."""
    if low > 0.0:
        return 0.5 * (math.erfc(low * _ROOT_HALF) - math.erfc(high * _ROOT_HALF))
    return 0.5 * (math.erfc(-high * _ROOT_HALF) - math.erfc(-low * _ROOT_HALF))


@compiled()
def sorted_gibbs_position(
    values: Any,
    slopes: Any,
    origin: float,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    beta: float,
    chance: float,
    place: float,
    cells: Any,
) -> float:
    """Draw x as `gibbs_position` does; `chance` chooses the interval, `place` the point in it.

    `cells` is what `gibbs_position` left there. Returns tau = x - origin.
    """
    m = values.shape[0]
    crossings = np.empty(m)
    for i in range(m):
        crossings[i] = min(max(normal_crossing(values[i], slopes[i], origin), -REACH), REACH)
    order = np.argsort(crossings)
    logs = np.empty(m + 1)
    running = np.int64(0)
    top = -np.inf
    for k in range(m + 1):
        if k > 0:
            i = order[k - 1]
            running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        low = crossings[order[k - 1]] if k > 0 else -REACH
        high = crossings[order[k]] if k < m else REACH
        mass = _mass(low, high)
        logs[k] = beta * running + math.log(mass) if mass > 0.0 else -np.inf
        top = max(top, logs[k])
    total = 0.0
    for k in range(m + 1):
        total += math.exp(logs[k] - top)
    target = chance * total
    drawn = m
    for k in range(m + 1):
        target -= math.exp(logs[k] - top)
        if target < 0.0:
            drawn = k
            break
    low = crossings[order[drawn - 1]] if drawn > 0 else -REACH
    high = crossings[order[drawn]] if drawn < m else REACH
    left, right = low, high
    wanted = place * _mass(low, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        if _mass(low, middle) < wanted:
            left = middle
        else:
            right = middle
    return 0.5 * (left + right) - origin
