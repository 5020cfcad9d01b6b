"""The descent behind `SmoothZeroOneClassifier`: pure functions of a signed design matrix.

A row of the design is t_i (1, x_i): the label times the sample with a leading 1. With
z = design @ w, a sample is classified rightly where z_i > 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Array = NDArray[np.float64]

# The constants of Nguyen and Sanner's program.
LEVELS = ((2.0, 8.0, 0.2), (20.0, 4.0, 0.1), (200.0, 2.0, 0.05))  # sharpness, radius, step
RATES = 10.0 ** -np.arange(1, 7)
LEAST_DECREASE = 0.1  # of the loss, for a move to be accepted
SMALL_GRADIENT = 0.01
SWEEP_RADIUS, SWEEP_STEP = 10.0, 0.05
LOGISTIC_GRID = 2.0 ** np.array([0.0, *range(-10, 0), 0.5, 1, 2, 4, 6, 8, 10])

_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class SmoothLoss:
    """S(w) = sum_i c_i / (1 + exp(K z_i)) + l2 / 2 ||w||^2 for one sharpness K."""

    design: Array
    costs: Array
    sharpness: float
    l2: float = 0.0

    def __call__(self, weights: Array) -> float:
        """The loss at one point."""
        return float(self.of_values(self.design @ weights) + self.penalty(weights))

    def of_values(self, values: Array) -> Array:
        """The data term for values z along the last axis."""
        with np.errstate(over="ignore"):
            terms = np.exp(self.sharpness * values)
        terms += 1.0
        np.reciprocal(terms, out=terms)
        loss: Array = terms @ self.costs
        return loss

    def penalty(self, weights: Array) -> float:
        """The other term."""
        return 0.5 * self.l2 * float(weights @ weights)

    def gradient(self, weights: Array, values: Array) -> Array:
        """The gradient; ``values`` is ``design @ weights``."""
        with np.errstate(over="ignore"):
            wrong = 1.0 / (1.0 + np.exp(self.sharpness * values))
        pull = self.costs * wrong * (1.0 - wrong)
        gradient: Array = -self.sharpness * (pull @ self.design) + self.l2 * weights
        return gradient


def true_loss(design: Array, costs: Array, positive: NDArray[np.bool_], weights: Array) -> float:
    """The weighted 0-1 loss; a sample on the hyperplane belongs to the negative class."""
    values = design @ weights
    return float(costs[np.where(positive, values <= 0, values < 0)].sum())


def minimise(
    design: Array, costs: Array, weights: Array, sharpness: float, l2: float, max_rounds: int
) -> tuple[Array, int, bool]:
    """Descend at one level of sharpness.

    Returns the weights, the number of rounds, and whether the descent came to rest. A round is a
    run of gradient steps and a scan of the coordinates.
    """
    radius, step = next((r, s) for k, r, s in LEVELS if k == sharpness)
    loss = SmoothLoss(design, costs, sharpness, l2)
    ladder = step * np.arange(1, round(radius / step) + 1)
    offsets = np.stack([ladder, -ladder], axis=1).ravel()
    columns = np.ascontiguousarray(design.T)
    for rounds in range(1, max_rounds + 1):
        weights = _follow_gradient(loss, weights)
        moved = _move_one_coordinate(loss, columns, weights, offsets)
        if moved is None:
            return weights, rounds, True
        weights = moved
    return weights, max_rounds, False


def _follow_gradient(loss: SmoothLoss, weights: Array) -> Array:
    """Gradient steps, each at the largest of the rates that lowers the loss enough.

    They end by themselves: the loss is positive, and every step lowers it by a fixed amount.
    """
    values = loss.design @ weights
    current = loss.of_values(values) + loss.penalty(weights)
    while True:
        gradient = loss.gradient(weights, values)
        if np.abs(gradient).max() <= SMALL_GRADIENT:
            return weights
        slopes = loss.design @ gradient
        for rate in RATES:
            trial = weights - rate * gradient
            trial_values = values - rate * slopes
            reached = loss.of_values(trial_values) + loss.penalty(trial)
            if current - reached >= LEAST_DECREASE:
                weights, values, current = trial, trial_values, reached
                break
        else:
            return weights


def _move_one_coordinate(
    loss: SmoothLoss, columns: Array, weights: Array, offsets: Array
) -> Array | None:
    """The first coordinate, and there the first offset, that lowers the loss enough."""
    values = loss.design @ weights
    current = float(loss.of_values(values))
    block = max(1, min(16, _CELLS_AT_ONCE // len(values)))
    for coordinate, column in enumerate(columns):
        before = weights[coordinate]
        penalties = 0.5 * loss.l2 * ((before + offsets) ** 2 - before**2)
        for start in range(0, len(offsets), block):
            part = slice(start, start + block)
            trials = values + offsets[part, None] * column
            decreases = current - loss.of_values(trials) - penalties[part]
            accepted = np.flatnonzero(decreases > LEAST_DECREASE)
            if accepted.size:
                moved = weights.copy()
                moved[coordinate] += offsets[start + accepted[0]]
                return moved
    return None


def sweep(design: Array, costs: Array, positive: NDArray[np.bool_], weights: Array) -> Array:
    """One pass over the coordinates on a grid of offsets, for the 0-1 loss itself.

    Of the offsets of least loss the smallest is taken, positive before negative, and only if the
    loss falls: what trying them one after the other would end with.
    """
    ladder = SWEEP_STEP * np.arange(1, round(SWEEP_RADIUS / SWEEP_STEP) + 1)
    offsets = np.concatenate([-ladder[::-1], ladder])
    preference = np.lexsort((offsets < 0, np.abs(offsets)))
    weights = weights.copy()
    values = design @ weights
    current = true_loss(design, costs, positive, weights)
    slack = 1e-12 * float(costs.sum())
    for coordinate in range(design.shape[1]):
        losses = _losses_along(design[:, coordinate], values, costs, positive, offsets)[preference]
        chosen = int(np.argmax(losses <= losses.min() + slack))
        if losses[chosen] >= current - slack:
            continue
        trial = weights.copy()
        trial[coordinate] += offsets[preference[chosen]]
        reached = true_loss(design, costs, positive, trial)
        if reached < current - slack:
            weights, values, current = trial, design @ trial, reached
    return weights


def _losses_along(
    column: Array,
    values: Array,
    costs: Array,
    positive: NDArray[np.bool_],
    offsets: Array,
) -> Array:
    """The 0-1 loss of values + offset * column for ascending offsets, all of them at once.

    Every sample changes side once, at -value / column. A positive sample is wrong at that point
    itself, where z = 0; a negative one is not.
    """
    moving = column != 0
    still = ~moving
    constant = costs[still & np.where(positive, values <= 0, values < 0)].sum()
    rising = column[moving] > 0
    crossings = -values[moving] / column[moving]
    # The first offset at which a rising sample is right, or a falling one wrong.
    first = np.where(
        rising == positive[moving],
        np.searchsorted(offsets, crossings, side="right"),
        np.searchsorted(offsets, crossings, side="left"),
    )
    moving_costs = costs[moving]
    jumps = np.bincount(first, np.where(rising, -moving_costs, moving_costs), len(offsets) + 1)
    losses: Array = constant + moving_costs[rising].sum() + np.cumsum(jumps)[:-1]
    return losses


def logistic_start(design: Array, costs: Array, positive: NDArray[np.bool_]) -> Array:
    """Ridge logistic regression over a grid of C: the solution, or its negative, of least loss."""
    weights = np.zeros(design.shape[1])
    solutions = {}
    for strength in np.sort(LOGISTIC_GRID):
        weights = logistic_regression(design, strength * costs, weights)
        solutions[strength] = weights
    candidates = [sign * solutions[strength] for strength in LOGISTIC_GRID for sign in (1.0, -1.0)]
    return min(candidates, key=lambda w: true_loss(design, costs, positive, w))


def logistic_regression(design: Array, costs: Array, weights: Array) -> Array:
    """Minimise ||w||^2 / 2 + sum_i c_i log(1 + exp(-z_i)) by damped Newton steps."""
    values = design @ weights
    current = costs @ np.logaddexp(0.0, -values) + 0.5 * weights @ weights
    for _ in range(100):
        with np.errstate(over="ignore"):
            wrong = 1.0 / (1.0 + np.exp(values))
        gradient = weights - (costs * wrong) @ design
        curvature = costs * wrong * (1.0 - wrong)
        hessian = design.T @ (curvature[:, None] * design)
        hessian[np.diag_indices_from(hessian)] += 1.0
        direction = -cho_solve(cho_factor(hessian, overwrite_a=True), gradient)
        decrement = -float(gradient @ direction)
        if decrement <= 1e-6 * (1.0 + abs(current)):
            break
        slopes = design @ direction
        rate = 1.0
        while rate > 1e-8:
            trial = weights + rate * direction
            trial_values = values + rate * slopes
            reached = costs @ np.logaddexp(0.0, -trial_values) + 0.5 * trial @ trial
            if reached <= current - 0.25 * rate * decrement:
                break
            rate /= 2
        else:
            break
        weights, values, current = trial, trial_values, reached
    return weights
