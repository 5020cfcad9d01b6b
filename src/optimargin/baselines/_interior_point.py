"""A hinge-loss problem without intercept, solved to high accuracy.

Written by hand because the coordinate descent of liblinear needs very many passes on
ill-conditioned rows, and these rows are whitened by the other class, whose variances are small
exactly where it matters.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from optimargin.baselines._base import FloatArray

# How much of the way to the boundary of the positive numbers a step may go.
BOUNDARY_SHARE = 0.995


@dataclass(frozen=True)
class HingeSolution:
    """The minimiser, the dual variables and how good they are."""

    coef: FloatArray
    dual: FloatArray
    gap: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class _Point:
    """Primal and dual variables, or a change of them.

    A row has a multiplier `a` with the room `t` left below its cost, and a margin that exceeds
    one by `s` or falls short of it by `x`.
    """

    w: FloatArray
    a: FloatArray
    t: FloatArray
    s: FloatArray
    x: FloatArray

    def moved(self, change: "_Point", length: float) -> "_Point":
        return _Point(
            self.w + length * change.w,
            self.a + length * change.a,
            self.t + length * change.t,
            self.s + length * change.s,
            self.x + length * change.x,
        )

    def complementarity(self) -> float:
        return float(self.a @ self.s + self.t @ self.x)

    def longest_step(self, change: "_Point") -> float:
        """The longest step that turns no positive variable negative."""
        longest = np.inf
        for values, moves in (
            (self.a, change.a),
            (self.t, change.t),
            (self.s, change.s),
            (self.x, change.x),
        ):
            falling = moves < 0
            longest = min(longest, (values[falling] / -moves[falling]).min(initial=np.inf))
        return float(longest)


class _NewtonSystem:
    """The optimality conditions linearised at a point, factorised once for several right sides."""

    def __init__(self, rows: FloatArray, point: _Point) -> None:
        self.rows = rows
        self.point = point
        self.margin_residual = rows @ point.w - 1.0 - point.s + point.x
        self.gradient_residual = point.w - rows.T @ point.a
        self.scaling = point.s / point.a + point.x / point.t
        scaled = rows / np.sqrt(self.scaling)[:, np.newaxis]
        matrix = scaled.T @ scaled
        matrix.flat[:: len(matrix) + 1] += 1.0
        self.factor = cho_factor(matrix, overwrite_a=True, check_finite=False)

    def solve(self, right_s: FloatArray, right_x: FloatArray) -> _Point:
        """The change with a ds + s da = right_s and t dx + x dt = right_x."""
        point = self.point
        pull = -self.margin_residual + right_s / point.a - right_x / point.t
        right = self.rows.T @ (pull / self.scaling) - self.gradient_residual
        dw = cho_solve(self.factor, right, check_finite=False)
        da = (pull - self.rows @ dw) / self.scaling
        return _Point(
            dw, da, -da, (right_s - point.s * da) / point.a, (right_x + point.x * da) / point.t
        )


def solve_hinge(rows: FloatArray, costs: FloatArray, *, tol: float, max_iter: int) -> HingeSolution:
    """Minimise ||w||^2 / 2 + sum_i costs_i max(0, 1 - rows_i.w).

    Mehrotra's predictor-corrector method on the optimality conditions
    w = rows'a, rows w - 1 = s - x, a s = 0, t x = 0, t = costs - a, all but w non-negative.
    Eliminating all but w leaves the matrix I + rows' D^-1 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._interior_point import solve_hinge
    >>> found = solve_hinge(np.array([[2.0]]), np.array([10.0]), tol=1e-10, max_iter=50)
    >>> found.coef.round(8), found.converged
    (array([0.5]), True)
    """
    a = 0.5 * costs
    w = rows.T @ a
    margins = rows @ w - 1.0
    s = np.maximum(margins, 0.0) + max(1.0, float(np.abs(margins).max()))
    point = _Point(w=w, a=a, t=costs - a, s=s, x=s - margins)
    gap = relative_gap(rows, costs, point)
    n_iter = 0
    while gap > tol and n_iter < max_iter:
        n_iter += 1
        system = _NewtonSystem(rows, point)
        now = point.complementarity()
        predictor = system.solve(-point.a * point.s, -point.t * point.x)
        length = min(1.0, point.longest_step(predictor))
        target = (
            now / (2 * len(rows)) * (point.moved(predictor, length).complementarity() / now) ** 3
        )
        corrector = system.solve(
            target - point.a * point.s - predictor.a * predictor.s,
            target - point.t * point.x - predictor.t * predictor.x,
        )
        length = min(1.0, BOUNDARY_SHARE * point.longest_step(corrector))
        point = point.moved(corrector, length)
        gap = relative_gap(rows, costs, point)
    return HingeSolution(point.w, point.a, gap, n_iter, gap <= tol)


def relative_gap(rows: FloatArray, costs: FloatArray, point: _Point) -> float:
    """Primal minus dual objective, each at its own feasible point, over the primal.

    It bounds the error of the primal objective, and with it that of w: ||w - w*||^2 is at most
    twice the absolute gap.
    """
    losses = np.maximum(1.0 - rows @ point.w, 0.0)
    primal = 0.5 * float(point.w @ point.w) + float(costs @ losses)
    combined = rows.T @ point.a
    dual = float(point.a.sum()) - 0.5 * float(combined @ combined)
    return (primal - dual) / max(primal, np.finfo(np.float64).tiny)
