"""Weighted means and covariances."""

import numpy as np

from optimargin.baselines._base import FloatArray


def mean_and_covariance(X: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Maximum-likelihood mean and covariance: the sums are divided by the total weight.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._moments import mean_and_covariance
    >>> mean, covariance = mean_and_covariance(np.array([[0.0], [2.0]]), np.ones(2))
    >>> mean, covariance
    (array([1.]), array([[1.]]))
    """
    total = weights.sum()
    mean: FloatArray = weights @ X / total
    centred = X - mean
    centred *= np.sqrt(weights / total)[:, np.newaxis]
    return mean, centred.T @ centred
