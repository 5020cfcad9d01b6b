"""Exact moves along a line through the space of separators.

Along f + tau g, with f the running values of the samples (positive: called positive) and g the
slopes, each sample changes side once, at tau = -f / g. Counting these crossings into buckets, by
class and sign of slope, gives the exact weight of correctly classified samples at every bucket
border; inside a bucket it cannot exceed the left border plus all that the bucket can gain. Only
buckets whose bound matters are looked into. A slope of zero is taken for a positive one that is
infinitely small: its crossing lies beyond all others, on the side that keeps the sample where it
is.

Buckets are equal in u = tau / (scale + |tau|), which puts the whole line, its infinite ends
included, into (-1, 1).
"""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.sorting import sort_with_tags

_U1 = np.uint32(1)
_U2 = np.uint32(2)
_U3 = np.uint32(3)
_U4 = np.uint32(4)
_STRIDE = 64
_ALL_BITS = np.uint32(2**32 - 1)

# Two positions closer than this count as equal: a point between them would not survive rounding.
TIE = 2e-15

# How far a random point of an interval stays away from its ends: this share, and this at least.
_INSET_SHARE = 1e-3
_LEAST_INSET = TIE / 8

_TINY = 1e-300
_LEAST = np.int64(-(2**62))


@compiled(VECTORISED, inner=True)
def crossing(value: Any, slope: Any, scale: float) -> Any:
    """U of a crossing. A sample that stays at 0 stays negative: it crosses at infinity."""
    away = value if slope < 0.0 else -value
    size = abs(value) + scale * abs(slope)
    return (away if size > 0.0 else _TINY) / (size + _TINY)


@compiled(VECTORISED, inner=True)
def find_cells(
    values: Any, slopes: Any, scale: float, n_negative: int, n_buckets: int, cells: Any
) -> None:
    """Cell of each crossing: four times its bucket + 2 for the positive class + 1 if rising."""
    half = 0.5 * n_buckets * (1.0 - 1e-12)
    for i in range(values.shape[0]):
        u = crossing(values[i], slopes[i], scale)
        cell = np.uint32(np.int32((u + 1.0) * half)) * _U4
        cells[i] = cell if slopes[i] < 0.0 else cell + _U1
    for i in range(n_negative, values.shape[0]):
        cells[i] += _U2


@compiled(inner=True)
def count_cells(cells: Any, weights: Any, counts: Any) -> None:
    for cell in range(counts.shape[0]):
        counts[cell] = 0
    if weights.shape[0] > 0:
        for i in range(cells.shape[0]):
            counts[cells[i]] += weights[i]
    else:
        for i in range(cells.shape[0]):
            counts[cells[i]] += 1


@compiled(inner=True)
def weigh_borders(
    counts: Any, unit_negative: int, unit_positive: int, left: Any, bound: Any
) -> Any:
    """Weight gained since the far left at each bucket's left border, and its bound; the best."""
    running = np.int64(0)
    best = np.int64(0)
    for b in range(left.shape[0]):
        left[b] = running
        gains = unit_negative * counts[4 * b] + unit_positive * counts[4 * b + 3]
        losses = unit_negative * counts[4 * b + 1] + unit_positive * counts[4 * b + 2]
        bound[b] = running + gains if gains + losses > 0 else running
        running += gains - losses
        best = max(best, running)
    return best


@compiled(inner=True)
def crossing_gain(cell: Any, i: int, weights: Any, unit_negative: int, unit_positive: int) -> Any:
    """Weight gained when sample i crosses: falling negatives and rising positives gain."""
    weight = weights[i] if weights.shape[0] > 0 else np.int64(1)
    group = cell & _U3
    if group == 0:
        return unit_negative * weight
    if group == 1:
        return -unit_negative * weight
    if group == 2:
        return -unit_positive * weight
    return unit_positive * weight


@compiled(inner=True)
def _inside(u: Any, start: Any, end: Any) -> Any:
    """U, but not on a crossing itself, nor at infinity."""
    inset = max(_INSET_SHARE * (end - start), _LEAST_INSET)
    return min(max(u, start + inset), end - inset)


