"""The weighted 0-1 loss as a mixed-integer program for the HiGHS solver that SciPy brings along.

Written here and not taken from a modelling library: the program is three arrays.
"""

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

Array = NDArray[np.float64]

# The least |f| of a sample that counts as separated, with every coefficient within [-1, 1].
RESOLUTION = 1e-4


@dataclass(frozen=True)
class ProgrammedSeparator:
    """A separator (none if the time was too short for one) and a lower bound on the loss."""

    direction: Array | None
    intercept: float
    bound: float


def solve_program(
    points: Array, signs: Array, costs: Array, *, time_limit: float | None = None
) -> ProgrammedSeparator:
    """Minimise sum c_i z_i subject to s_i (x_i.w + b) + M_i z_i >= eps, z binary, |w_j| <= 1."""
    n_points, n_features = points.shape
    lengths = np.abs(points).sum(axis=1)
    reach = float(lengths.max())
    slack = np.diag(lengths + reach + RESOLUTION)
    constraints = np.column_stack([signs[:, None] * points, signs, slack])
    # The solver's tolerances are absolute: give it costs of the order of 1.
    unit = float(costs.min())
    box = np.concatenate([np.ones(n_features), [reach]])
    options: dict[str, float] = {"mip_rel_gap": 0.0}
    if time_limit is not None:
        options["time_limit"] = max(time_limit, 0.0)
    with _without_solver_messages():
        result = milp(
            np.concatenate([np.zeros(n_features + 1), costs / unit]),
            constraints=LinearConstraint(constraints, RESOLUTION, np.inf),
            integrality=np.concatenate([np.zeros(n_features + 1), np.ones(n_points)]),
            bounds=Bounds(
                np.concatenate([-box, np.zeros(n_points)]),
                np.concatenate([box, np.ones(n_points)]),
            ),
            options=options,
        )
    bound = 0.0 if result.mip_dual_bound is None else max(float(result.mip_dual_bound) * unit, 0.0)
    if result.x is None:
        return ProgrammedSeparator(None, 0.0, bound)
    direction = np.asarray(result.x[:n_features])
    return ProgrammedSeparator(direction, float(result.x[n_features]), bound)


def widest_separator(points: Array, signs: Array) -> tuple[Array, float] | None:
    """The separator of given labels with the largest least |f| for coefficients within [-1, 1].

    None where the solver finds no separator.
    """
    n_points, n_features = points.shape
    reach = float(np.abs(points).sum(axis=1).max()) + 1.0
    constraints = np.column_stack([-signs[:, None] * points, -signs, np.ones(n_points)])
    bounds = [(-1.0, 1.0)] * n_features + [(-reach, reach), (0.0, None)]
    result = linprog(
        np.concatenate([np.zeros(n_features + 1), [-1.0]]),
        A_ub=constraints,
        b_ub=np.zeros(n_points),
        bounds=bounds,
        method="highs",
    )
    if result.x is None or not result.x[-1] > 0 or not np.any(result.x[:n_features]):
        return None
    return np.asarray(result.x[:n_features]), float(result.x[n_features])


@contextmanager
def _without_solver_messages() -> Iterator[None]:
    """Drop the debugging lines that some versions of HiGHS print whatever they are told.

    They come from compiled code straight to the process's standard output, where they would mix
    with the output of a program. Everything else that is printed meanwhile is passed on.
    """
    try:
        sys.stdout.flush()
        original = os.dup(1)
    except (AttributeError, OSError, ValueError):  # no standard output to protect
        yield
        return
    with tempfile.TemporaryFile() as captured:
        os.dup2(captured.fileno(), 1)
        try:
            yield
        finally:
            _flush_compiled_output()
            os.dup2(original, 1)
            os.close(original)
            captured.seek(0)
            passed_on = [line for line in captured if not line.startswith(b"HighsMipSolverData::")]
            if passed_on:
                os.write(1, b"".join(passed_on))


def _flush_compiled_output() -> None:
    """Empty the buffer that the C library keeps in front of standard output."""
    try:
        ctypes.CDLL(None).fflush(None)
    except (AttributeError, OSError, TypeError):  # another platform: the lines may come through
        return
