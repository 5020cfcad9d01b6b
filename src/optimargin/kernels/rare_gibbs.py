"""Gibbs draws where rejection has no luck.

It takes long where the inverse temperature is so high, or a bucket so crowded, that a bucket
promises far more than it holds. Sorting all crossings costs more than a usual draw but never fails.

Kept apart from `gibbs` because compiling it takes a second, which most data never need.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.compilation import compiled
from optimargin.kernels.gibbs import REACH
from optimargin.kernels.lines import crossing_gain
from optimargin.kernels.sorting import sort_with_tags

_HALVINGS = 60
_ROOT_HALF = math.sqrt(0.5)


def working_space(m: int) -> tuple[NDArray[Any], ...]:
    """The arrays that sorting m samples works in."""
    return np.empty(m + 1), np.empty(m + 1, np.int64), np.empty(m + 1)


@compiled(inner=True)
def _mass(low: float, high: float) -> float:
    """Of the standard normal between two points, from the tail that keeps its digits."""
    if low > 0.0:
        return 0.5 * (math.erfc(low * _ROOT_HALF) - math.erfc(high * _ROOT_HALF))
    return 0.5 * (math.erfc(-high * _ROOT_HALF) - math.erfc(-low * _ROOT_HALF))


@compiled(inner=True)
def _crossing_in_reach(value: Any, slope: Any, origin: float) -> Any:
    """X of a crossing. A sample that stays at 0 stays negative: it crosses at infinity."""
    if slope == 0.0:
        return -REACH if value > 0.0 else REACH
    return min(max(origin - value / slope, -REACH), REACH)


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
    chance_inside: float,
    cells: Any,
    crossings: Any,
    order: Any,
    logs: Any,
) -> Any:
    """Draw x as `gibbs_position` does, by two uniform random numbers. Returns tau = x - origin.

    `cells` is what `gibbs_position` left there; the last three arguments are `working_space`.
    """
    m = values.shape[0]
    for i in range(m):
        crossings[i] = _crossing_in_reach(values[i], slopes[i], origin)
        order[i] = i
    sort_with_tags(crossings, order, m)
    crossings[m] = REACH
    running = np.int64(0)
    greatest = -np.inf
    before = -REACH
    for k in range(m + 1):
        if k > 0:
            i = order[k - 1]
            running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        mass = _mass(before, crossings[k])
        before = crossings[k]
        logs[k] = beta * running + math.log(mass) if mass > 0.0 else -np.inf
        greatest = max(greatest, logs[k])
    total = 0.0
    for k in range(m + 1):
        total += math.exp(logs[k] - greatest)
    drawn = 0
    passed = math.exp(logs[0] - greatest)
    while passed <= chance * total and drawn < m:
        drawn += 1
        passed += math.exp(logs[drawn] - greatest)
    low = crossings[drawn - 1] if drawn > 0 else -REACH
    high = crossings[drawn]
    start, end = low, high
    wanted = chance_inside * _mass(low, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (start + end)
        if _mass(low, middle) < wanted:
            start = middle
        else:
            end = middle
    return 0.5 * (start + end) - origin
