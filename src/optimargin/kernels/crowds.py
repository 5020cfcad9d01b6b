"""The best cut of a projection whose samples crowd in some places.

With heavy tails most samples fall into a few of many equal buckets, and counting them says little.
Here the buckets are equal in the logarithm of the distance from where samples are densest. Features
with few different values crowd all the same; then nearly all samples are sorted, by dealing.

Kept apart from `cuts` because compiling it takes seconds, which most data never need.
"""

import math
from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.cuts import extent, gather, scan, weigh_borders, weigh_cells, write_cut
from optimargin.kernels.sorting import deal_with_tags, sort_with_tags

_U2 = np.uint32(2)
_U1 = np.uint32(1)

_PROBES = 64  # samples that the place of the crowd is estimated from


@compiled(inner=True)
def _crowd(values: Any, low: Any, high: Any) -> Any:
    """Middle and width of the shortest interval that holds a quarter of some of the samples."""
    n = values.shape[0]
    count = min(n, _PROBES)
    probes = np.empty(count)
    tags = np.empty(count, np.int64)  # of no use here
    for k in range(count):
        tags[k] = k
        probes[k] = values[(k * n + n // 2) // count]
    sort_with_tags(probes, tags, count)
    reach = count // 4
    middle, width = 0.0, np.inf
    for k in range(count - reach):
        if probes[k + reach] - probes[k] < width:
            width = probes[k + reach] - probes[k]
            middle = probes[k] + 0.5 * width
    # not so narrow that its inverse would be infinite
    return middle, max(width, 1e-9 * (np.float64(high) - np.float64(low)), 1e-290)


@compiled(VECTORISED, inner=True)
def _distances(values: Any, middle: float, per_width: float, distances: Any) -> None:
    for i in range(values.shape[0]):
        distances[i] = 1.0 + abs(values[i] - middle) * per_width


@compiled(inner=True)
def _logarithm(distance: float) -> float:
    """A straight line from every power of two to the next, as `_place_by_distance` sees it."""
    mantissa, exponent = math.frexp(distance)
    return 2.0 * mantissa + (exponent - 2)


@compiled(VECTORISED, inner=True)
def _place_by_distance(
    values: Any, middle: float, bits: Any, below: float, per_unit: float, last: Any,
    n_negative: int, cells: Any,
) -> None:  # fmt: skip
    """Cell of each sample, as in `cuts`, in units of the logarithm of the distance from the crowd.

    `bits` are those of the distances as floating-point numbers: read as whole numbers they grow
    like the logarithm.
    """
    for i in range(values.shape[0]):
        level = bits[i] * 2.0**-52 - 1023.0
        level = below + (level if values[i] > middle else -level)
        bucket = min(max(level * per_unit, 0.0), last)
        cells[i] = np.uint32(np.int32(bucket)) * _U2
    for i in range(n_negative, values.shape[0]):
        cells[i] += _U1


@compiled(inner=True)
def _place(
    values: Any, low: Any, high: Any, n_buckets: int, n_negative: int, distances: Any, cells: Any
) -> None:
    middle, width = _crowd(values, low, high)
    _distances(values, middle, 1.0 / width, distances)
    below = _logarithm(1.0 + max(0.0, middle - low) / width)
    above = _logarithm(1.0 + max(0.0, high - middle) / width)
    per_unit = n_buckets / max(below + above, 1e-290)
    last = np.float64(n_buckets - 1)
    bits = distances.view(np.int64)
    _place_by_distance(values, middle, bits, below, per_unit, last, n_negative, cells)


@compiled()
def crowded_cuts(
    projections: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    total_negative: Any,
    total_positive: Any,
    n_buckets: int,
    tie: float,
    weighed: Any,
    edges: Any,
    cells: Any,
    counts: Any,
    left: Any,
    keep: Any,
    gathered: Any,
    origins: Any,
) -> None:
    """Best cut of the rows that `cuts.best_cuts` left out; its working space serves here, too."""
    n_rows, m = projections.shape
    distances = np.empty(m)
    for row in range(n_rows):
        if weighed[0, row] >= 0:
            continue
        values = projections[row]
        low, high = extent(values)
        _place(values, low, high, n_buckets, n_negative, distances, cells)
        weigh_cells(cells, weights, counts)
        most, least = weigh_borders(counts, unit_negative, unit_positive, left)
        border = max(total_positive + most, total_negative - least)
        tolerance = tie * max(abs(low), abs(high))
        for _ in range(3):
            count = gather(
                values, cells, counts, left, unit_negative, unit_positive,
                total_negative, total_positive, border, keep, gathered, origins,
            )  # fmt: skip
            deal_with_tags(gathered, origins, count)
            best, best_low, best_high, best_sign, sure = scan(
                gathered, origins, count, cells, left, n_negative, weights, unit_negative,
                unit_positive, total_negative, total_positive, tolerance, border,
            )  # fmt: skip
            if best >= border:
                break
            border = sure
        write_cut(
            row, low, high, total_negative, total_positive,
            best, best_low, best_high, best_sign, weighed, edges,
        )  # fmt: skip
