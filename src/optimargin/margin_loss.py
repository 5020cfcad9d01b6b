"""Linear models with a smooth margin loss and a ridge, by Newton's method.

They are where searches begin, and the machines whose margin is widest. A Newton step solves for the
Hessian or, where that would be too large, by conjugate gradients, which need it only times a
vector.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.sparse.linalg import LinearOperator, cg

from optimargin.kernels.losses import margin_loss
from optimargin.problem import Problem, blocks_of_samples

Loss = Literal["logistic", "squared_hinge"]

NEWTON_LIMIT = 600  # features up to which a Hessian is formed and factored
_NEWTON_STEPS = 50
_CONJUGATE_STEPS = 200

# Steps end when they promise less than this share of the objective.
_ENOUGH = 1e-9

# Samples that bend the loss by less than this share of the one that bends it most do not count in
# the Hessian: they change the way to the minimum, not the minimum.
_LEAST_BEND = 1e-9
_LEAST_DIAGONAL = 1e-24


def newton_affordable(problem: Problem) -> bool:
    """Whether a Hessian is formed and factored."""
    return not problem.is_sparse and problem.n_features <= NEWTON_LIMIT


def minimise_margin_loss(
    problem: Problem, loss: Loss, strength: float, begin: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The minimum theta = (w, b) of a margin loss, intercept b unpenalised.

    What is minimised is

        |w|^2 / 2 + strength * sum_i s_i loss(y_i (x_i.w + b))

    where s_i is the importance of a sample scaled to mean 1 and the loss is `logistic`,
    log(1 + exp(-u)), or `squared_hinge`, max(0, 1 - u)^2. By Newton steps from `begin`, halved
    until they descend.
    """
    step_to = _step_by_conjugate_gradients
    if newton_affordable(problem):
        step_to = _step_by_hessian
        problem = replace(problem, features=np.asarray(problem.features, dtype=np.float64))
    scale = strength * problem.total_weight * problem.importance
    signs = problem.signs
    theta = np.zeros(problem.n_features + 1) if begin is None else begin
    slopes, bends = np.empty(problem.n_samples), np.empty(problem.n_samples)

    def value_at(theta: NDArray[np.float64], margins: NDArray[np.float64]) -> float:
        total = margin_loss(margins, scale, loss == "logistic", slopes, bends)
        return float(total + 0.5 * theta[:-1] @ theta[:-1])

    margins = signs * _project(problem, theta)
    value = value_at(theta, margins)
    first_norm = 0.0
    for _ in range(_NEWTON_STEPS):
        gradient = _combine(problem, slopes * signs, theta[:-1])
        norm = math.sqrt(gradient @ gradient)
        first_norm = first_norm or norm
        step = step_to(problem, bends, gradient, min(0.1, norm / max(first_norm, 1e-300)))
        decrement = float(gradient @ step)
        if not decrement > _ENOUGH * abs(value):
            break
        change = signs * _project(problem, step)
        length = 1.0
        while length > 1e-4:
            trial = theta - length * step
            trial_margins = margins - length * change
            trial_value = value_at(trial, trial_margins)
            if trial_value <= value - 0.1 * length * decrement:
                break
            length *= 0.5
        else:
            break
        theta, margins, value = trial, trial_margins, trial_value
    return _sure_digits(theta, strength)


def _sure_digits(theta: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """Rounded: the weaker the ridge, the fewer digits are certain where features are dependent."""
    largest = np.abs(theta[:-1]).max(initial=0.0)
    unit = largest * 10.0 ** (0.5 * math.log10(strength) - 9.0)
    if not 0.0 < unit < np.inf:
        return theta.copy()
    return np.asarray(np.round(theta / unit) * unit)


def _step_by_hessian(
    problem: Problem, bends: NDArray[np.float64], gradient: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    hessian = _hessian(np.asarray(problem.features), bends)
    diagonal = hessian.ravel()[:: hessian.shape[0] + 1]
    faint = 1e-12 * diagonal.max()
    diagonal[:-1] += 1.0
    diagonal += max(faint, _LEAST_DIAGONAL)
    _, step, failed = dposv(hessian, gradient, lower=1)
    # no step to be had is no decrement: the search ends
    return np.zeros_like(gradient) if failed else np.asarray(step)


def _hessian(features: NDArray[np.float64], bends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower half of the sum of products of features and 1 over the samples, times the bends."""
    n = features.shape[0]
    hessian = np.zeros((n + 1, n + 1))
    bending = np.flatnonzero(bends > _LEAST_BEND * bends.max())
    for block in blocks_of_samples(bending.size, n):
        chosen = bending[block]
        roots = np.sqrt(bends[chosen])
        weighted = features.take(chosen, axis=1)
        weighted *= roots
        hessian[:n, :n] += weighted @ weighted.T
        hessian[n, :n] += weighted @ roots
    hessian[n, n] = bends.sum()
    return hessian


def _step_by_conjugate_gradients(
    problem: Problem,
    bends: NDArray[np.float64],
    gradient: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.float64]:
    """To more digits than a quasi-Newton method has.

    So a sample given twice and a sample of weight 2 lead to the same minimum.
    """

    def hessian_times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        return _combine(problem, bends * _project(problem, vector), vector[:-1])

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
