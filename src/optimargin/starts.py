"""Where a search begins: directions found by fast convex and closed-form methods.

These are written here and not taken from scikit-learn for two reasons: on small data the validation
around its estimators costs more than the search, and its discriminant analysis takes no sample
weights. All starts honour the weights of the problem: a sample of weight 2 is a sample given twice.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from optimargin.kernels.newton import newton
from optimargin.problem import Problem

START_NAMES = ("random", "mean_difference", "lda", "logistic", "logistic_free", "svm")

# Loss and slope of each margin.
Derivatives = Callable[
    [NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]
]

_NEWTON_LIMIT = 600  # features up to which a Hessian is formed and factored
_NEWTON_STEPS = 50


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
            direction = minimise_margin_loss(problem, "logistic", strength=1.0)
        case "logistic_free":
            direction = minimise_margin_loss(problem, "logistic", strength=1e6)
        case "svm":
            direction = minimise_margin_loss(problem, "squared_hinge", strength=1.0)
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
    negative, positive = _class_means(problem)
    centred = features.astype(np.float64)
    centred[:, : problem.n_negative] -= negative[:, None]
    centred[:, problem.n_negative :] -= positive[:, None]
    shares = problem.importance.copy()
    for block in (slice(None, problem.n_negative), slice(problem.n_negative, None)):
        total = shares[block].sum()
        shares[block] *= 0.5 / total if total > 0 else 0.0
    covariance = (centred * shares) @ centred.T
    level = float(np.trace(covariance)) / n
    difference = positive - negative
    if level <= 0.0:
        return difference
    fourth = float(shares @ np.einsum("ij,ij->j", centred, centred) ** 2)
    spread = float(np.sum(covariance**2))
    error = max(fourth - spread, 0.0) / problem.total_weight
    distance = spread - n * level**2
    shrinkage = min(1.0, error / distance) if distance > 0.0 else 1.0
    covariance *= 1.0 - shrinkage
    covariance[np.diag_indices(n)] += (shrinkage + 1e-9) * level
    return np.asarray(np.linalg.solve(covariance, difference))


def minimise_margin_loss(problem: Problem, loss: str, strength: float) -> NDArray[np.float64]:
    """The direction w of the minimum of a margin loss over (w, b), intercept unpenalised.

    What is minimised is

        |w|^2 / 2 + strength * sum_i s_i loss(y_i (x_i.w + b))

    where s_i is the importance of a sample scaled to mean 1 and the loss is `logistic`,
    log(1 + exp(-u)), or `squared_hinge`, max(0, 1 - u)^2. By Newton steps while the Hessian is
    affordable, else by L-BFGS.
    """
    scale = strength * problem.total_weight * problem.importance
    derivatives = _logistic if loss == "logistic" else _squared_hinge
    if problem.is_sparse or problem.n_features > _NEWTON_LIMIT:
        return _by_lbfgs(problem, scale, problem.signs, derivatives)
    weights = np.zeros(problem.n_features)
    features = np.asarray(problem.features, dtype=np.float64)
    newton(features, scale, problem.n_negative, loss == "logistic", _NEWTON_STEPS, weights)
    return weights


def _logistic(margins: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.logaddexp(0.0, -margins), -expit(-margins)


def _squared_hinge(
    margins: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    short = np.maximum(1.0 - margins, 0.0)
    return short**2, -2.0 * short


def _by_lbfgs(
    problem: Problem,
    scale: NDArray[np.float64],
    signs: NDArray[np.float64],
    derivatives: Derivatives,
) -> NDArray[np.float64]:
    n = problem.n_features
    # divided by the total, so that the stopping rule does not depend on the number of samples
    total = float(scale.sum())

    def value_and_gradient(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        direction = theta[:n].astype(problem.dtype)
        scores = problem.project(direction[None, :])[0] + theta[n]
        losses, slopes = derivatives(signs * scores)
        pull = scale * slopes * signs
        gradient = np.empty(n + 1)
        gradient[:n] = problem.combine(pull.astype(problem.dtype)) + theta[:n]
        gradient[n] = pull.sum()
        value = float(scale @ losses + 0.5 * theta[:n] @ theta[:n])
        return value / total, gradient / total

    result = minimize(
        value_and_gradient,
        np.zeros(n + 1),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 200, "gtol": 1e-6, "ftol": 1e-10},
    )
    return np.asarray(result.x[:n])
