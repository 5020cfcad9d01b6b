"""The update of CMA-ES's search distribution (Hansen's tutorial, arXiv 1604.00772)."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled


@compiled()
def update_distribution(
    mean: Any,
    sigma: float,
    covariance: Any,
    path_sigma: Any,
    path_covariance: Any,
    normals: Any,
    steps: Any,
    ranking: Any,
    weights: Any,
    effective: float,
    rate_sigma: float,
    damping: float,
    rate_path: float,
    rate_one: float,
    rate_mu: float,
    generation: int,
) -> float:
    """One generation: mean, paths and covariance in place; returns the new step size.

    `steps` are the samples' displacements from the mean in units of sigma, `normals` the standard
    normal vectors they were made of by the symmetric root of the covariance, so that the weighted
    mean of the best normals is C^(-1/2) times the mean's displacement without any inverse.
    """
    n = mean.shape[0]
    parents = weights.shape[0]
    step = np.zeros(n)
    white = np.zeros(n)
    for k in range(parents):
        i = ranking[k]
        for j in range(n):
            step[j] += weights[k] * steps[i, j]
            white[j] += weights[k] * normals[i, j]

    gain = np.sqrt(rate_sigma * (2.0 - rate_sigma) * effective)
    length = 0.0
    for j in range(n):
        mean[j] += sigma * step[j]
        path_sigma[j] = (1.0 - rate_sigma) * path_sigma[j] + gain * white[j]
        length += path_sigma[j] ** 2
    length /= n

    # the covariance's path stands still while the step size grows fast
    started = 1.0 - (1.0 - rate_sigma) ** (2 * generation)
    moving = 1.0 if length / started < 2.0 + 4.0 / (n + 1) else 0.0
    gain = moving * np.sqrt(rate_path * (2.0 - rate_path) * effective)
    for j in range(n):
        path_covariance[j] = (1.0 - rate_path) * path_covariance[j] + gain * step[j]

    kept = 1.0 - rate_one * (1.0 - (1.0 - moving) * rate_path * (2.0 - rate_path)) - rate_mu
    for i in range(n):
        for j in range(n):
            covariance[i, j] *= kept
        factor = rate_one * path_covariance[i]
        for j in range(n):
            covariance[i, j] += factor * path_covariance[j]
    for k in range(parents):
        row = ranking[k]
        for i in range(n):
            factor = rate_mu * weights[k] * steps[row, i]
            for j in range(n):
                covariance[i, j] += factor * steps[row, j]

    growth = rate_sigma / damping * (length - 1.0) / 2.0
    return float(sigma * np.exp(min(1.0, growth)))
