"""Newton's method for a linear model with a margin loss and a ridge penalty."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import VECTORISED, compiled

# Steps end when they promise less than this share of the objective.
_ENOUGH = 1e-9

# Samples that bend the loss by less than this share of the one that bends it most do not count in
# the Hessian: they change the way to the minimum, not the minimum.
_LEAST_BEND = 1e-9

_BLOCK = 2**16  # numbers handled at once
_LEAST_BLOCK = 512  # samples


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


@compiled(VECTORISED)
def _solve_in_place(matrix: Any, vector: Any) -> None:
    """Solve a positive definite system; the matrix becomes its Cholesky factor.

    By hand, because LAPACK's solver takes numba two seconds to compile.
    """
    n = vector.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = np.sqrt(max(total, 1e-300))
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(n):
        total = vector[i]
        for k in range(i):
            total -= matrix[i, k] * vector[k]
        vector[i] = total / matrix[i, i]
    for i in range(n - 1, -1, -1):
        vector[i] /= matrix[i, i]
        for k in range(i):
            vector[k] -= matrix[i, k] * vector[i]


@compiled()
def _squares(features: Any, bends: Any, squares: Any, sums: Any) -> None:
    """Sum of products of features over the samples, weighted by their bends; and weighted sums.

    By blocks of samples: they stay in the cache, and no second copy of all data is made.
    """
    n, m = features.shape
    least = 0.0
    for i in range(m):
        least = max(least, bends[i])
    least *= _LEAST_BEND
    width = min(m, max(_LEAST_BLOCK, _BLOCK // n))
    bending = np.empty(width, np.int64)
    present = np.empty(n * width)
    weighted = np.empty(n * width)
    for j in range(n):
        sums[j] = 0.0
        for k in range(n):
            squares[j, k] = 0.0
    i = 0
    while i < m:
        count = 0
        while i < m and count < width:
            if bends[i] > least:
                bending[count] = i
                count += 1
            i += 1
        for j in range(n):
            total = 0.0
            for k in range(count):
                value = features[j, bending[k]]
                present[j * count + k] = value
                value *= bends[bending[k]]
                weighted[j * count + k] = value
                total += value
            sums[j] += total
        here = present[: n * count].reshape((n, count))
        products = np.dot(weighted[: n * count].reshape((n, count)), here.T)
        for j in range(n):
            for k in range(n):
                squares[j, k] += products[j, k]


@compiled()
def newton(
    features: Any, scale: Any, n_negative: int, logistic: bool, max_steps: int, theta: Any
) -> None:
    """Minimise |w|^2 / 2 + sum of scale times loss over theta = (w, b), in place.

    The loss is the logistic one or the squared hinge. Steps are halved until they descend.
    """
    n, m = features.shape
    margins = np.dot(theta[:n], features)
    trial = np.empty(m)
    slopes = np.empty(m)
    bends = np.empty(m)
    step = np.empty(n + 1)
    gradient = np.empty(n + 1)
    hessian = np.empty((n + 1, n + 1))
    squares = np.empty((n, n))
    sums = np.empty(n)
    for i in range(m):
        margins[i] += theta[n]
        if i < n_negative:
            margins[i] = -margins[i]
    value = _derivatives(margins, scale, logistic, slopes, bends)
    for j in range(n):
        value += 0.5 * theta[j] ** 2
    for _ in range(max_steps):
        pulled = 0.0
        bent = 0.0
        for i in range(m):
            if i < n_negative:
                slopes[i] = -slopes[i]
            pulled += slopes[i]
            bent += bends[i]
        pull = np.dot(features, slopes)
        _squares(features, bends, squares, sums)
        for j in range(n):
            hessian[n, j] = sums[j]
            gradient[j] = pull[j] + theta[j]
        gradient[n] = pulled
        largest = max(bent, 1e-12)
        for j in range(n):
            for k in range(j + 1):
                hessian[j, k] = squares[j, k]
            largest = max(largest, squares[j, j])
            hessian[j, j] += 1.0
        hessian[n, n] = bent
        for j in range(n + 1):
            hessian[j, j] += 1e-12 * largest
            step[j] = gradient[j]
        _solve_in_place(hessian, step)
        decrement = 0.0
        for j in range(n + 1):
            decrement += gradient[j] * step[j]
        if not decrement > _ENOUGH * abs(value):
            return
        change = np.dot(step[:n], features)
        length = 1.0
        while True:
            for i in range(m):
                moved = change[i] + step[n]
                trial[i] = margins[i] + length * (moved if i < n_negative else -moved)
            trial_value = _derivatives(trial, scale, logistic, slopes, bends)
            for j in range(n):
                trial_value += 0.5 * (theta[j] - length * step[j]) ** 2
            if trial_value <= value - 0.1 * length * decrement:
                break
            length *= 0.5
            if length < 1e-4:
                return
        for i in range(m):
            margins[i] = trial[i]
        for j in range(n + 1):
            theta[j] -= length * step[j]
        value = trial_value
