"""Directions at unit length."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled


@compiled()
def unit_length(directions: Any, unit: Any, l1_norms: Any) -> bool:
    """Write every row at unit length, and the sum of its absolute values then.

    Returns False when a row is zero or not finite.
    """
    k, n = directions.shape
    for row in range(k):
        largest = 0.0
        for j in range(n):
            value = abs(np.float64(directions[row, j]))
            if not value < np.inf:
                return False
            largest = max(largest, value)
        if largest == 0.0:
            return False
        squares = 0.0
        for j in range(n):
            squares += (np.float64(directions[row, j]) / largest) ** 2
        norm = np.sqrt(squares)
        absolutes = 0.0
        for j in range(n):
            value = np.float64(directions[row, j]) / largest / norm
            unit[row, j] = value
            absolutes += abs(value)
        l1_norms[row] = absolutes
    return True
