"""Newton's method for a linear model with a margin loss and a ridge penalty."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled

# Steps end when they promise less than this share of the objective.
_ENOUGH = 1e-9


@compiled()
def _derivatives(margins: Any, scale: Any, logistic: bool, slopes: Any, bends: Any) -> float:
    """Total loss; first and second derivative of each sample's loss by its margin."""
    total = 0.0
    for i in range(margins.shape[0]):
        u = margins[i]
        if logistic:
            e = np.exp(-abs(u))
            wrong = e / (1.0 + e) if u > 0.0 else 1.0 / (1.0 + e)
            total += scale[i] * (np.log1p(e) + max(-u, 0.0))
            slopes[i] = -scale[i] * wrong
            bends[i] = scale[i] * wrong * (1.0 - wrong)
        else:
            short = max(1.0 - u, 0.0)
            total += scale[i] * short * short
            slopes[i] = -2.0 * scale[i] * short
            bends[i] = 2.0 * scale[i] if short > 0.0 else 0.0
    return total


@compiled()
def newton(
    features: Any, scale: Any, n_negative: int, logistic: bool, max_steps: int, weights: Any
) -> None:
    """Minimise |w|^2 / 2 + sum of scale times loss over (w, b) from 0; `weights` receives w.

    The loss is the logistic one or the squared hinge. Steps are halved until they descend.
    """
    n, m = features.shape
    margins = np.zeros(m)
    trial = np.zeros(m)
    change = np.zeros(m)
    slopes = np.empty(m)
    bends = np.empty(m)
    weighted = np.empty((n, m))
    gradient = np.empty(n + 1)
    hessian = np.empty((n + 1, n + 1))
    value = _derivatives(margins, scale, logistic, slopes, bends)
    for _ in range(max_steps):
        slopes[:n_negative] *= -1.0
        gradient[:n] = np.dot(features, slopes) + weights
        gradient[n] = slopes.sum()
        for j in range(n):
            total = 0.0
            for i in range(m):
                weighted[j, i] = features[j, i] * bends[i]
                total += weighted[j, i]
            hessian[j, n] = total
            hessian[n, j] = total
        hessian[:n, :n] = np.dot(weighted, features.T)
        hessian[n, n] = bends.sum()
        largest = 1e-12
        for j in range(n + 1):
            largest = max(largest, hessian[j, j])
        for j in range(n):
            hessian[j, j] += 1.0
        for j in range(n + 1):
            hessian[j, j] += 1e-12 * largest
        step = np.linalg.solve(hessian, gradient)
        decrement = np.dot(gradient, step)
        if not decrement > _ENOUGH * abs(value):
            return
        change[:] = np.dot(step[:n], features) + step[n]
        change[:n_negative] *= -1.0
        length = 1.0
        descended = False
        while length > 1e-4:
            trial[:] = margins - length * change
            moved = weights - length * step[:n]
            trial_value = _derivatives(trial, scale, logistic, slopes, bends)
            trial_value += 0.5 * np.dot(moved, moved)
            if trial_value <= value - 0.1 * length * decrement:
                descended = True
                break
            length *= 0.5
        if not descended:
            return
        margins[:] = trial
        weights[:] = moved
        value = trial_value
