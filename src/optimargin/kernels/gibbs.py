"""Gibbs draws along a line: a standard normal prior times the exponential of the score.

The draw is by rejection, without sorting. A bucket is drawn by its width, its greatest normal
density and the exponential of the greatest score that it can hold; a point in it is drawn
uniformly, and accepted by what was promised too much. A bucket whose point was rejected is looked
into, and promises no more than it holds from then on. That is exact whatever the buckets are; how
often it rejects depends on how well they fit. They are equal in u = tau / (scale + |tau|), so what
is needed is a scale of the size of the moves: it is learnt line by line from the moves made before.
When rejection has no luck after all, all crossings of the line are sorted.
"""

import math
from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.lines import (
    count_cells,
    crossing,
    crossing_gain,
    find_cells,
    find_members,
    weigh_borders,
)
from optimargin.kernels.moves import step, weight_correct
from optimargin.kernels.sorting import sort_with_tags

# The normal prior beyond this many standard deviations is as good as nothing: 1e-10.
REACH = 6.5

# Shares of a bucket below the exponential of this are as good as nothing: 1e-15.
_LEAST_LOG_SHARE = -35.0

_TRIES = 30
_FOLLOWING = 0.25  # how fast a line's scale follows its moves
_MOVES_IN_SCALE = 4.0  # of the average size

_TINY = 1e-300
_HALVINGS = 60
_ROOT_HALF = math.sqrt(0.5)


def gibbs_bucket_count(m: int, total_weight: float) -> int:
    """Buckets for m samples: few enough to be cheap beside the samples, enough that few tries fail.

    A sample of weight 2 counts for two where weights look like numbers of repetitions.
    """
    size = total_weight if m <= total_weight <= 16 * m else m
    return max(64, int(4.0 * size**0.5))


@compiled(VECTORISED)
def _first_scale(values: Any, slopes: Any, weights: Any) -> Any:
    """The size of a typical crossing, to a power of two.

    So rounding does not show in it: a sample given twice and one of weight 2 lead to the same
    draws.
    """
    sum_values = 0.0
    sum_slopes = 0.0
    if weights.shape[0] > 0:
        for i in range(values.shape[0]):
            sum_values += weights[i] * abs(values[i])
            sum_slopes += weights[i] * abs(slopes[i])
    else:
        for i in range(values.shape[0]):
            sum_values += abs(values[i])
            sum_slopes += abs(slopes[i])
    scale = sum_values / sum_slopes if sum_slopes > 0.0 else 1.0
    return 2.0 ** math.floor(math.log2(min(max(scale, 1e-9), 2.0 * REACH)))


@compiled(VECTORISED)
def _place_edges(scale: float, lowest: float, highest: float, edges: Any) -> None:
    """Tau at the borders between buckets, within reach."""
    half = 0.5 * (edges.shape[0] - 1) * (1.0 - 1e-12)
    for k in range(edges.shape[0]):
        u = k / half - 1.0
        edges[k] = min(max(scale * u / max(1.0 - abs(u), _TINY), lowest), highest)


@compiled(VECTORISED)
def _promise(origin: float, beta: float, edges: Any, bound: Any, promised: Any) -> None:
    """Logarithm of the greatest density that each bucket can hold, unscaled."""
    for b in range(bound.shape[0]):
        nearest = max(origin + edges[b], -(origin + edges[b + 1]), 0.0)
        promised[b] = beta * bound[b] - 0.5 * nearest * nearest


@compiled()
def _add_up(edges: Any, promised: Any, passed: Any) -> Any:
    """Cumulative shares of the buckets; returns their sum."""
    top = -np.inf
    for b in range(promised.shape[0]):
        if edges[b + 1] > edges[b]:
            top = max(top, promised[b])
    total = 0.0
    for b in range(promised.shape[0]):
        if promised[b] - top > _LEAST_LOG_SHARE:
            total += (edges[b + 1] - edges[b]) * math.exp(promised[b] - top)
        passed[b] = total
    return total


@compiled()
def _greatest_gain(
    values: Any,
    slopes: Any,
    scale: float,
    cells: Any,
    members: Any,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
) -> Any:
    """The most weight that is gained from the left border of a bucket to a place in it."""
    places = np.empty(members.shape[0])
    for k in range(members.shape[0]):
        places[k] = crossing(values[members[k]], slopes[members[k]], scale)
    sort_with_tags(places, members, members.shape[0])
    running = np.int64(0)
    greatest = np.int64(0)
    for k in range(members.shape[0]):
        i = members[k]
        running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        greatest = max(greatest, running)
    return greatest


