"""A certificate: an upper bound on the error of a randomised linear classifier.

For the classifier that draws its weights (intercept included) anew for every sample from N(mu w,
I), where w is a separator at unit length, the probability of misclassifying x with label y is
Phi(-mu y w.x / |x|), with x extended by a one for the intercept. Against the prior N(0, I) the
Kullback-Leibler divergence is mu^2 / 2. The PAC-Bayes-kl inequality (Maurer's form, which holds for
any number of samples) then bounds the true error of each class by its training error, here for both
classes at delta / 2 and for all mu of a fixed grid at once, so that the best may be chosen
afterwards (Langford and Shawe-Taylor, 2002). The union over the grid is on the safe side, as the
inequality is uniform in the posterior; it adds log(21) / m to the divergence.

The prior must not depend on the samples. It is spherical in the units of the features as they are
given to `error_bound`, whatever scaling the classifier used inside: `coef_` is for those units.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import ndtr, xlogy
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.extmath import safe_sparse_dot

# Fixed before any data were seen.
SCALES = 2.0 ** np.arange(-4, 17)


@dataclass(frozen=True)
class ErrorBound:
    """A bound on the balanced error of the randomised classifier, and what it is made of.

    Attributes
    ----------
    balanced_error : float
        With probability 1 - delta over the draw of the samples, the true balanced error of the
        randomised classifier is at most this.
    class_errors : tuple of float
        The bounds of the two classes, whose mean that is.
    training_error : float
        Balanced error of the randomised classifier on the samples given.
    scale : float
        The mu of the bound.
    """

    balanced_error: float
    class_errors: tuple[float, float]
    training_error: float
    scale: float


def separator_error_bound(
    X: Any,
    y: ArrayLike,
    classes: NDArray[Any],
    coef: NDArray[np.floating],
    intercept: NDArray[np.floating],
    delta: float,
) -> ErrorBound:
    """The bound for a fitted separator of two classes on validated samples."""
    if classes.size != 2:
        raise ValueError(f"error_bound is for two classes; this classifier has {classes.size}.")
    if not 0 < delta < 1:
        raise ValueError(f"delta={delta!r} must lie between 0 and 1.")
    labels = column_or_1d(np.asarray(y))
    check_consistent_length(X, labels)
    positive, negative = labels == classes[1], labels == classes[0]
    if not np.all(positive | negative) or positive.all() or negative.all():
        raise ValueError(f"y must hold both of the classes {classes.tolist()}, and no other.")
    weights = np.append(coef[0], intercept[0]).astype(np.float64)
    values = safe_sparse_dot(X, weights[:-1]) + weights[-1]
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    lengths = np.sqrt((np.ravel(squares) + 1.0) * (weights @ weights))
    return gaussian_error_bound(values / lengths, positive, delta)


def gaussian_error_bound(
    positions: NDArray[np.float64], positive: NDArray[np.bool_], delta: float
) -> ErrorBound:
    """The best bound over the grid of scales.

    `positions` are w.x / |x| of the samples, in [-1, 1].
    """
    best: ErrorBound | None = None
    for scale in SCALES:
        wrong = np.where(positive, ndtr(-scale * positions), ndtr(scale * positions))
        errors = float(wrong[~positive].mean()), float(wrong[positive].mean())
        bounds = [
            _inverse_kl(error, _complexity(float(scale), int(size), delta))
            for error, size in zip(errors, (np.sum(~positive), np.sum(positive)), strict=True)
        ]
        bound = ErrorBound(sum(bounds) / 2, (bounds[0], bounds[1]), sum(errors) / 2, float(scale))
        if best is None or bound.balanced_error < best.balanced_error:
            best = bound
    assert best is not None
    return best


def _complexity(scale: float, size: int, delta: float) -> float:
    share = delta / (2 * SCALES.size)
    return (scale**2 / 2 + math.log(2 * math.sqrt(size) / share)) / size


def _kl(p: float, q: float) -> float:
    """Divergence of two coins."""
    return float(xlogy(p, p / q) + xlogy(1 - p, (1 - p) / (1 - q)))


def _inverse_kl(error: float, complexity: float) -> float:
    """The greatest true error whose divergence from the training error is the complexity."""
    highest = 1.0 - 1e-12
    if error >= highest or _kl(error, highest) <= complexity:
        return 1.0
    lowest = max(error, 1e-15)
    if _kl(error, lowest) >= complexity:
        return lowest
    return float(brentq(lambda q: _kl(error, q) - complexity, lowest, highest, xtol=1e-12))
