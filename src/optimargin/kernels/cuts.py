"""The best cut of a projection (the paper's Algorithm 1), without sorting all of it.

The projection is counted into equal buckets, class by class. The running counts give the exact
weight of correctly classified samples at every bucket border; inside a bucket it cannot exceed
"all of one class first". Only buckets whose bound reaches the best border are gathered and sorted.
Samples stand in two blocks, the negative class first. Weights are integers, so sums are exact.
"""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.sorting import sort_with_tags

_U2 = np.uint32(2)
_U1 = np.uint32(1)


@compiled(VECTORISED)
def _extent(values: Any) -> Any:
    low = values[0]
    high = values[0]
    for i in range(values.shape[0]):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


@compiled(VECTORISED)
def _place(values: Any, low: Any, per_unit: Any, last: Any, n_negative: int, cells: Any) -> None:
    """Cell of each sample: twice its bucket, plus one for the positive class."""
    for i in range(values.shape[0]):
        bucket = min(max((values[i] - low) * per_unit, np.float64(0.0)), last)
        cells[i] = np.uint32(np.int32(bucket)) * _U2
    for i in range(n_negative, values.shape[0]):
        cells[i] += _U1


@compiled()
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
    correct: Any,
    lower: Any,
    upper: Any,
    signs: Any,
) -> None:
    """Best cut of every row of `projections`.

    `weights` holds one integer a sample, or is empty where all samples of a class weigh the same;
    `unit_negative` and `unit_positive` are the factors of the two classes. Neighbours closer than
    `tie` times the largest absolute value count as equal. Written to the last four arrays: the
    weight classified correctly, the samples on either side of the cut in units of sign times
    projection (equal where everything goes to one class), and the sign.
    """
    n_rows, m = projections.shape
    weighted = weights.shape[0] > 0
    cells = np.empty(m, np.uint32)
    counts = np.empty(2 * n_buckets, np.int64)
    left = np.empty(n_buckets, np.int64)
    keep = np.empty(n_buckets, np.int64)
    gathered = np.empty(m + 1, projections.dtype)
    origins = np.empty(m + 1, np.int64)
    for row in range(n_rows):
        values = projections[row]
        low, high = _extent(values)
        tolerance = tie * max(abs(low), abs(high))
        start, stop = _robust_range(values, low, high)
        per_unit = n_buckets / max(np.float64(stop) - np.float64(start), np.float64(1e-290))
        _place(values, start, per_unit, np.float64(n_buckets - 1), n_negative, cells)

        counts[:] = 0
        if weighted:
            for i in range(m):
                counts[cells[i]] += weights[i]
        else:
            for i in range(m):
                counts[cells[i]] += 1

        # `running` is the weight gained, against everything positive, by calling what lies to the
        # left negative; with the sign reversed it is the loss against everything negative.
        running = np.int64(0)
        most = np.int64(0)
        least = np.int64(0)
        for b in range(n_buckets):
            left[b] = running
            running += unit_negative * counts[2 * b] - unit_positive * counts[2 * b + 1]
            most = max(most, running)
            least = min(least, running)
        border = max(total_positive + most, total_negative - least)
        best = np.int64(-1)
        for _ in range(3):
            for b in range(n_buckets):
                gain = total_positive + left[b] + unit_negative * counts[2 * b]
                loss = total_negative - left[b] + unit_positive * counts[2 * b + 1]
                keep[b] = (gain >= border) | (loss >= border)
            count = 0
            for i in range(m):
                gathered[count] = values[i]
                origins[count] = i
                count += keep[cells[i] >> _U1]
            sort_with_tags(gathered, origins, count)

            best = np.int64(-1)
            sure = np.int64(-1)
            best_gap = -1.0
            best_low = 0.0
            best_high = 0.0
            best_sign = 1
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
            if best >= border:
                break
            # the best border lies between equal values: look again, from what is sure to be had
            border = sure

        if min(total_negative, total_positive) == 0 or max(total_negative, total_positive) > best:
            # everything to the heavier class: a cut beyond all samples
            beyond = 1.0 + 2.0 * max(abs(low), abs(high))
            best = max(total_negative, total_positive)
            best_sign = 1
            best_low = beyond if total_negative >= total_positive else -beyond
            best_high = best_low
        correct[row] = best
        lower[row] = best_low
        upper[row] = best_high
        signs[row] = best_sign