@compiled()
def gibbs_position(
    values: Any,
    slopes: Any,
    origin: float,
    scale: float,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    beta: float,
    rng: Any,
    counts: Any,
    left: Any,
    bound: Any,
    cells: Any,
    origins: Any,
    edges: Any,
    promised: Any,
    passed: Any,
) -> Any:
    """Draw x with density proportional to the standard normal times exp(beta * weight correct).

    Returns tau = x - origin, and how many tries it took: 0, with tau = 0, if all were rejected. The
    last eight arguments are working space.
    """
    n_buckets = passed.shape[0]
    find_cells(values, slopes, scale, n_negative, n_buckets, cells)
    count_cells(cells, weights, counts)
    weigh_borders(counts, unit_negative, unit_positive, left, bound)
    _place_edges(scale, -REACH - origin, REACH - origin, edges)
    _promise(origin, beta, edges, bound, promised)
    total = _add_up(edges, promised, passed)

    for number in range(1, _TRIES + 1):
        target = rng.random() * total
        drawn = np.int64(0)
        behind = n_buckets - 1
        while drawn < behind:  # the first bucket whose cumulative share exceeds the target
            middle = (drawn + behind) // 2
            if passed[middle] > target:
                behind = middle
            else:
                drawn = middle + 1
        start, end = edges[drawn], edges[drawn + 1]
        tau = start + (end - start) * rng.random()
        nearest = max(origin + start, -(origin + end), 0.0)
        excess = 0.5 * ((origin + tau) ** 2 - nearest * nearest)
        u = tau / (scale + abs(tau))
        members = find_members(cells, np.uint32(drawn), origins)
        running = left[drawn]
        for k in range(members):
            i = origins[k]
            if crossing(values[i], slopes[i], scale) < u:
                running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        if rng.random() < math.exp(beta * (running - bound[drawn]) - excess):
            return tau, number
        greatest = left[drawn] + _greatest_gain(
            values, slopes, scale, cells, origins[:members], weights, unit_negative, unit_positive
        )
        if greatest < bound[drawn]:
            promised[drawn] += beta * (greatest - bound[drawn])
            bound[drawn] = greatest
            total = _add_up(edges, promised, passed)
    return 0.0, 0


@compiled()
def _mass(low: float, high: float) -> float:
    """Of the standard normal between two points, from the tail that keeps its digits."""
    if low > 0.0:
        return 0.5 * (math.erfc(low * _ROOT_HALF) - math.erfc(high * _ROOT_HALF))
    return 0.5 * (math.erfc(-high * _ROOT_HALF) - math.erfc(-low * _ROOT_HALF))


@compiled()
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
    rng: Any,
    cells: Any,
) -> Any:
    """The same by sorting; `cells` is what `gibbs_position` left there. Returns tau = x - origin.

    Rejection takes long where the inverse temperature is so high, or a bucket so crowded, that a
    bucket promises far more than it holds. Sorting costs more than a usual draw but never fails.
    """
    m = values.shape[0]
    crossings = np.empty(m + 2)
    order = np.empty(m, np.int64)
    for i in range(m):
        crossings[i + 1] = _crossing_in_reach(values[i], slopes[i], origin)
        order[i] = i
    sort_with_tags(crossings[1:], order, m)
    crossings[0], crossings[m + 1] = -REACH, REACH
    logs = np.empty(m + 1)
    running = np.int64(0)
    for k in range(m + 1):
        if k > 0:
            i = order[k - 1]
            running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        mass = _mass(crossings[k], crossings[k + 1])
        logs[k] = beta * running + math.log(mass) if mass > 0.0 else -np.inf
    shares = np.cumsum(np.exp(logs - logs.max()))
    drawn = np.searchsorted(shares, rng.random() * shares[m], "right")
    low, high = crossings[drawn], crossings[drawn + 1]
    start, end = low, high
    wanted = rng.random() * _mass(low, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (start + end)
        if _mass(low, middle) < wanted:
            start = middle
        else:
            end = middle
    return 0.5 * (start + end) - origin


@compiled()
def gibbs_moves(
    lines: Any,
    steps: Any,
    values: Any,
    orders: Any,
    beta: float,
    rng: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    n_buckets: int,
    scales: Any,
    visited: Any,
    correct: Any,
) -> None:
    """Gibbs draws along the lines in turn; `steps`, `values` and `scales` in place.

    `steps` are coordinates with a standard normal prior. `lines` has the slopes of one line a row;
    number `len(lines)` is the intercept. `orders` has one round a row; where a round ends, and the
    weight correct there, is written to `visited` and `correct`. `scales` of the lines are 0 where
    they are not known yet.
    """
    m = values.shape[0]
    n_lines = lines.shape[0]
    counts = np.empty(4 * n_buckets, np.int64)
    left = np.empty(n_buckets, np.int64)
    bound = np.empty(n_buckets, np.int64)
    edges = np.empty(n_buckets + 1)
    promised = np.empty(n_buckets)
    passed = np.empty(n_buckets)
    cells = np.empty(m, np.uint32)
    origins = np.empty(m + 1, np.int64)
    ones = np.ones(m, lines.dtype)
    for turn in range(orders.shape[0]):
        for place in range(orders.shape[1]):
            j = orders[turn, place]
            slopes = ones if j == n_lines else lines[j]
            scale = scales[j] if scales[j] > 0.0 else _first_scale(values, slopes, weights)
            tau, tries = gibbs_position(
                values, slopes, steps[j], scale, n_negative, weights, unit_negative,
                unit_positive, beta, rng, counts, left, bound, cells, origins, edges, promised,
                passed,
            )  # fmt: skip
            if tries == 0:
                tau = sorted_gibbs_position(
                    values, slopes, steps[j], weights, unit_negative, unit_positive, beta, rng,
                    cells,
                )  # fmt: skip
            following = _FOLLOWING if tries > 0 else 1.0  # a scale that failed is forgotten
            scale += following * (_MOVES_IN_SCALE * abs(tau) - scale)
            scales[j] = max(scale, 1e-12)
            step(values, slopes, tau, values)
            steps[j] += tau
        visited[turn] = steps
        correct[turn] = weight_correct(values, n_negative, weights, unit_negative, unit_positive)
