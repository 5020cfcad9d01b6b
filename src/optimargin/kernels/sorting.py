"""Sorting the values that pruning leaves, together with where they came from.

Few values, as there mostly are, are inserted one by one. Some are put where the number of smaller
ones says: more comparisons, but without a branch that the processor would guess wrongly half of the
time. Many (features with few different values, distributions with heavy tails) are dealt into
buckets of about two, and what falls into a crowded bucket is dealt again over the range of that.
"""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled

_FEW = 24
_SOME = 150
_CROWDED = 16
_DEALS = 8  # values of a more uneven spread than so many deals can level are few


@compiled()
def sort_with_tags(values: Any, tags: Any, count: int) -> None:
    """Sort the first `count` values, finite ones, in place and carry their tags along."""
    if count <= _FEW:
        _insertion_sort(values, tags, 0, count, 1)
        return
    spare_values = np.empty(count, values.dtype)
    spare_tags = np.empty(count, tags.dtype)
    if count <= _SOME:
        _rank_sort(values, tags, count, spare_values, spare_tags)
        return
    cells = np.empty(count, np.int32)
    ends = np.empty(count // 2 + 1, np.int64)
    # every waiting part holds more values than a bucket may
    waiting = np.empty((count // _CROWDED + 1, 3), np.int64)
    waiting[0] = 0, count, 0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        first, last, deals = waiting[n_waiting]
        low, high = values[first], values[first]
        for i in range(first, last):
            low = min(low, values[i])
            high = max(high, values[i])
        if low == high:
            continue
        n_buckets = (last - first) // 2
        per_unit = (n_buckets - 1) / (np.float64(high) - np.float64(low))
        if deals == _DEALS or not 0.0 < per_unit < np.inf:
            _shell_sort(values, tags, first, last)
            continue
        ends[: n_buckets + 1] = 0
        for i in range(first, last):
            cell = np.int32((np.float64(values[i]) - np.float64(low)) * per_unit)
            cells[i] = cell
            ends[cell + 1] += 1
        ends[0] = first
        for b in range(n_buckets):
            ends[b + 1] += ends[b]
        for i in range(first, last):
            place = ends[cells[i]]
            spare_values[place] = values[i]
            spare_tags[place] = tags[i]
            ends[cells[i]] += 1
        values[first:last] = spare_values[first:last]
        tags[first:last] = spare_tags[first:last]
        begin = first
        for b in range(n_buckets):
            end = ends[b]  # dealing has moved every end on by one bucket
            if end - begin > _CROWDED:
                waiting[n_waiting] = begin, end, deals + 1
                n_waiting += 1
            else:
                _insertion_sort(values, tags, begin, end, 1)
            begin = end


@compiled(VECTORISED)
def _rank_sort(values: Any, tags: Any, count: int, spare_values: Any, spare_tags: Any) -> None:
    for i in range(count):
        value = values[i]
        rank = 0
        for j in range(i):
            rank += values[j] <= value
        for j in range(i + 1, count):
            rank += values[j] < value
        spare_values[rank] = value
        spare_tags[rank] = tags[i]
    values[:count] = spare_values
    tags[:count] = spare_tags


@compiled()
def _shell_sort(values: Any, tags: Any, first: int, last: int) -> None:
    gap = 1
    while gap < (last - first) // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        _insertion_sort(values, tags, first, last, gap)
        gap //= 3


@compiled()
def _insertion_sort(values: Any, tags: Any, first: int, last: int, gap: int) -> None:
    for i in range(first + gap, last):
        value = values[i]
        tag = tags[i]
        j = i - gap
        while j >= first and values[j] > value:
            values[j + gap] = values[j]
            tags[j + gap] = tags[j]
            j -= gap
        values[j + gap] = value
        tags[j + gap] = tag
