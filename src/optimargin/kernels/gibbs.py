"""Gibbs draws along a line: a standard normal prior times the exponential of the score.

The draw is by rejection, without sorting. A bucket is drawn by its width, its greatest normal
density and the exponential of the greatest score that it can hold; a point in it is drawn
uniformly, and accepted by what was promised too much. A bucket whose point was rejected is looked
into, and promises no more than it holds from then on. That is exact whatever the buckets are; how
often it rejects depends on how well they fit. They are equal in u = tau / (scale + |tau|), so what
is needed is a scale of the size of the moves. It is learnt line by line from the moves made before;
a line without any begins where the others are.
When rejection has no luck after all, all crossings of the line are sorted (rare_gibbs.py).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.lines import (
    count_cells,
    crossing,
    crossing_gain,
    find_cells,
    find_members,
    weigh_borders,
)
from optimargin.kernels.moves import step_in_place, weight_correct
from optimargin.kernels.sorting import sort_with_tags

UNKNOWN_STEP = math.nan

# The normal prior beyond this many standard deviations is as good as nothing: 1e-10.
REACH = 6.5

# Shares of a bucket below the exponential of this are as good as nothing: 1e-15.
_LEAST_LOG_SHARE = -35.0

_TRIES = 30
_FOLLOWING = 0.25  # how fast a line's scale follows its moves
_MOVES_IN_SCALE = 4.0  # of the average size
_LEAST_SCALE = 1e-12

_TINY = 1e-300


def gibbs_bucket_count(m: int, total_weight: float) -> int:
    """Buckets for m samples: few enough to be cheap beside the samples, enough that few tries fail.

    A sample of weight 2 counts for two where weights look like numbers of repetitions.
    """
    size = total_weight if m <= total_weight <= 16 * m else m
    return max(64, int(4.0 * size**0.5))


def working_space(m: int, n_buckets: int, dtype: Any) -> tuple[NDArray[Any], ...]:
    """The arrays that draws among m samples along lines of this type work in; the cells first."""
    return (
        np.empty(m, np.uint32),
        np.empty(4 * n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(m + 1, np.int64),
        np.empty(m),
        np.empty(n_buckets + 1),
        np.empty(n_buckets),
        np.empty(n_buckets),
        np.ones(m, dtype),  # slopes of the intercept
    )


@compiled(VECTORISED, inner=True)
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


@compiled(VECTORISED, inner=True)
def _place_edges(scale: float, lowest: float, highest: float, edges: Any) -> None:
    """Tau at the borders between buckets, within reach."""
    half = 0.5 * (edges.shape[0] - 1) * (1.0 - 1e-12)
    for k in range(edges.shape[0]):
        u = k / half - 1.0
        edges[k] = min(max(scale * u / max(1.0 - abs(u), _TINY), lowest), highest)


@compiled(VECTORISED, inner=True)
def _promise(origin: float, beta: float, edges: Any, bound: Any, promised: Any) -> None:
    """Logarithm of the greatest density that each bucket can hold, unscaled."""
    for b in range(bound.shape[0]):
        nearest = max(max(origin + edges[b], -(origin + edges[b + 1])), 0.0)
        promised[b] = beta * bound[b] - 0.5 * nearest * nearest


@compiled(inner=True)
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


@compiled(inner=True)
def _greatest_gain(
    values: Any,
    slopes: Any,
    scale: float,
    cells: Any,
    members: Any,
    count: int,
    places: Any,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
) -> Any:
    """The most weight that is gained from the left border of a bucket to a place in it.

    Its samples are the first `count` of `members`, which are sorted by their `places`.
    """
    for k in range(count):
        places[k] = crossing(values[members[k]], slopes[members[k]], scale)
    sort_with_tags(places, members, count)
    running = np.int64(0)
    greatest = np.int64(0)
    for k in range(count):
        i = members[k]
        running += crossing_gain(cells[i], i, weights, unit_negative, unit_positive)
        greatest = max(greatest, running)
    return greatest


@compiled(inner=True)
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
    cells: Any,
    counts: Any,
    left: Any,
    bound: Any,
    origins: Any,
    places: Any,
    edges: Any,
    promised: Any,
    passed: Any,
) -> Any:
    """Draw x with density proportional to the standard normal times exp(beta * weight correct).

    Returns tau = x - origin, and how many tries it took: 0, with tau = 0, if all were rejected. The
    last nine arguments are working space.
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
        nearest = max(max(origin + start, -(origin + end)), 0.0)
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
            values, slopes, scale, cells, origins, members, places, weights, unit_negative,
            unit_positive,
        )  # fmt: skip
        if greatest < bound[drawn]:
            promised[drawn] += beta * (greatest - bound[drawn])
            bound[drawn] = greatest
            total = _add_up(edges, promised, passed)
    return 0.0, 0


@compiled()
def gibbs_moves(
    lines: Any,
    steps: Any,
    values: Any,
    orders: Any,
    first: int,
    known_step: float,
    beta: float,
    rng: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    scales: Any,
    visited: Any,
    correct: Any,
    cells: Any,
    counts: Any,
    left: Any,
    bound: Any,
    origins: Any,
    places: Any,
    edges: Any,
    promised: Any,
    passed: Any,
    intercept_slopes: Any,
) -> Any:
    """Gibbs draws along the lines in turn; `steps`, `values` and `scales` in place.

    `steps` are coordinates with a standard normal prior. `lines` has the slopes of one line a row;
    number `len(lines)` is the intercept. `orders` has one round a row; where a round ends, and the
    weight correct there, is written to `visited` and `correct`. `scales` are 0 where they are not
    known yet; after those of the lines stands a typical one. The last arguments are
    `working_space`.

    Begins with move number `first`, whose step is `known_step` unless that is NaN. Returns how many
    moves are made: fewer than there are where rejection had no luck.
    """
    n_lines = lines.shape[0]
    width = orders.shape[1]
    for number in range(first, orders.shape[0] * width):
        turn = number // width
        j = orders[turn, number - turn * width]
        slopes = intercept_slopes if j == n_lines else lines[j]
        scale = scales[j]
        following = _FOLLOWING
        if number == first and not math.isnan(known_step):
            tau = known_step
            following = 1.0  # a scale that failed is forgotten
        else:
            if scale == 0.0:
                scale = scales[n_lines + 1]
            if scale == 0.0:
                scale = _first_scale(values, slopes, weights)
            tau, tries = gibbs_position(
                values, slopes, steps[j], scale, n_negative, weights, unit_negative,
                unit_positive, beta, rng, cells, counts, left, bound, origins, places, edges,
                promised, passed,
            )  # fmt: skip
            if tries == 0:
                return number
        reached = max(_MOVES_IN_SCALE * abs(tau), _LEAST_SCALE)
        scales[j] = scale + following * (reached - scale)
        typical = scales[n_lines + 1]
        scales[n_lines + 1] = typical + _FOLLOWING * (reached - typical) if typical else reached
        step_in_place(values, slopes, tau)
        steps[j] += tau
        if number == turn * width + width - 1:
            for k in range(n_lines + 1):
                visited[turn, k] = steps[k]
            correct[turn] = weight_correct(
                values, n_negative, weights, unit_negative, unit_positive
            )
    return orders.shape[0] * width
