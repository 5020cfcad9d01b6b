"""More features than rows: the same problem in as many coordinates as there are rows.

A linear rule whose penalty is a sum of squares, in whatever orthonormal coordinates, has its
coefficients in the span of the training rows. So it may be fitted in coordinates of that span.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from optimargin.baselines._base import FloatArray


@dataclass(frozen=True)
class RowSpace:
    """Rows in coordinates of their own span, or as they were if that would be no smaller."""

    coordinates: FloatArray
    basis: FloatArray | None

    def lift(self, coef: FloatArray) -> FloatArray:
        """Coefficients of the original features, along the first axis."""
        if self.basis is None:
            return coef
        lifted: FloatArray = self.basis @ coef
        return lifted


def row_space(X: FloatArray) -> RowSpace:
    """Rotate the rows into their own span if there are fewer rows than features.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._row_space import row_space
    >>> X = np.random.default_rng(0).normal(size=(3, 10))
    >>> space = row_space(X)
    >>> space.coordinates.shape
    (3, 3)
    >>> bool(np.allclose(X @ X.T, space.coordinates @ space.coordinates.T))
    True
    """
    if X.shape[1] <= X.shape[0]:
        return RowSpace(X, None)
    basis, coordinates = qr(X.T, mode="economic", check_finite=False)
    return RowSpace(np.ascontiguousarray(coordinates.T), basis)
