"""Runs of exact moves along coordinates, the intercept being the last of them."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled
from optimargin.kernels.lines import best_position, gibbs_position

BEST, PLATEAU, GIBBS = 0, 1, 2


@compiled(VECTORISED)
def _step(values: Any, slopes: Any, tau: float) -> None:
    for i in range(values.shape[0]):
        values[i] += tau * slopes[i]


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
def coordinate_moves(
    features: Any,
    theta: Any,
    values: Any,
    correct: int,
    coordinates: Any,
    mode: int,
    beta: float,
    chances: Any,
    n_negative: int,
    weights: Any,
    unit_negative: int,
    unit_positive: int,
    log_masses: Any,
    best_theta: Any,
) -> Any:
    """Move along the coordinates in turn; theta, its last entry the intercept, and values in place.

    Returns the weight correct now and the greatest met on the way, whose theta is in `best_theta`.
    """
    m = values.shape[0]
    n = features.shape[0]
    n_buckets = log_masses.shape[0]
    counts = np.empty(4 * n_buckets, np.int64)
    left = np.empty(n_buckets, np.int64)
    bound = np.empty(n_buckets, np.int64)
    cells = np.empty(m, np.uint32)
    passed = np.empty(n_buckets)
    gathered = np.empty(m + 1)
    origins = np.empty(m + 1, np.int64)
    ones = np.ones(m, features.dtype)
    best = correct
    best_theta[:] = theta
    for turn in range(coordinates.shape[0]):
        j = coordinates[turn]
        slopes = ones if j == n else features[j]
        if mode == GIBBS:
            tau, _ = gibbs_position(
                values, slopes, theta[j], n_negative, weights, unit_negative, unit_positive,
                beta, chances[turn], log_masses, counts, left, bound, cells, origins, passed,
            )
        else:
            squares = 0.0
            for i in range(n):
                squares += theta[i] * theta[i]
            scale = np.sqrt(squares) if squares > 0.0 else 1.0
            tau = best_position(
                values, slopes, scale, n_negative, weights, unit_negative, unit_positive,
                chances[turn, 0] if mode == PLATEAU else -1.0,
                n_buckets, counts, left, bound, cells, gathered, origins,
            )
        _step(values, slopes, tau)
        found = weight_correct(values, n_negative, weights, unit_negative, unit_positive)
        if mode != GIBBS and found < correct:  # lost to rounding: stay
            _step(values, slopes, -tau)
            continue
        theta[j] += tau
        correct = found
        if correct > best:
            best = correct
            best_theta[:] = theta
    return correct, best
