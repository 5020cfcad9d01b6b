"""Linear systems with a symmetric positive semidefinite matrix."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from optimargin.baselines._base import FloatArray


def solve_semidefinite(matrix: FloatArray, right: FloatArray) -> tuple[FloatArray, bool]:
    """Solve by Cholesky, or by the pseudo-inverse where the matrix is numerically singular.

    Returns the solution and whether the matrix was singular.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._solve import solve_semidefinite
    >>> solve_semidefinite(np.diag([2.0, 0.0]), np.array([1.0, 0.0]))
    (array([0.5, 0. ]), True)
    """
    try:
        factor, lower = cho_factor(matrix, check_finite=False)
        pivots = np.square(np.diagonal(factor))
        if pivots.min() > len(matrix) * np.finfo(np.float64).eps * pivots.max():
            solution: FloatArray = cho_solve((factor, lower), right, check_finite=False)
            return solution, False
    except LinAlgError:
        pass
    values, vectors = eigh(matrix, check_finite=False)
    kept = values > len(matrix) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    inverse = np.zeros_like(values)
    inverse[kept] = 1.0 / values[kept]
    return (vectors * inverse) @ (vectors.T @ right), True
