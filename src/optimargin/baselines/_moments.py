"""Weighted means and covariances."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

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


def means_coincide(first: FloatArray, second: FloatArray, name: str) -> bool:
    """Whether the two means of a pair differ by no more than rounding; if so, warn.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._moments import means_coincide
    >>> means_coincide(np.array([0.3, 1.0]), np.array([0.4, 1.0]), "classes 0 and 1")
    False
    """
    scale = np.linalg.norm(first) + np.linalg.norm(second)
    coincide = bool(np.linalg.norm(first - second) <= 1e-14 * scale)
    if coincide:
        warnings.warn(
            f"The means of {name} coincide, so no hyperplane tells them apart; "
            f"the first is predicted for every row.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return coincide
