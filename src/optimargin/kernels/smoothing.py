"""Descent on a smooth 0-1 loss that is sharpened step by step.

The loss of a sample at signed distance u from the separator is (1 - s u / sqrt(1 + (s u)^2)) / 2:
the 0-1 loss with its corner rounded, the more so the smaller the sharpness s. It is descended by
L-BFGS, written here because a library's line search and call-backs cost some 30 microseconds an
evaluation, on small data several times the evaluation itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.kernels.compilation import VECTORISED, compiled

_MEMORY = 6
_TRIES = 12


@compiled(VECTORISED)
def smooth_loss(
    values: Any, importance: Any, n_negative: int, sharpness: float, pull: Any
) -> float:
    """Weighted smooth loss, and its derivative by each value."""
    total = 0.0
    for i in range(values.shape[0]):
        side = -1.0 if i < n_negative else 1.0
        u = sharpness * side * values[i]
        root = 1.0 / np.sqrt(1.0 + u * u)
        total += importance[i] * (1.0 - u * root)
        pull[i] = -0.5 * importance[i] * sharpness * side * root * root * root
    return 0.5 * total


@compiled(VECTORISED, inner=True)
def _inner(a: Any, b: Any) -> float:
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@compiled(VECTORISED, inner=True)
def _add(target: Any, factor: float, source: Any) -> None:
    for j in range(target.shape[0]):
        target[j] += factor * source[j]


@compiled(VECTORISED, inner=True)
def _evaluate(
    features: Any,
    theta: Any,
    importance: Any,
    n_negative: int,
    sharpness: float,
    values: Any,
    pull: Any,
) -> float:
    """Loss at theta, and its derivative by each value in `pull`."""
    n, m = features.shape
    for i in range(m):
        values[i] = theta[n]
    for j in range(n):
        _add(values, theta[j], features[j])
    return smooth_loss(values, importance, n_negative, sharpness, pull)


@compiled(VECTORISED, inner=True)
def _gradient(features: Any, pull: Any, gradient: Any) -> None:
    n, m = features.shape
    total = 0.0
    for i in range(m):
        total += pull[i]
    for j in range(n):
        gradient[j] = _inner(features[j], pull)
    gradient[n] = total


def working_space(m: int, n: int) -> tuple[NDArray[np.float64], ...]:
    """The arrays that a descent for m samples of n features works in."""
    return (
        np.empty((_MEMORY, n + 1)),
        np.empty((_MEMORY, n + 1)),
        np.empty((2, _MEMORY)),
        np.empty((4, n + 1)),
        np.empty((2, m)),
    )


@compiled()
def descend(
    features: Any,
    theta: Any,
    importance: Any,
    n_negative: int,
    sharpness: float,
    steps: int,
    old_steps: Any,
    old_changes: Any,
    memory_space: Any,
    vector_space: Any,
    sample_space: Any,
) -> None:
    """At most `steps` L-BFGS steps from theta, in place; the last entry is the intercept.

    The last five arguments are `working_space`.
    """
    n = features.shape[0]
    curvatures, factors = memory_space[0], memory_space[1]
    direction, trial = vector_space[0], vector_space[1]
    gradient, trial_gradient = vector_space[2], vector_space[3]
    values, pull = sample_space[0], sample_space[1]
    stored = 0

    loss = _evaluate(features, theta, importance, n_negative, sharpness, values, pull)
    _gradient(features, pull, gradient)
    for _ in range(steps):
        for j in range(n + 1):
            direction[j] = -gradient[j]
        recent = min(stored, _MEMORY)
        for back in range(recent):
            k = (stored - 1 - back) % _MEMORY
            factors[k] = _inner(old_steps[k], direction) / curvatures[k]
            _add(direction, -factors[k], old_changes[k])
        if stored > 0:
            k = (stored - 1) % _MEMORY
            scale = curvatures[k] / _inner(old_changes[k], old_changes[k])
            for j in range(n + 1):
                direction[j] *= scale
        for back in range(recent - 1, -1, -1):
            k = (stored - 1 - back) % _MEMORY
            factor = factors[k] - _inner(old_changes[k], direction) / curvatures[k]
            _add(direction, factor, old_steps[k])
        slope = _inner(gradient, direction)
        if not slope < -1e-9:
            return
        length = 1.0
        if stored == 0:  # no curvature known yet: a tenth of the separator's length
            length = 0.1 * np.sqrt(_inner(theta, theta) / _inner(direction, direction))
        tries = 0
        while True:
            for j in range(n + 1):
                trial[j] = theta[j] + length * direction[j]
            trial_loss = _evaluate(features, trial, importance, n_negative, sharpness, values, pull)
            if trial_loss <= loss + 1e-4 * length * slope:
                break
            length *= 0.4
            tries += 1
            if tries == _TRIES:
                return
        _gradient(features, pull, trial_gradient)
        curvature = 0.0
        changed = 0.0
        for j in range(n + 1):
            change = trial_gradient[j] - gradient[j]
            curvature += (trial[j] - theta[j]) * change
            changed += change * change
        if curvature > 1e-12 * changed:
            k = stored % _MEMORY
            for j in range(n + 1):
                old_steps[k, j] = trial[j] - theta[j]
                old_changes[k, j] = trial_gradient[j] - gradient[j]
            curvatures[k] = curvature
            stored += 1
        for j in range(n + 1):
            theta[j] = trial[j]
            gradient[j] = trial_gradient[j]
        gain = loss - trial_loss
        loss = trial_loss
        if gain < 1e-5 * loss:
            return
