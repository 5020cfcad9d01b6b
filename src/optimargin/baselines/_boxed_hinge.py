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
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]

_GROWTH = 4.0  # of the penalty
_LARGEST_PENALTY = 1e7  # in units of the largest cost: beyond, rounding hides the norm of w
_MAX_MULTIPLIER_STEPS = 60
_MAX_NEWTON_STEPS = 60


@dataclass(frozen=True)
class HingeSolution:
    """A separator with its multipliers; how far its objective may be from the least one."""

    direction: Array
    intercept: float
    multipliers: Array
    penalty: float
    gap: float
    converged: bool


def hinge_objective(slack: Array, direction: Array, lower: Array | float, upper: Array) -> float:
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
    largest_cost = float((upper - lower).max())
    if start is None:
        direction, intercept = np.zeros(design.shape[1]), 0.0
        multipliers = np.clip(0.0, lower, upper)
        penalty = largest_cost
    else:
        direction, intercept = start.direction, start.intercept
        multipliers = np.clip(start.multipliers, lower, upper)
        penalty = max(start.penalty / _GROWTH**2, largest_cost)
    extended = np.column_stack([design, signs])
    point = np.append(direction, intercept)
    best = HingeSolution(direction, intercept, multipliers, penalty, np.inf, False)
    for _ in range(_MAX_MULTIPLIER_STEPS):
        smoothed = _Smoothed(extended, multipliers, penalty, lower, upper)
        point, multipliers, reached = smoothed.minimise(point, tol)
        direction = point[:-1]
        pulled = multipliers @ extended
        slack = 1.0 - extended @ point
        primal = hinge_objective(slack, direction, lower, upper)
        # An unbalanced sum of the multipliers would leave the dual unbounded in the intercept.
        dual = float(multipliers.sum() - 0.5 * pulled[:-1] @ pulled[:-1])
        gap = abs(primal - dual) + abs(pulled[-1] * point[-1])
        if gap < best.gap:
            converged = gap <= tol * (1.0 + abs(primal))
            best = HingeSolution(direction, float(point[-1]), multipliers, penalty, gap, converged)
            if converged:
                break
        # Too steep for Newton's method: an easier problem on the way to it.
        penalty = penalty * _GROWTH if reached else penalty / _GROWTH**2
        penalty = min(max(penalty, largest_cost), _LARGEST_PENALTY * largest_cost)
    return best


@dataclass(frozen=True)
class _Smoothed:
    """||w||^2 / 2 + sum_i G_i(alpha_i + sigma (1 - z_i)) / sigma, where G_i' is the clipping."""

    extended: Array
    multipliers: Array
    penalty: float
    lower: Array
    upper: Array

    def minimise(self, point: Array, tol: float) -> tuple[Array, Array, bool]:
        """Newton steps; returns the minimiser, the multipliers there, and whether it is one."""
        extended, penalty = self.extended, self.penalty
        size = extended.shape[1]
        accuracy = max(1e-3 * tol, 1e-13)
        shifted = self.multipliers + penalty * (1.0 - extended @ point)
        clipped = np.clip(shifted, self.lower, self.upper)
        for _ in range(_MAX_NEWTON_STEPS):
            gradient = -(clipped @ extended)
            gradient[:-1] += point[:-1]
            allowed = accuracy * (1.0 + float(np.abs(point[:-1]).max(initial=0.0)))
            balanced = accuracy * (1.0 + float(np.abs(clipped).sum()))
            if np.abs(gradient[:-1]).max(initial=0.0) <= allowed and abs(gradient[-1]) <= balanced:
                return point, clipped, True
            inside = extended[clipped == shifted]
            hessian = penalty * (inside.T @ inside)
            hessian[np.diag_indices(size - 1)] += 1.0
            # Where no sample is inside its box, nothing bends along the intercept.
            hessian[-1, -1] += 1e-10 * penalty * len(extended)
            step = _solve(hessian, -gradient)
            change = -penalty * (extended @ step)
            rate = self._rate(point, step, shifted, change)
            point, shifted = point + rate * step, shifted + rate * change
            clipped = np.clip(shifted, self.lower, self.upper)
        return point, clipped, False

    def _rate(self, point: Array, step: Array, shifted: Array, change: Array) -> float:
        """How far to go: where the slope along the step has all but vanished.

        The smoothed problem is piecewise quadratic and convex, so its slope only grows.
        """
        straight = float(point[:-1] @ step[:-1])
        bend = float(step[:-1] @ step[:-1])

        def slope(rate: float) -> float:
            clipped = np.clip(shifted + rate * change, self.lower, self.upper)
            return straight + rate * bend + float(clipped @ change) / self.penalty

        enough = 0.1 * abs(slope(0.0))
        low, high = 0.0, 1.0
        for _ in range(60):
            at_high = slope(high)
            if abs(at_high) <= enough:
                return high
            if at_high > 0:
                break
            low, high = high, 2 * high
        for _ in range(60):
            middle = 0.5 * (low + high)
            at_middle = slope(middle)
            if abs(at_middle) <= enough:
                return middle
            low, high = (low, middle) if at_middle > 0 else (middle, high)
        return low


def _solve(hessian: Array, right: Array) -> Array:
    """Solve a positive definite system, shifted as little as rounding makes necessary."""
    shift = 0.0
    for _ in range(20):
        try:
            solution: Array = cho_solve(cho_factor(hessian), right)
            return solution
        except LinAlgError:
            increase = max(9 * shift, 1e-14 * float(np.trace(hessian)))
            hessian = hessian + increase * np.eye(len(hessian))
            shift += increase
    return right / float(np.trace(hessian))
