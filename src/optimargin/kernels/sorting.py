"""Sorting the values that pruning leaves, together with where they came from."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled

_FEW = 48  # so few are inserted one by one
_CROWDED = 16
_DEALS = 8  # values of a more uneven spread than so many deals can level are few


@compiled(inner=True)
def sort_with_tags(values: Any, tags: Any, count: int) -> None:
    """Sort the first `count` values in place and carry their tags along; for few values."""
    _shell_sort(values, tags, 0, count)


@compiled(inner=True)
def deal_with_tags(values: Any, tags: Any, count: int) -> None:
    """Do the same for many finite values.

    They are dealt into buckets of about two, and what falls into a crowded bucket is dealt again
    over the range of that.
    """
    if count <= _FEW:
        _shell_sort(values, tags, 0, count)
        return
    spare_values = np.empty(count, values.dtype)
    spare_tags = np.empty(count, tags.dtype)
    cells = np.empty(count, np.int32)
    ends = np.empty(count // 2 + 1, np.int64)
    # every part that waits holds more values than a bucket may
    firsts = np.empty(count // _CROWDED + 1, np.int64)
    lasts = np.empty(count // _CROWDED + 1, np.int64)
    deals = np.empty(count // _CROWDED + 1, np.int64)
    firsts[0] = 0
    lasts[0] = count
    deals[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first = firsts[waiting]
        last = lasts[waiting]
        dealt = deals[waiting]
        low = values[first]
        high = values[first]
        for i in range(first, last):
            if values[i] < low:
                low = values[i]
            if values[i] > high:
                high = values[i]
        if low == high:
            continue
        n_buckets = (last - first) // 2
        per_unit = (n_buckets - 1) / (np.float64(high) - np.float64(low))
        if dealt == _DEALS or not 0.0 < per_unit < np.inf:
            _shell_sort(values, tags, first, last)
            continue
        for b in range(n_buckets + 1):
            ends[b] = 0
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
        _copy_back(values, tags, first, last, spare_values, spare_tags)
        begin = first
        for b in range(n_buckets):
            end = ends[b]  # dealing has moved every end on by one bucket
            if end - begin > _CROWDED:
                firsts[waiting] = begin
                lasts[waiting] = end
                deals[waiting] = dealt + 1
                waiting += 1
            else:
                _shell_sort(values, tags, begin, end)
            begin = end


@compiled(inner=True)
def _copy_back(
    values: Any, tags: Any, first: int, last: int, spare_values: Any, spare_tags: Any
) -> None:
    # slices would do the same and take numba seconds to compile
    for i in range(first, last):
        values[i] = spare_values[i]
        tags[i] = spare_tags[i]


@compiled(inner=True)
def _shell_sort(values: Any, tags: Any, first: int, last: int) -> None:
    gap = 1
    while last - first > _FEW and gap < (last - first) // 3:
        gap = 3 * gap + 1
    while gap >= 1:
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
        gap //= 3
