"""Where a search begins: directions found by fast convex and closed-form methods.

These are written here and not taken from scikit-learn for two reasons: on small data the validation
around its estimators costs more than the search, and its discriminant analysis takes no sample
weights. All starts honour the weights of the problem: a sample of weight 2 is a sample given twice.
"""

import numpy as np
from numpy.typing import NDArray

from optimargin.margin_loss import minimise_margin_loss
from optimargin.problem import Problem, blocks_of_samples

START_NAMES = ("random", "mean_difference", "lda", "logistic", "logistic_free", "svm")


def start_direction(name: str, problem: Problem, rng: np.random.Generator) -> NDArray[np.float64]:
    """One direction (of any length) by the method `name`."""
    match name:
        case "random":
            return rng.standard_normal(problem.n_features)
        case "mean_difference":
            direction = mean_difference(problem)
        case "lda":
            direction = linear_discriminant(problem)
        case "logistic":
            direction = minimise_margin_loss(problem, "logistic", strength=1.0)[:-1]
        case "logistic_free":
            direction = minimise_margin_loss(problem, "logistic", strength=1e6)[:-1]
        case "svm":
            direction = minimise_margin_loss(problem, "squared_hinge", strength=1.0)[:-1]
        case _:
            raise ValueError(f"start={name!r} is not one of {', '.join(START_NAMES)}.")
    return settled(direction)


def settled(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """A usable direction that does not depend on the order in which samples were summed.

    Rounding to nine digits of the largest entry takes away what differs between two ways of saying
    the same (a sample given twice, or with weight 2). Without any direction in it, take all ones.
    """
    largest = np.abs(direction).max(initial=0.0)
    if not np.isfinite(largest) or largest == 0.0:
        return np.ones_like(direction)
    rounded: NDArray[np.float64] = np.round(direction / largest, 9) + 0.0
    return rounded


def _class_means(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    shares = problem.importance.copy()
    negative, positive = (
        np.arange(shares.size) < problem.n_negative,
        slice(problem.n_negative, None),
    )
    means = []
    for block in (negative, positive):
        weights = np.zeros_like(shares)
        total = shares[block].sum()
        weights[block] = shares[block] / total if total > 0 else 0.0
        means.append(np.asarray(problem.combine(weights.astype(problem.dtype)), dtype=np.float64))
    return means[0], means[1]


def mean_difference(problem: Problem) -> NDArray[np.float64]:
    """From the mean of the negative class to that of the positive."""
    negative, positive = _class_means(problem)
    return positive - negative


def linear_discriminant(problem: Problem) -> NDArray[np.float64]:
    """Fisher's direction with equal priors; the covariance is shrunk as Ledoit and Wolf say."""
    if problem.is_sparse:
        raise ValueError(
            'start="lda" needs the covariance of all features and is not available for sparse '
            'input; use "logistic", "svm" or "mean_difference".'
        )
    features: NDArray[np.floating] = np.asarray(problem.features)
    n = problem.n_features
    means = _class_means(problem)
    covariance = np.zeros((n, n))
    fourth = 0.0
    for first, last, mean in (
        (0, problem.n_negative, means[0]),
        (problem.n_negative, problem.n_samples, means[1]),
    ):
        shares = problem.importance[first:last]
        total = shares.sum()
        shares = shares * (0.5 / total if total > 0 else 0.0)
        for block in blocks_of_samples(last - first, n):
            centred = features[:, first:last][:, block] - mean[:, None]
            covariance += (centred * shares[block]) @ centred.T
            fourth += float(shares[block] @ np.einsum("ij,ij->j", centred, centred) ** 2)
    level = float(np.trace(covariance)) / n
    difference = means[1] - means[0]
    if level <= 0.0:
        return difference
    spread = float(np.sum(covariance**2))
    error = max(fourth - spread, 0.0) / problem.total_weight
    distance = spread - n * level**2
    shrinkage = min(1.0, error / distance) if distance > 0.0 else 1.0
    covariance *= 1.0 - shrinkage
    covariance[np.diag_indices(n)] += (shrinkage + 1e-9) * level
    return np.asarray(np.linalg.solve(covariance, difference))
