"""The best cut of a projection (the paper's Algorithm 1), without sorting all of it.

The projection is counted into equal buckets, class by class. The running counts give the exact
weight of correctly classified samples at every bucket border; inside a bucket it cannot exceed
"all of one class first". Only buckets whose bound reaches the best border are gathered and sorted.
Samples stand in two blocks, the negative class first. Weights are integers, so sums are exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.sorting import sort_with_tags

_U2 = np.uint32(2)
_U1 = np.uint32(1)

# More samples to sort than this, and than a share of all, ask for other buckets (crowds.py).
FEW = 64
_MANY = 4


def working_space(m: int, n_buckets: int, dtype: Any) -> tuple[NDArray[Any], ...]:
    """The arrays that cuts of projections of m samples are looked for in."""
    return (
        np.empty(m, np.uint32),
        np.empty(2 * n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(m + 1, dtype),
        np.empty(m + 1, np.int64),
    )


@compiled(VECTORISED, inner=True)
def extent(values: Any) -> Any:
    """Least and greatest value, of four quarters side by side: twice as fast."""
    quarter = values.shape[0] // 4
    low0 = low1 = low2 = low3 = values[0]
    high0 = high1 = high2 = high3 = values[0]
    for i in range(quarter):
        low0 = min(low0, values[i])
        high0 = max(high0, values[i])
        low1 = min(low1, values[quarter + i])
        high1 = max(high1, values[quarter + i])
        low2 = min(low2, values[2 * quarter + i])
        high2 = max(high2, values[2 * quarter + i])
        low3 = min(low3, values[3 * quarter + i])
        high3 = max(high3, values[3 * quarter + i])
    for i in range(4 * quarter, values.shape[0]):
        low0 = min(low0, values[i])
        high0 = max(high0, values[i])
    low = min(min(low0, low1), min(low2, low3))
    return low, max(max(high0, high1), max(high2, high3))


@compiled(VECTORISED, inner=True)
def _place(values: Any, low: Any, per_unit: Any, last: Any, n_negative: int, cells: Any) -> None:
    """Cell of each sample: twice its bucket, plus one for the positive class."""
    for i in range(values.shape[0]):
        bucket = min(max((values[i] - low) * per_unit, np.float64(0.0)), last)
        cells[i] = np.uint32(np.int32(bucket)) * _U2
    for i in range(n_negative, values.shape[0]):
        cells[i] += _U1


@compiled(inner=True)
def _robust_range(values: Any, low: Any, high: Any) -> Any:
    """The range to lay buckets over: all of it, unless a few outliers would take most of it."""
    n = values.shape[0]
    step = max(1, n // 64)
    near_low = high
    near_high = low
    # every step-th sample: the extremes of a sample this small are not outliers of the rest
    for i in range(step // 2, n, step):
        near_low = min(near_low, values[i])
        near_high = max(near_high, values[i])
    spread = near_high - near_low
    if spread > 0.0 and high - low > 4.0 * spread:
        return max(low, near_low - 0.5 * spread), min(high, near_high + 0.5 * spread)
    return low, high


@compiled(inner=True)
def weigh_cells(cells: Any, weights: Any, counts: Any) -> None:
    for cell in range(counts.shape[0]):  # a slice takes numba longer to compile
        counts[cell] = 0
    if weights.shape[0] > 0:
        for i in range(cells.shape[0]):
            counts[cells[i]] += weights[i]
    else:
        for i in range(cells.shape[0]):
            counts[cells[i]] += 1


@compiled(inner=True)
def weigh_borders(counts: Any, unit_negative: int, unit_positive: int, left: Any) -> Any:
    """Weight gained at every border; the most and the least.

    What is gained, against everything positive, by calling what lies to the left negative; with the
    sign reversed it is the loss against everything negative.
    """
    running = np.int64(0)
    most = np.int64(0)
    least = np.int64(0)
    for b in range(left.shape[0]):
        left[b] = running
        running += unit_negative * counts[2 * b] - unit_positive * counts[2 * b + 1]
        most = max(most, running)
        least = min(least, running)
    return most, least


@compiled(inner=True)
def gather(
    values: Any,
    cells: Any,
    counts: Any,
    left: Any,
    unit_negative: int,
    unit_positive: int,
    total_negative: Any,
    total_positive: Any,
    border: Any,
    keep: Any,
    gathered: Any,
    origins: Any,
) -> Any:
    """Collect the samples of all buckets that may hold a cut as good as `border`; their number."""
    for b in range(left.shape[0]):
        gain = total_positive + left[b] + unit_negative * counts[2 * b]
        loss = total_negative - left[b] + unit_positive * counts[2 * b + 1]
        keep[b] = (gain >= border) | (loss >= border)
    count = 0
    for i in range(values.shape[0]):
        gathered[count] = values[i]
        origins[count] = i
        count += keep[cells[i] >> _U1]
    return count


@compiled(inner=True)
def scan(
    gathered: Any,
    origins: Any,
    count: int,
    cells: Any,
    left: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    total_negative: Any,
    total_positive: Any,
    tolerance: float,
    border: Any,
) -> Any:
    """The best cut between samples in order, if it is as good as `border`.

    Its weight, -1 if there is none; the samples on either side and the sign; and a weight that is
    sure to be had in any case.
    """
    weighted = weights.shape[0] > 0
    best = np.int64(-1)
    sure = np.int64(-1)
    best_gap = -1.0
    best_low = 0.0
    best_high = 0.0
    best_sign = 1
    running = np.int64(0)
    bucket = np.int64(-1)
    for position in range(count - 1):
        i = origins[position]
        if np.int64(cells[i] >> _U1) != bucket:
            bucket = np.int64(cells[i] >> _U1)
            running = left[bucket]
        weight = weights[i] if weighted else np.int64(1)
        if i < n_negative:
            running += unit_negative * weight
        else:
            running -= unit_positive * weight
        forward = total_positive + running
        backward = total_negative - running
        either = max(forward, backward)
        if either <= sure or either < best:
            continue
        gap = gathered[position + 1] - gathered[position]
        if gap <= tolerance:
            continue
        if either < border:
            # between neighbours of one bucket nothing was left out
            if np.int64(cells[origins[position + 1]] >> _U1) == bucket:
                sure = either
            continue
        # of equally good cuts the widest gap, of equal gaps the lowest in units of sign
        # times projection, of equal ones the positive sign
        if forward > best or (
            forward == best
            and (gap > best_gap or (gap == best_gap and gathered[position] <= best_low))
        ):
            best = forward
            best_gap = gap
            best_low = gathered[position]
            best_high = gathered[position + 1]
            best_sign = 1
        if backward > best or (
            backward == best
            and (gap > best_gap or (gap == best_gap and -gathered[position + 1] < best_low))
        ):
            best = backward
            best_gap = gap
            best_low = -gathered[position + 1]
            best_high = -gathered[position]
            best_sign = -1
    return best, best_low, best_high, best_sign, sure


@compiled(inner=True)
def write_cut(
    row: int,
    low: Any,
    high: Any,
    total_negative: Any,
    total_positive: Any,
    best: Any,
    best_low: float,
    best_high: float,
    best_sign: int,
    weighed: Any,
    edges: Any,
) -> None:
    """Write the best cut of a row, or the one beyond all samples where that is better."""
    if min(total_negative, total_positive) == 0 or max(total_negative, total_positive) > best:
        # everything to the heavier class
        beyond = 1.0 + 2.0 * max(abs(low), abs(high))
        best = max(total_negative, total_positive)
        best_sign = 1
        best_low = beyond if total_negative >= total_positive else -beyond
        best_high = best_low
    weighed[0, row] = best
    weighed[1, row] = best_sign
    edges[0, row] = best_low
    edges[1, row] = best_high


@compiled()
def best_cuts(
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
) -> int:
    """Best cut of every row of `projections`; returns how many rows are left out as crowded.

    `weights` holds one integer a sample, or is empty where all samples of a class weigh the same;
    `unit_negative` and `unit_positive` are the factors of the two classes. Neighbours closer than
    `tie` times the largest absolute value count as equal. Written to the rows of `weighed`: the
    weight classified correctly (-1 for a crowded row) and the sign; to those of `edges`: the
    samples on either side of the cut in units of sign times projection (equal where everything goes
    to one class). The last six arguments are `working_space`.
    """
    n_rows, m = projections.shape
    n_crowded = 0
    for row in range(n_rows):
        values = projections[row]
        low, high = extent(values)
        start, stop = _robust_range(values, low, high)
        per_unit = n_buckets / max(np.float64(stop) - np.float64(start), np.float64(1e-290))
        _place(values, start, per_unit, np.float64(n_buckets - 1), n_negative, cells)
        weigh_cells(cells, weights, counts)
        most, least = weigh_borders(counts, unit_negative, unit_positive, left)
        border = max(total_positive + most, total_negative - least)
        tolerance = tie * max(abs(low), abs(high))
        crowded = False
        for _ in range(3):
            count = gather(
                values, cells, counts, left, unit_negative, unit_positive,
                total_negative, total_positive, border, keep, gathered, origins,
            )  # fmt: skip
            crowded = count > FEW and count * _MANY > m and low < high
            if crowded:
                break
            sort_with_tags(gathered, origins, count)
            best, best_low, best_high, best_sign, sure = scan(
                gathered, origins, count, cells, left, n_negative, weights, unit_negative,
                unit_positive, total_negative, total_positive, tolerance, border,
            )  # fmt: skip
            if best >= border:
                break
            # the best border lies between equal values: look again, from what is sure to be had
            border = sure
        if crowded:
            n_crowded += 1
            weighed[0, row] = -1
        else:
            write_cut(
                row, low, high, total_negative, total_positive,
                best, best_low, best_high, best_sign, weighed, edges,
            )  # fmt: skip
    return n_crowded


@compiled()
def rate_cuts(weighed: Any, edges: Any, total: int, l1: float, l1_norms: Any, rates: Any) -> None:
    """Threshold, margin, score and objective of every cut of `best_cuts`, by rows of `rates`.

    The threshold is the middle between the two samples, and never the upper one.
    """
    for k in range(weighed.shape[1]):
        low = edges[0, k]
        high = edges[1, k]
        middle = low + (high - low) / 2.0
        rates[0, k] = middle if middle < high else low
        rates[1, k] = (high - low) / 2.0
        rates[2, k] = weighed[0, k] / total
        rates[3, k] = 1.0 + rates[1, k] if weighed[0, k] == total else rates[2, k]
        if l1 > 0.0:
            rates[3, k] -= l1 * (l1_norms[k] - 1.0)