@compiled(inner=True)
def best_position(
    values: Any,
    slopes: Any,
    scale: float,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    chance: float,
    n_buckets: int,
    counts: Any,
    left: Any,
    bound: Any,
    cells: Any,
    gathered: Any,
    origins: Any,
) -> float:
    """Step tau to the middle of the widest interval of the greatest weight classified correctly.

    With `chance` in [0, 1) instead a point of the union of all intervals of that weight, uniform
    in u. Widths are measured in u, too. The last six arguments are working space.
    """
    m = values.shape[0]
    find_cells(values, slopes, scale, n_negative, n_buckets, cells)
    count_cells(cells, weights, counts)
    border = weigh_borders(counts, unit_negative, unit_positive, left, bound)
    low = 0.0
    high = 0.0
    for _ in range(3):
        count = 0
        for i in range(m):
            if bound[cells[i] >> _U2] >= border:
                gathered[count] = crossing(values[i], slopes[i], scale)
                origins[count] = i
                count += 1
        sort_with_tags(gathered, origins, count)

        # the stretch before the first crossing belongs to the candidates where nothing is gained
        best = _LEAST
        sure = _LEAST
        total = 0.0
        widest = 0.0
        if border <= 0:
            end = gathered[0] if count > 0 else 1.0
            if end + 1.0 > TIE:
                best = np.int64(0)
                low, high = -1.0, end
                total = widest = end + 1.0
        running = np.int64(0)
        bucket = np.int64(-1)
        for position in range(count):
            i = origins[position]
            cell = cells[i]
            if np.int64(cell >> _U2) != bucket:
                bucket = np.int64(cell >> _U2)
                running = left[bucket]
            running += crossing_gain(cell, i, weights, unit_negative, unit_positive)
            if running <= sure or running < best:
                continue
            end = gathered[position + 1] if position + 1 < count else 1.0
            width = end - gathered[position]
            if width <= TIE:
                continue
            if running < border:
                # between neighbours of one bucket nothing was left out
                if position + 1 < count and np.int64(cells[origins[position + 1]] >> _U2) == bucket:
                    sure = running
                continue
            if running > best:
                best = running
                total = 0.0
                widest = 0.0
            total += width
            if width > widest:
                widest = width
                low, high = gathered[position], end
        if best >= border:
            break
        # the best border lies between equal crossings: look again, from what is sure to be had
        border = sure

    u = 0.5 * (low + high)
    if chance >= 0.0:
        # walk the intervals again, to where the chance falls
        target = chance * total
        passed = 0.0
        if best == 0 and border <= 0:
            end = gathered[0] if count > 0 else 1.0
            width = end + 1.0
            if width > TIE:
                passed = width
                u = _inside(-1.0 + target, -1.0, end)
        if passed <= target:
            running = np.int64(0)
            bucket = np.int64(-1)
            for position in range(count):
                i = origins[position]
                cell = cells[i]
                if np.int64(cell >> _U2) != bucket:
                    bucket = np.int64(cell >> _U2)
                    running = left[bucket]
                running += crossing_gain(cell, i, weights, unit_negative, unit_positive)
                if running != best:
                    continue
                end = gathered[position + 1] if position + 1 < count else 1.0
                width = end - gathered[position]
                if width <= TIE:
                    continue
                if passed + width > target:
                    start = gathered[position]
                    u = _inside(start + (target - passed), start, end)
                    break
                passed += width
    return scale * u / (1.0 - abs(u))


@compiled(VECTORISED, inner=True)
def find_members(cells: Any, bucket: Any, members: Any) -> Any:
    """Write the samples whose crossing is in the bucket; returns how many."""
    found = 0
    whole = cells.shape[0] - cells.shape[0] % _STRIDE
    for first in range(0, whole, _STRIDE):
        nearest = _ALL_BITS
        for k in range(_STRIDE):  # vectorised; most strides have no member
            nearest = min(nearest, (cells[first + k] >> _U2) ^ bucket)
        if nearest == 0:
            for i in range(first, first + _STRIDE):
                if (cells[i] >> _U2) == bucket:
                    members[found] = i
                    found += 1
    for i in range(whole, cells.shape[0]):
        if (cells[i] >> _U2) == bucket:
            members[found] = i
            found += 1
    return found
