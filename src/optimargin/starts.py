"""Where a search begins: directions found by fast convex and closed-form methods.

These are written here and not taken from scikit-learn for two reasons: on small data the validation
around its estimators costs more than the search, and its discriminant analysis takes no sample
weights. All starts honour the weights of the problem: a sample of weight 2 is a sample given twice.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from optimargin.kernels.newton import newton
from optimargin.problem import Problem

START_NAMES = ("random", "mean_difference", "lda", "logistic", "logistic_free", "svm")

NEWTON_LIMIT = 600  # features up to which a Hessian is formed and factored
_NEWTON_STEPS = 50
_CONJUGATE_STEPS = 200
_BLOCK = 2**18  # numbers handled at once


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
        for block in _blocks(last - first, n):
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


def newton_affordable(problem: Problem) -> bool:
    """Whether a Hessian is formed and factored."""
    return not problem.is_sparse and problem.n_features <= NEWTON_LIMIT


def minimise_margin_loss(
    problem: Problem, loss: str, strength: float, begin: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The minimum theta = (w, b) of a margin loss, intercept b unpenalised.

    What is minimised is

        |w|^2 / 2 + strength * sum_i s_i loss(y_i (x_i.w + b))

    where s_i is the importance of a sample scaled to mean 1 and the loss is `logistic`,
    log(1 + exp(-u)), or `squared_hinge`, max(0, 1 - u)^2. By Newton steps from `begin`, which
    solve for the step by conjugate gradients where a Hessian would be too large.
    """
    scale = strength * problem.total_weight * problem.importance
    theta = np.zeros(problem.n_features + 1) if begin is None else begin.copy()
    if newton_affordable(problem):
        features = np.asarray(problem.features, dtype=np.float64)
        newton(features, scale, problem.n_negative, loss == "logistic", _NEWTON_STEPS, theta)
    else:
        _by_conjugate_gradients(problem, scale, loss == "logistic", theta)
    # the weaker the ridge, the fewer digits are certain where features depend on each other
    largest = np.abs(theta[:-1]).max(initial=0.0)
    unit = largest * 10.0 ** (0.5 * math.log10(strength) - 9.0)
    if not 0.0 < unit < np.inf:
        return theta
    return np.asarray(np.round(theta / unit) * unit)


def _logistic(
    margins: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    wrong = expit(-margins)
    return np.logaddexp(0.0, -margins), -wrong, wrong * (1.0 - wrong)


def _squared_hinge(
    margins: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    short = np.maximum(1.0 - margins, 0.0)
    return short**2, -2.0 * short, np.where(short > 0.0, 2.0, 0.0)


def _by_conjugate_gradients(
    problem: Problem, scale: NDArray[np.float64], logistic: bool, theta: NDArray[np.float64]
) -> None:
    """Newton steps without a Hessian, for many or sparse features; theta in place.

    They meet the minimum to more digits than a quasi-Newton method does, so that a sample given
    twice and a sample of weight 2 lead to the same start.
    """
    derivatives = _logistic if logistic else _squared_hinge
    signs = problem.signs
    margins = signs * _project(problem, theta)
    losses, slopes, bends = derivatives(margins)
    value = float(scale @ losses + 0.5 * theta[:-1] @ theta[:-1])
    first_norm = 0.0
    for _ in range(_NEWTON_STEPS):
        gradient = _combine(problem, scale * slopes * signs, theta[:-1])
        norm = float(np.linalg.norm(gradient))
        first_norm = first_norm or norm
        step = _solve(problem, scale * bends, gradient, min(0.1, norm / max(first_norm, 1e-300)))
        decrement = float(gradient @ step)
        if not decrement > 1e-9 * abs(value):
            break
        change = signs * _project(problem, step)
        length = 1.0
        while length > 1e-4:
            trial = margins - length * change
            losses, slopes, bends = derivatives(trial)
            moved = theta - length * step
            trial_value = float(scale @ losses + 0.5 * moved[:-1] @ moved[:-1])
            if trial_value <= value - 0.1 * length * decrement:
                break
            length *= 0.5
        else:
            break
        margins, value = trial, trial_value
        theta[:] = moved


def _solve(
    problem: Problem,
    curvature: NDArray[np.float64],
    gradient: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.float64]:
    def hessian_times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        return _combine(problem, curvature * _project(problem, vector), vector[:-1])

    hessian = LinearOperator((gradient.size,) * 2, matvec=hessian_times, dtype=np.float64)
    step, _ = cg(hessian, gradient, rtol=tolerance, maxiter=_CONJUGATE_STEPS)
    return np.asarray(step)


def _project(problem: Problem, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores of all samples by weights and intercept."""
    direction = theta[:-1].astype(problem.dtype)
    return np.asarray(problem.project(direction[None, :])[0] + theta[-1], dtype=np.float64)


def _combine(
    problem: Problem, per_sample: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The transpose of `_project`, plus the gradient of the ridge."""
    combined = np.empty(weights.size + 1)
    combined[:-1] = problem.combine(per_sample.astype(problem.dtype)) + weights
    combined[-1] = per_sample.sum()
    return combined


def _blocks(m: int, n: int) -> list[slice]:
    """Slices of samples small enough that no second copy of all data is made."""
    size = max(1, _BLOCK // max(n, 1))
    return [slice(first, min(first + size, m)) for first in range(0, m, size)]
