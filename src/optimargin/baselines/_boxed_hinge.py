"""Support vector machines with the hinge loss, to high accuracy and from a warm start.

It solves

    min_{w, b}  ||w||^2 / 2 + sum_i h_i(1 - z_i),    h_i(t) = upper_i max(t, 0) + lower_i min(t, 0),

with z_i = y_i (x_i . w + b): for lower = 0 the support vector machine with C = upper. Its dual has
the box lower <= alpha <= upper. Written here because scikit-learn's solvers know no other lower
bound, cannot start from a neighbouring solution, and take minutes on hundreds of noisy features.

The method of multipliers is the outer loop: given multipliers alpha and a penalty sigma, it
minimises the smoothed problem whose gradient has alpha(w, b) = clip(alpha + sigma (1 - z)) in the
multipliers' place, and takes those as the next multipliers. The smoothed problem is solved by
Newton steps, in which only the samples strictly inside their box appear: few, near the end.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Array = NDArray[np.float64]

_GROWTH = 4.0  # of the penalty
_MAX_MULTIPLIER_STEPS = 60
_MAX_NEWTON_STEPS = 60
_ARMIJO = 1e-4


@dataclass(frozen=True)
class HingeSolution:
    """A separator with its multipliers; how far its objective may be from the least one."""

    direction: Array
    intercept: float
    multipliers: Array
    penalty: float
    gap: float
    converged: bool


def hinge_objective(
    slack: Array, direction: Array, lower: Array | float, upper: Array
) -> float:
    """The objective at a direction with slack 1 - z."""
    loss = np.where(slack > 0, upper * slack, lower * slack).sum()
    return float(loss + 0.5 * direction @ direction)


def minimise_hinge(
    design: Array,
    signs: Array,
    lower: Array,
    upper: Array,
    start: HingeSolution | None = None,
    tol: float = 1e-6,
) -> HingeSolution:
    """Solve the problem above; ``design`` holds the rows times their signs.

    Ends when the gap between primal and dual objective is below ``tol`` times 1 + the objective.
    """
    if start is None:
        direction, intercept = np.zeros(design.shape[1]), 0.0
        multipliers = np.clip(0.0, lower, upper)
        penalty = float(upper.max())
    else:
        direction, intercept = start.direction, start.intercept
        multipliers = np.clip(start.multipliers, lower, upper)
        penalty = start.penalty
    extended = np.column_stack([design, signs])
    point = np.append(direction, intercept)
    gap = np.inf
    for _ in range(_MAX_MULTIPLIER_STEPS):
        smoothed = _Smoothed(extended, multipliers, penalty, lower, upper)
        point, multipliers = smoothed.minimise(point, tol)
        direction = point[:-1]
        pulled = multipliers @ extended
        slack = 1.0 - extended @ point
        primal = hinge_objective(slack, direction, lower, upper)
        # An unbalanced sum of the multipliers would leave the dual unbounded in the intercept.
        dual = float(multipliers.sum() - 0.5 * pulled[:-1] @ pulled[:-1])
        gap = abs(primal - dual) + abs(pulled[-1] * point[-1])
        if gap <= tol * (1.0 + abs(primal)):
            return HingeSolution(direction, float(point[-1]), multipliers, penalty, gap, True)
        penalty *= _GROWTH
    return HingeSolution(direction, float(point[-1]), multipliers, penalty, gap, False)


@dataclass(frozen=True)
class _Smoothed:
    """||w||^2 / 2 + sum_i G_i(alpha_i + sigma (1 - z_i)) / sigma, where G_i' is the clipping."""

    extended: Array
    multipliers: Array
    penalty: float
    lower: Array
    upper: Array

    def value(self, shifted: Array, point: Array) -> float:
        clipped = np.clip(shifted, self.lower, self.upper)
        # The integral of the clipping, up to a constant: quadratic inside, linear outside.
        data = float(clipped @ (shifted - 0.5 * clipped)) / self.penalty
        return data + 0.5 * float(point[:-1] @ point[:-1])

    def minimise(self, point: Array, tol: float) -> tuple[Array, Array]:
        """Newton steps; returns the minimiser and the multipliers there."""
        extended, penalty = self.extended, self.penalty
        size = extended.shape[1]
        shifted = self.multipliers + penalty * (1.0 - extended @ point)
        for _ in range(_MAX_NEWTON_STEPS):
            clipped = np.clip(shifted, self.lower, self.upper)
            gradient = -(clipped @ extended)
            gradient[:-1] += point[:-1]
            scale = float(np.abs(clipped).sum())
            if abs(gradient[-1]) <= 1e-3 * tol * (1.0 + scale) and np.abs(
                gradient[:-1]
            ).max() <= 1e-3 * tol * (1.0 + np.abs(point[:-1]).max()):
                break
            inside = extended[clipped == shifted]
            hessian = penalty * (inside.T @ inside)
            hessian[np.diag_indices(size - 1)] += 1.0
            # Where no sample is inside its box, nothing bends along the intercept.
            hessian[-1, -1] += 1e-10 * penalty * len(extended)
            step = cho_solve(cho_factor(hessian), -gradient)
            slope = float(gradient @ step)
            change = -penalty * (extended @ step)
            current = self.value(shifted, point)
            rate = 1.0
            for _ in range(60):
                trial = point + rate * step
                trial_shifted = shifted + rate * change
                if self.value(trial_shifted, trial) <= current + _ARMIJO * rate * slope:
                    break
                rate /= 2
            else:
                break  # no further progress within rounding
            point, shifted = trial, trial_shifted
        return point, np.clip(shifted, self.lower, self.upper)
