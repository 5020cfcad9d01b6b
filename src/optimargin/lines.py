"""A separator and a line -> an exact move; and descent on the smoothed loss.

This is how the searches by moves see a problem: as states (a separator and the values of all
samples) that are moved along lines. Lines run along the coordinates of a metric, the intercept, or
any direction. In the coordinates of the whitening metric the features are uncorrelated, so that a
random direction changes the separator by as much whichever way it points.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from optimargin.kernels.chains import gibbs_chain
from optimargin.kernels.gibbs import gibbs_bucket_count
from optimargin.kernels.moves import best_moves, sparse_moves, weight_correct, working_space
from optimargin.kernels.penalised import penalised_position
from optimargin.kernels.smoothing import descend, smooth_loss
from optimargin.kernels.smoothing import working_space as descent_space
from optimargin.problem import Problem
from optimargin.threshold import bucket_count

Choice = Literal["best", "plateau", "gibbs"]

_LEARNT_DIGITS = 7

# Added to the variance of every whitened coordinate, as a share of the mean variance.
_WHITENING_RIDGE = 1e-6


@dataclass(slots=True)
class State:
    """A separator in the coordinates of its lines, and what it makes of the samples."""

    theta: NDArray[np.float64]  # weights, and the intercept last
    values: NDArray[np.float64]  # of the samples; positive is called positive
    correct: int  # integer weight classified correctly
    best_theta: NDArray[np.float64]  # the best met on the way here
    best_correct: int

    def copy(self) -> "State":
        """A state of its own."""
        return State(
            self.theta.copy(),
            self.values.copy(),
            self.correct,
            self.best_theta.copy(),
            self.best_correct,
        )


class Lines:
    """Moves and descent for one problem.

    Parameters
    ----------
    problem : Problem
    whiten : bool
        Use the coordinates of the whitening metric instead of the problem's own; not for sparse
        problems.
    """

    def __init__(self, problem: Problem, whiten: bool) -> None:
        self.problem = problem
        self.n_dimensions = problem.n_features
        self._factor: NDArray[np.float64] | None = None
        self._features = problem.features
        if whiten:
            features = np.asarray(problem.features, dtype=np.float64)
            covariance = (features * problem.importance) @ features.T
            ridge = _WHITENING_RIDGE * max(float(np.trace(covariance)), 1e-300)
            covariance[np.diag_indices(problem.n_features)] += ridge
            self._factor = cholesky(covariance, lower=True)
            identity = np.eye(problem.n_features)
            self._inverse = solve_triangular(self._factor, identity, lower=True)
            self._features = self._inverse @ features
        self._n_buckets = bucket_count(problem.n_samples)

    def state(self, direction: NDArray[np.float64], intercept: float) -> State:
        """The state of a separator in the problem's coordinates."""
        weights = direction if self._factor is None else self._factor.T @ direction
        return self._refreshed(np.append(weights, intercept))

    def direction(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its direction in the problem's coordinates."""
        if self._factor is None:
            return theta[:-1].copy()
        weights: NDArray[np.float64] = theta[:-1] @ self._inverse
        return weights

    def along_coordinates(
        self,
        state: State,
        order: NDArray[np.intp],
        choose: Choice,
        rng: np.random.Generator,
        beta: float = 0.0,
    ) -> State:
        """Move along coordinates in turn, number `n_dimensions` being the intercept.

        `choose` says where on each line: the middle of the widest of the best intervals, a random
        point of all best intervals, or a draw from the Gibbs distribution with the inverse
        temperature `beta` (in units of the share classified correctly).
        """
        if self.problem.is_sparse:
            return self._along_columns(state, order)
        if choose == "gibbs":
            return self.sample(state, order[None, :], rng, beta)[2]
        return self._moved(state, np.asarray(self._features), None, order, choose, rng)

    def unknown_scales(self) -> NDArray[np.float64]:
        """For every coordinate, the intercept and a typical line: how far to look is not known."""
        return np.zeros(self.n_dimensions + 2)

    def sample(
        self,
        state: State,
        orders: NDArray[np.intp],
        rng: np.random.Generator,
        beta: float,
        scales: NDArray[np.float64] | None = None,
        intercept_spread: float = 1.0,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], State]:
        """A chain of Gibbs moves along coordinates.

        Returns theta and the weight correct after each row of `orders`, and the last state.

        `scales`, `unknown_scales` at first, carry over to the next chain what this one learnt of
        how far to look on each line. The prior of a weight has standard deviation 1, that of the
        intercept `intercept_spread`.
        """
        if scales is None:
            scales = self.unknown_scales()
        intercept_spread = float(self.problem.dtype.type(intercept_spread))  # as slopes have it
        steps, values = state.theta.copy(), state.values.copy()
        steps[-1] /= intercept_spread
        features = np.asarray(self._features)
        visited, correct = self._draw(
            features, steps, values, orders, rng, beta, scales, intercept_spread
        )
        visited[:, -1] *= intercept_spread
        steps[-1] *= intercept_spread
        return visited, correct, self._at(steps)

    def along_directions(
        self,
        state: State,
        directions: NDArray[np.float64],
        choose: Choice,
        rng: np.random.Generator,
        beta: float = 0.0,
    ) -> State:
        """Move along directions of unit length (rows) and the intercept, in random order."""
        slopes = self._project(directions)
        order = rng.permutation(len(directions) + 1)
        if choose != "gibbs":
            return self._moved(state, slopes, directions, order, choose, rng)
        # a draw depends on the place along its line, which moves along the others change
        theta, values = state.theta.copy(), state.values.copy()
        for j in order:
            line = slice(j, j + 1)  # empty for the intercept
            steps = np.append(directions[line] @ theta[:-1], theta[-1])
            before, only = steps.copy(), np.zeros((1, 1), np.intp)
            self._draw(slopes[line], steps, values, only, rng, beta, np.zeros(steps.size + 1))
            theta[:-1] += (steps - before)[:-1] @ directions[line]
            theta[-1] = steps[-1]
        return self._at(theta)

    def along_coordinates_penalised(
        self, state: State, order: NDArray[np.intp], l1: float
    ) -> State:
        """Move along coordinates in turn to where score less penalty is greatest.

        Exact for the penalty of Algorithm 2; in the problem's own coordinates.
        """
        problem, units = self.problem, self.problem.units
        theta, values = state.theta.copy(), state.values.copy()
        ones = np.ones(problem.n_samples, problem.dtype)
        correct = state.correct
        for j in order:
            rows, slopes = self._column(j) if j < self.n_dimensions else (None, ones)
            touched = values if rows is None else values[rows]
            n_negative = problem.n_negative
            weights = units.weights
            if rows is not None:
                n_negative = int(np.searchsorted(rows, problem.n_negative))
                weights = weights[rows] if weights.size else weights
            others = theta[:-1].copy()
            if j < self.n_dimensions:
                others[j] = 0.0
            tau = penalised_position(
                touched,
                slopes,
                n_negative,
                weights,
                units.unit_negative,
                units.unit_positive,
                units.total,
                correct,
                theta[j] if j < self.n_dimensions else 0.0,
                float(np.abs(others).sum()),
                float(others @ others),
                l1 if j < self.n_dimensions else 0.0,
            )
            if tau == 0.0:
                continue
            theta[j] += tau
            if rows is None:
                values = values + tau * slopes
            else:
                values[rows] += tau * slopes
            correct = self._correct(values)
        return self._refreshed(theta)

    def _column(self, j: int) -> tuple[NDArray[np.intp] | None, NDArray[np.floating]]:
        """Slopes along a coordinate, and the samples they belong to (None: all)."""
        features: Any = self._features
        if not self.problem.is_sparse:
            return None, features[j]
        part = slice(features.indptr[j], features.indptr[j + 1])
        return features.indices[part], features.data[part]

    def learn(self, state: State, sharpness: float, steps: int) -> State:
        """Descend on the smoothed loss; `sharpness` is in units of one over the values' spread."""
        problem = self.problem
        centre = float(problem.importance @ state.values)
        spread = float(np.sqrt(problem.importance @ (state.values - centre) ** 2))
        if not spread > 0.0:
            return state
        theta = state.theta / spread
        if problem.is_sparse:
            theta = self._learn_sparse(theta, sharpness, steps)
        else:
            descend(
                np.asarray(self._features, dtype=np.float64),
                theta,
                problem.importance,
                problem.n_negative,
                sharpness,
                steps,
                *descent_space(problem.n_samples, self.n_dimensions),
            )
        largest = np.abs(theta).max()
        if not np.isfinite(largest) or not theta[:-1].any():
            return state
        # what differs between two orders of summing the same samples is rounded away
        return self._refreshed(np.round(theta / largest, _LEARNT_DIGITS))

    def _project(self, directions: NDArray[np.float64]) -> NDArray[np.floating]:
        if self.problem.is_sparse:
            return self.problem.project(directions)
        return np.asarray(directions.astype(self._features.dtype, copy=False) @ self._features)

    def _refreshed(self, theta: NDArray[np.float64]) -> State:
        """A state computed anew, its weights at unit length."""
        length = float(np.sqrt(theta[:-1] @ theta[:-1]))
        if length > 0.0:
            theta = theta / length
        values = self._project(theta[None, :-1])[0].astype(np.float64) + theta[-1]
        correct = self._correct(values)
        return State(theta, values, correct, theta, correct)

    def _correct(self, values: NDArray[np.float64]) -> int:
        units = self.problem.units
        return int(
            weight_correct(
                values,
                self.problem.n_negative,
                units.weights,
                units.unit_negative,
                units.unit_positive,
            )
        )

    def _at(self, theta: NDArray[np.float64]) -> State:
        """The state of a separator whose length matters."""
        values = self._project(theta[None, :-1])[0].astype(np.float64) + theta[-1]
        correct = self._correct(values)
        return State(theta, values, correct, theta, correct)

    def _draw(
        self,
        slopes: NDArray[np.floating],
        steps: NDArray[np.float64],
        values: NDArray[np.float64],
        orders: NDArray[np.intp],
        rng: np.random.Generator,
        beta: float,
        scales: NDArray[np.float64],
        intercept_slope: float = 1.0,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Gibbs moves, in place; steps and weight correct after each row of the orders."""
        units = self.problem.units
        return gibbs_chain(
            slopes,
            steps,
            values,
            orders,
            beta / units.total,
            rng,
            self.problem.n_negative,
            units.weights,
            units.unit_negative,
            units.unit_positive,
            gibbs_bucket_count(values.size, self.problem.total_weight),
            scales,
            intercept_slope,
        )

    def _moved(
        self,
        state: State,
        slopes: NDArray[np.floating],
        directions: NDArray[np.float64] | None,
        order: NDArray[np.intp],
        choose: Choice,
        rng: np.random.Generator,
    ) -> State:
        units = self.problem.units
        if directions is None:
            steps = state.theta.copy()
        else:
            steps = np.append(directions @ state.theta[:-1], state.theta[-1])
        before = steps.copy()
        best_steps = np.empty(len(slopes) + 1)
        _, best = best_moves(
            slopes,
            steps,
            state.values.copy(),
            state.correct,
            order,
            float(np.sqrt(state.theta[:-1] @ state.theta[:-1])) or 1.0,
            rng.random(order.size) if choose == "plateau" else np.full(order.size, -1.0),
            self.problem.n_negative,
            units.weights,
            units.unit_negative,
            units.unit_positive,
            best_steps,
            self._n_buckets,
            *working_space(state.values.size, self._n_buckets, slopes.dtype),
        )

        def theta_at(position: NDArray[np.float64]) -> NDArray[np.float64]:
            if directions is None:
                return position
            theta = state.theta.copy()
            theta[:-1] += (position - before)[:-1] @ directions
            theta[-1] = position[-1]
            return theta

        moved = self._refreshed(theta_at(steps))
        moved.best_theta, moved.best_correct = theta_at(best_steps), int(best)
        return moved

    def _along_columns(self, state: State, order: NDArray[np.intp]) -> State:
        problem = self.problem
        units = problem.units
        columns: Any = problem.features
        theta, values = state.theta.copy(), state.values.copy()
        sparse_moves(
            columns.data,
            columns.indices,
            columns.indptr,
            theta,
            values,
            state.correct,
            order,
            float(np.sqrt(theta[:-1] @ theta[:-1])) or 1.0,
            problem.n_negative,
            units.weights,
            units.unit_negative,
            units.unit_positive,
            np.empty_like(units.weights),
            self._n_buckets,
            *working_space(problem.n_samples, self._n_buckets, columns.data.dtype),
        )
        return self._refreshed(theta)

    def _learn_sparse(
        self, theta: NDArray[np.float64], sharpness: float, steps: int
    ) -> NDArray[np.float64]:
        problem = self.problem
        pull = np.empty(problem.n_samples)

        def loss_and_gradient(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            values = problem.project(theta[None, :-1].astype(problem.dtype))[0] + theta[-1]
            loss = smooth_loss(values, problem.importance, problem.n_negative, sharpness, pull)
            gradient = problem.combine(pull.astype(problem.dtype))
            return loss, np.append(gradient, pull.sum()).astype(np.float64)

        result = minimize(
            loss_and_gradient, theta, jac=True, method="L-BFGS-B", options={"maxiter": steps}
        )
        return np.asarray(result.x, dtype=np.float64)
