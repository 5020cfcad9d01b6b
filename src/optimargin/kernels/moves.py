"""Runs of exact moves along lines that are given by their slopes, the intercept being the last."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.lines import best_position


def working_space(m: int, n_buckets: int, dtype: Any) -> tuple[NDArray[Any], ...]:
    """The arrays that moves of m samples along lines of this type work in."""
    return (
        np.empty(4 * n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(n_buckets, np.int64),
        np.empty(m, np.uint32),
        np.empty(m + 1),
        np.empty(m + 1, np.int64),
        np.ones(m, dtype),
        np.empty(m),
    )


@compiled(VECTORISED, inner=True)
def step(values: Any, slopes: Any, tau: float, moved: Any) -> None:
    """Write the values after a step to `moved`."""
    for i in range(values.shape[0]):
        moved[i] = values[i] + tau * slopes[i]


@compiled(VECTORISED, inner=True)
def step_in_place(values: Any, slopes: Any, tau: float) -> None:
    """The same where the values stand; by `step` itself it would not be vectorised."""
    for i in range(values.shape[0]):
        values[i] += tau * slopes[i]


@compiled(inner=True)
def _copy(source: Any, target: Any) -> None:
    for j in range(source.shape[0]):
        target[j] = source[j]


@compiled()
def weight_correct(
    values: Any, n_negative: int, weights: Any, unit_negative: int, unit_positive: int
) -> Any:
    """Integer weight of the samples on their side."""
    negative = np.int64(0)
    positive = np.int64(0)
    if weights.shape[0] > 0:
        for i in range(n_negative):
            if not values[i] > 0.0:
                negative += weights[i]
        for i in range(n_negative, values.shape[0]):
            if values[i] > 0.0:
                positive += weights[i]
    else:
        for i in range(n_negative):
            negative += not values[i] > 0.0
        for i in range(n_negative, values.shape[0]):
            positive += values[i] > 0.0
    return unit_negative * negative + unit_positive * positive


@compiled()
def best_moves(
    lines: Any,
    steps: Any,
    values: Any,
    correct: int,
    order: Any,
    scale: float,
    chances: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    best_steps: Any,
    n_buckets: int,
    counts: Any,
    left: Any,
    bound: Any,
    cells: Any,
    gathered: Any,
    origins: Any,
    ones: Any,
    moved: Any,
) -> Any:
    """Move along the lines in turn; `steps` (positions on the lines) and `values` in place.

    `lines` has the slopes of one line a row; number `len(lines)` in `order` is the intercept. Each
    move goes to the middle of the widest of the best intervals or, with a chance that is not
    negative, to a random point of them. Returns the weight correct now and the greatest met on the
    way, whose steps are written to `best_steps`. The last eight arguments are `working_space`.

    A move along slopes g by tau takes a value f away from what the steps say by no more than
    2^-53 times |tau g| + |f + tau g| + |step g|, the step being the new one: that much rounding
    there is in the product and in the two sums. A run adds up the bounds of its moves.
    """
    n_lines = lines.shape[0]
    best = correct
    _copy(steps, best_steps)
    for turn in range(order.shape[0]):
        j = order[turn]
        slopes = ones if j == n_lines else lines[j]
        tau = best_position(
            values, slopes, scale, n_negative, weights, unit_negative, unit_positive,
            chances[turn], n_buckets, counts, left, bound, cells, gathered, origins,
        )  # fmt: skip
        step(values, slopes, tau, moved)
        found = weight_correct(moved, n_negative, weights, unit_negative, unit_positive)
        if found < correct:  # lost to rounding: stay
            continue
        _copy(moved, values)
        steps[j] += tau
        correct = found
        if correct > best:
            best = correct
            _copy(steps, best_steps)
    return correct, best


@compiled()
def sparse_moves(
    data: Any,
    rows: Any,
    starts: Any,
    steps: Any,
    values: Any,
    correct: int,
    order: Any,
    scale: float,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    touched_weights: Any,
    n_buckets: int,
    counts: Any,
    left: Any,
    bound: Any,
    cells: Any,
    gathered: Any,
    origins: Any,
    ones: Any,
    touched: Any,
) -> Any:
    """Best moves along columns of a CSC matrix: only the samples with an entry are looked at.

    The intercept, number `len(starts) - 1`, touches all of them. Returns the weight correct. The
    last eight arguments are `working_space`; `touched_weights` is as long as the weights.
    """
    n_columns = starts.shape[0] - 1
    for turn in range(order.shape[0]):
        j = order[turn]
        if j == n_columns:
            tau = best_position(
                values, ones, scale, n_negative, weights, unit_negative, unit_positive, -1.0,
                n_buckets, counts, left, bound, cells, gathered, origins,
            )  # fmt: skip
            step(values, ones, tau, touched)
            found = weight_correct(touched, n_negative, weights, unit_negative, unit_positive)
            if found >= correct:
                _copy(touched, values)
                correct = found
                steps[j] += tau
            continue
        first, last = starts[j], starts[j + 1]
        k = last - first
        if k == 0:
            continue
        negative = 0
        for i in range(k):
            row = rows[first + i]
            touched[i] = values[row]
            negative += row < n_negative
            if weights.shape[0] > 0:
                touched_weights[i] = weights[row]
        part_weights = touched_weights[:k] if weights.shape[0] > 0 else touched_weights
        part = touched[:k]
        slopes = data[first:last]
        buckets = min(n_buckets, max(64, k // 2))
        before = weight_correct(part, negative, part_weights, unit_negative, unit_positive)
        tau = best_position(
            part, slopes, scale, negative, part_weights, unit_negative, unit_positive, -1.0,
            buckets, counts[: 4 * buckets], left[:buckets], bound[:buckets], cells[:k], gathered,
            origins,
        )  # fmt: skip
        step_in_place(part, slopes, tau)
        after = weight_correct(part, negative, part_weights, unit_negative, unit_positive)
        if after >= before:
            steps[j] += tau
            correct += after - before
            for i in range(k):
                values[rows[first + i]] = part[i]
    return correct
