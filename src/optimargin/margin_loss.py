"""Linear models with a smooth margin loss and a ridge, by Newton's method.

They are where searches begin, and the machines whose margin is widest. A Newton step solves for the
Hessian or, where that would be too large, by conjugate gradients, which need it only times a
vector.
"""

import math
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
    samples = _Dense(problem) if newton_affordable(problem) else _Iterative(problem)
    scale = strength * problem.total_weight * problem.importance
    theta = np.zeros(problem.n_features + 1) if begin is None else begin
    slopes, bends = np.empty(problem.n_samples), np.empty(problem.n_samples)

    def value_at(theta: NDArray[np.float64], margins: NDArray[np.float64]) -> float:
        total = margin_loss(margins, scale, loss == "logistic", slopes, bends)
        return float(total + 0.5 * theta[:-1] @ theta[:-1])

    margins = samples.margins(theta)
    value = value_at(theta, margins)
    for _ in range(_NEWTON_STEPS):
        gradient = samples.pull(slopes)
        gradient[:-1] += theta[:-1]
        step = samples.newton_step(bends, gradient)
        decrement = float(gradient @ step)
        if not decrement > _ENOUGH * abs(value):
            break
        change = samples.margins(step)
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


class _Dense:
    """Samples whose Hessian is formed: times their sign, with a row of ones for the intercept."""

    def __init__(self, problem: Problem) -> None:
        self.signed = np.empty((problem.n_features + 1, problem.n_samples))
        self.signed[:-1] = problem.features
        self.signed[-1] = 1.0
        self.signed[:, : problem.n_negative] *= -1.0

    def margins(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signed distances times the length of the weights."""
        return theta @ self.signed

    def pull(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient by theta of what has these derivatives by the margins."""
        return self.signed @ slopes

    def newton_step(
        self, bends: NDArray[np.float64], gradient: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The step for these second derivatives by the margins, and a ridge of 1."""
        hessian = self.hessian(bends)
        diagonal = hessian.ravel()[:: gradient.size + 1]
        faint = 1e-12 * diagonal.max()
        diagonal[:-1] += 1.0
        diagonal += max(faint, _LEAST_DIAGONAL)
        _, step, failed = dposv(hessian, gradient, lower=1)
        # no step to be had is no decrement: the search ends
        return np.zeros_like(gradient) if failed else np.asarray(step)

    def hessian(self, bends: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of products of features and 1 over the samples, times the bends."""
        size = self.signed.shape[0]
        hessian = np.zeros((size, size))
        bending = np.flatnonzero(bends > _LEAST_BEND * bends.max())
        for block in blocks_of_samples(bending.size, size):
            chosen = bending[block]
            weighted = self.signed.take(chosen, axis=1)
            weighted *= np.sqrt(bends[chosen])
            hessian += weighted @ weighted.T
        return hessian


class _Iterative:
    """Samples whose Hessian would be too large: only times a vector, by conjugate gradients."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.signs = problem.signs
        self.first_norm: float | None = None

    def margins(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signed distances times the length of the weights."""
        direction = theta[:-1].astype(self.problem.dtype)
        return np.asarray(self.signs * (self.problem.project(direction[None, :])[0] + theta[-1]))

    def pull(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient by theta of what has these derivatives by the margins."""
        slopes = self.signs * slopes
        combined = self.problem.combine(slopes.astype(self.problem.dtype))
        return np.append(combined, slopes.sum()).astype(np.float64)

    def newton_step(
        self, bends: NDArray[np.float64], gradient: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The step for these second derivatives by the margins, and a ridge of 1.

        To more digits than a quasi-Newton method has, so that a sample given twice and a sample of
        weight 2 lead to the same minimum.
        """
        norm = math.sqrt(gradient @ gradient)
        if self.first_norm is None:
            self.first_norm = max(norm, 1e-300)

        def hessian_times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
            product = self.pull(bends * self.margins(vector))
            product[:-1] += vector[:-1]
            return product

        hessian = LinearOperator((gradient.size,) * 2, matvec=hessian_times, dtype=np.float64)
        tolerance = min(0.1, norm / self.first_norm)
        step, _ = cg(hessian, gradient, rtol=tolerance, maxiter=_CONJUGATE_STEPS)
        return np.asarray(step)
