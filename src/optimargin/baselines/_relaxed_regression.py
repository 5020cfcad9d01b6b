"""Ridge regression onto one-hot labels that may be exceeded, with or without a nuclear norm.

Scores, targets and coefficients have one row a class, so that each class is contiguous.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular, svd

from optimargin.baselines._base import FloatArray

# Below this number of classes a product a class is faster than one product for all.
FEW_CLASSES = 4


@dataclass(frozen=True)
class RelaxedRegression:
    """min sum_i weights_i ||D'rows_i + b - t_i||^2 + ridge/2 ||D||^2, t_i >= or <= its label.

    The rows are centred (in the weighted mean). `labels` is one-hot, one row a class.
    """

    rows: FloatArray
    labels: FloatArray
    weights: FloatArray
    ridge: float
    fit_intercept: bool

    def gram(self) -> FloatArray:
        """The weighted second moments of the rows."""
        scaled = self.rows * np.sqrt(self.weights)[:, np.newaxis]
        gram: FloatArray = scaled.T @ scaled
        return gram

    def intercept(self, targets: FloatArray) -> FloatArray:
        """The best intercepts for given targets."""
        if not self.fit_intercept:
            return np.zeros(len(targets))
        best: FloatArray = targets @ self.weights / self.weights.sum()
        return best

    def mirrored(self) -> bool:
        """Whether the second class of two is one minus the first, throughout."""
        return self.fit_intercept and len(self.labels) == 2


@dataclass(frozen=True)
class RelaxedSolution:
    """Coefficients, one row a class; `change` is the last relative change of them."""

    coef: FloatArray
    intercept: FloatArray
    n_iter: int
    change: float


def relaxed_targets(scores: FloatArray, labels: FloatArray) -> FloatArray:
    """Labels moved to the score where the score exceeds them: Y + E max(E (F - Y), 0).

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.baselines._relaxed_regression import relaxed_targets
    >>> relaxed_targets(np.array([[2.0, 0.5, 0.5, -1.0]]), np.array([[1.0, 1.0, 0.0, 0.0]]))
    array([[ 2.,  1.,  0., -1.]])
    """
    return np.where(labels > 0, np.maximum(scores, labels), np.minimum(scores, labels))


def products(rows: FloatArray, coef: FloatArray) -> FloatArray:
    """Scores rows @ coef_k for every class k."""
    if len(coef) <= FEW_CLASSES:
        return np.stack([rows @ one for one in coef])
    return coef @ rows.T


def relative_change(new: FloatArray, old: FloatArray) -> float:
    """How far `new` is from `old`, in units of its own norm."""
    length = float(np.linalg.norm(new))
    moved = float(np.linalg.norm(new - old))
    return moved / length if length > 0 else moved


def solve_alternating(problem: RelaxedRegression, *, tol: float, max_iter: int) -> RelaxedSolution:
    """Alternate the best targets for the coefficients with the best coefficients for the targets.

    With the Cholesky factor L of the regularised second moments, the rows L^-1 x have the
    coefficients L'd, and the best of these are plain sums over the rows: two passes over one
    matrix are all that an iteration costs. The change is measured in these coordinates, which
    are those of the scores.
    """
    gram = problem.gram()
    gram.flat[:: len(gram) + 1] += problem.ridge / 2
    root = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
    rows = np.ascontiguousarray(
        solve_triangular(root, problem.rows.T, lower=True, check_finite=False).T
    )
    labels = problem.labels[1:] if problem.mirrored() else problem.labels
    coef = products(rows.T, labels * problem.weights)
    intercept = problem.intercept(labels)
    change, n_iter = np.inf, 0
    while change > tol and n_iter < max_iter:
        n_iter += 1
        targets = relaxed_targets(products(rows, coef) + intercept[:, np.newaxis], labels)
        previous, coef = coef, products(rows.T, targets * problem.weights)
        intercept = problem.intercept(targets)
        change = relative_change(coef, previous)
    if problem.mirrored():
        coef = np.concatenate([-coef, coef])
        intercept = np.concatenate([1.0 - intercept, intercept])
    unwhitened = solve_triangular(root, coef.T, lower=True, trans="T", check_finite=False).T
    return RelaxedSolution(unwhitened, intercept, n_iter, change)


def solve_admm(
    problem: RelaxedRegression, nuclear: float, *, tol: float, max_iter: int
) -> RelaxedSolution:
    """Add the nuclear norm of D: alternating direction method of multipliers with D = Z.

    Targets, then D from a ridge problem, then Z by shrinking singular values, then the
    multipliers. What is returned is Z, whose rank is exact.

    The penalty couples D and Z, in all directions alike. So it must not be measured by the rows:
    where these are collinear, a penalty that suits their longest direction holds D fast in all
    others. The scaled multipliers end as a matrix of norm `nuclear` over the penalty; here that is
    the norm of D itself at its start, so that both have as far to go.
    """
    gram = 2.0 * problem.gram()
    gram.flat[:: len(gram) + 1] += problem.ridge
    labels, rows = problem.labels, problem.rows
    moments = 2.0 * products(rows.T, labels * problem.weights)
    start = cho_solve(cho_factor(gram, check_finite=False), moments.T, check_finite=False)
    size = float(np.linalg.norm(start))
    penalty = nuclear / size if nuclear > 0 and size > 0 else problem.ridge
    gram.flat[:: len(gram) + 1] += penalty
    factor = cho_factor(gram, overwrite_a=True, check_finite=False)
    split = np.zeros((len(labels), rows.shape[1]))
    multipliers = np.zeros_like(split)
    targets, intercept = labels, problem.intercept(labels)
    change, n_iter = np.inf, 0
    while change > tol and n_iter < max_iter:
        n_iter += 1
        right = 2.0 * products(rows.T, targets * problem.weights)
        right += penalty * (split - multipliers)
        coef = cho_solve(factor, right.T, check_finite=False).T
        previous, split = split, shrink_singular_values(coef + multipliers, nuclear / penalty)
        multipliers += coef - split
        targets = relaxed_targets(products(rows, coef) + intercept[:, np.newaxis], labels)
        intercept = problem.intercept(targets)
        change = max(relative_change(split, previous), relative_change(split, coef))
    return RelaxedSolution(split, intercept, n_iter, change)


def shrink_singular_values(matrix: FloatArray, amount: float) -> FloatArray:
    """The matrix with every singular value less by `amount`, none below zero."""
    left, values, right = svd(matrix, full_matrices=False, check_finite=False)
    shrunk: FloatArray = (left * np.maximum(values - amount, 0.0)) @ right
    return shrunk
