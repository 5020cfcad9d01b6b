"""Descent on a smooth 0-1 loss that is sharpened step by step.

The loss of a sample at signed distance u from the separator is (1 - s u / sqrt(1 + (s u)^2)) / 2: the
0-1 loss with its corner rounded, the more so the smaller the sharpness s. It is descended by L-BFGS,
written here because a library's line search and call-backs cost some 30 microseconds an evaluation,
on small data several times the evaluation itself.
"""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled

_MEMORY = 6


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


@compiled()
def descend(
    features: Any, theta: Any, importance: Any, n_negative: int, sharpness: float, steps: int
) -> Any:
    """At most `steps` L-BFGS steps from theta, in place; the last entry is the intercept.

    Returns the loss reached.
    """
    n, m = features.shape
    old_steps = np.empty((_MEMORY, n + 1))
    old_changes = np.empty((_MEMORY, n + 1))
    curvatures = np.empty(_MEMORY)
    factors = np.empty(_MEMORY)
    stored = 0
    pull = np.empty(m)
    gradient = np.empty(n + 1)
    trial_gradient = np.empty(n + 1)

    values = np.dot(theta[:n], features) + theta[n]
    loss = smooth_loss(values, importance, n_negative, sharpness, pull)
    gradient[:n] = np.dot(features, pull)
    gradient[n] = pull.sum()
    for step in range(steps):
        direction = -gradient
        for back in range(min(stored, _MEMORY)):
            k = (stored - 1 - back) % _MEMORY
            factors[k] = np.dot(old_steps[k], direction) / curvatures[k]
            direction -= factors[k] * old_changes[k]
        if stored > 0:
            k = (stored - 1) % _MEMORY
            direction *= curvatures[k] / np.dot(old_changes[k], old_changes[k])
        for back in range(min(stored, _MEMORY) - 1, -1, -1):
            k = (stored - 1 - back) % _MEMORY
            factor = factors[k] - np.dot(old_changes[k], direction) / curvatures[k]
            direction += factor * old_steps[k]
        slope = np.dot(gradient, direction)
        if not slope < -1e-9:
            break
        length = 1.0
        if stored == 0:  # no curvature known yet: a tenth of the separator's length
            length = 0.1 * np.sqrt(np.dot(theta, theta) / np.dot(direction, direction))
        moved = False
        for _ in range(12):
            trial = theta + length * direction
            values = np.dot(trial[:n], features) + trial[n]
            trial_loss = smooth_loss(values, importance, n_negative, sharpness, pull)
            if trial_loss <= loss + 1e-4 * length * slope:
                moved = True
                break
            length *= 0.4
        if not moved:
            break
        trial_gradient[:n] = np.dot(features, pull)
        trial_gradient[n] = pull.sum()
        change = trial_gradient - gradient
        taken = trial - theta
        curvature = np.dot(change, taken)
        if curvature > 1e-12 * np.dot(change, change):
            k = stored % _MEMORY
            old_steps[k] = taken
            old_changes[k] = change
            curvatures[k] = curvature
            stored += 1
        gain = loss - trial_loss
        theta[:] = trial
        gradient[:] = trial_gradient
        loss = trial_loss
        if gain < 1e-5 * loss:
            break
    return loss
