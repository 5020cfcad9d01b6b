"""The minimax hyperplane of several components a class.

With components (m_i, S_i) of signs +1 and -1, deviations s_i(a) = sqrt(a'S_i a), solve

    max kappa   subject to   sign_i (a.m_i - b) >= kappa s_i(a)   for every i.

The solution lies in the span of the M^-1 m_i, where M is a mixture of the S_i whose shares are
known only at the solution. So the problem is solved by SLSQP in a small subspace, which is then
enlarged by what the shares found there say, until the optimality conditions hold in full. The
cost is one factorisation a round, and SLSQP never sees more than a few dozen unknowns.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, qr, solve_triangular
from scipy.optimize import minimize, nnls

from optimargin.baselines._base import FloatArray

# Beyond this many directions a subspace starts anew from the best one and the newest.
LARGEST_SUBSPACE = 48


@dataclass(frozen=True)
class Components:
    """Means, one a row, covariances, and signs: +1 for the positive class."""

    means: FloatArray
    covariances: FloatArray
    signs: FloatArray

    def project(self, directions: FloatArray) -> "Components":
        """The components of the projections onto the columns of `directions`."""
        return Components(
            self.means @ directions,
            np.array([directions.T @ covariance @ directions for covariance in self.covariances]),
            self.signs,
        )

    def deviations(self, a: FloatArray) -> FloatArray:
        """The standard deviation of every component along `a`."""
        squared = np.einsum("cij,i,j->c", self.covariances, a, a, optimize=True)
        deviations: FloatArray = np.sqrt(np.maximum(squared, np.finfo(np.float64).tiny))
        return deviations

    def kappa(self, a: FloatArray) -> tuple[float, float]:
        """The greatest kappa along `a`, and the threshold that attains it.

        It is the least of a.(m_i - m_j) / (s_i + s_j) over all pairs of components of the two
        classes, and minus infinity where `a` does not separate the means.
        """
        scores, deviations = self.means @ a, self.deviations(a)
        plus, minus = self.signs > 0, self.signs < 0
        gaps = scores[plus][:, np.newaxis] - scores[minus]
        kappa = float((gaps / (deviations[plus][:, np.newaxis] + deviations[minus])).min())
        if kappa <= 0:
            return -np.inf, 0.0
        highest_minus = float((scores[minus] + kappa * deviations[minus]).max())
        lowest_plus = float((scores[plus] - kappa * deviations[plus]).min())
        return kappa, 0.5 * (highest_minus + lowest_plus)


@dataclass(frozen=True)
class ComponentsSolution:
    """The hyperplane a.x = b, its kappa, and how well the optimality conditions hold."""

    coef: FloatArray
    threshold: float
    kappa: float
    n_iter: int
    residual: float


def solve_components(
    components: Components, *, tol: float, max_iter: int
) -> ComponentsSolution | None:
    """Solve, or return None where no hyperplane separates the means."""
    root = cholesky(components.covariances.mean(axis=0), lower=True, check_finite=False)
    whitened = whiten(components, root)
    a = separating_direction(whitened)
    if a is None:
        return None
    kappa, threshold = whitened.kappa(a)
    basis, fresh = a[:, np.newaxis], whitened.means.T
    residual, n_iter, stuck = np.inf, 0, False
    while residual > tol and n_iter < max_iter and not stuck:
        n_iter += 1
        if basis.shape[1] + fresh.shape[1] > LARGEST_SUBSPACE:
            basis = a[:, np.newaxis]
        basis = orthonormal(np.column_stack([basis, fresh]))
        small = whitened.project(basis)
        a = basis @ maximise_kappa(small, basis.T @ a)
        before = kappa
        kappa, threshold = whitened.kappa(a)
        stuck = basis.shape[1] == len(a) and kappa <= before * (1 + 1e-13)
        shares = active_shares(small, basis.T @ a, threshold, kappa)
        mixed = np.einsum("c,cij->ij", shares / whitened.deviations(a), whitened.covariances)
        factor = cho_factor(mixed, check_finite=False)
        missing = cho_solve(factor, (whitened.signs * shares) @ whitened.means) - kappa * a
        residual = float(np.sqrt(max(missing @ mixed @ missing, 0.0)))
        residual /= kappa * float(np.sqrt(a @ mixed @ a))
        towards = cho_solve(factor, whitened.means[shares > 0].T, check_finite=False)
        fresh = np.column_stack([missing, towards])
    coef = solve_triangular(root, a, lower=True, trans="T", check_finite=False)
    return ComponentsSolution(coef, threshold, kappa, n_iter, residual)


def whiten(components: Components, root: FloatArray) -> Components:
    """The components of L^-1 x."""
    means = solve_triangular(root, components.means.T, lower=True, check_finite=False).T
    covariances = []
    for covariance in components.covariances:
        half = solve_triangular(root, covariance, lower=True, check_finite=False)
        covariances.append(solve_triangular(root, half.T, lower=True, check_finite=False))
    return Components(means, np.array(covariances), components.signs)


def orthonormal(directions: FloatArray) -> FloatArray:
    """An orthonormal basis of the span of the columns, the first of which comes first."""
    scaled = directions / np.maximum(np.linalg.norm(directions, axis=0), 1e-300)
    basis, triangle, _ = qr(scaled, mode="economic", pivoting=True, check_finite=False)
    sizes = np.abs(np.diagonal(triangle))
    kept: FloatArray = basis[:, sizes > 1e-10 * sizes[0]]
    return kept


def separating_direction(components: Components) -> FloatArray | None:
    """The shortest vector between the convex hulls of the means, None where the hulls meet."""
    signed = components.signs[:, np.newaxis] * components.means
    scale = float(np.abs(signed).max())
    if scale == 0:
        return None
    products = signed @ signed.T / scale**2
    plus = components.signs > 0
    sums = np.array([plus, ~plus], dtype=np.float64)
    found = minimize(
        lambda share: (share @ products @ share, 2 * products @ share),
        np.where(plus, 1 / plus.sum(), 1 / (~plus).sum()),
        jac=True,
        bounds=[(0, 1)] * len(plus),
        constraints={"type": "eq", "fun": lambda share: sums @ share - 1, "jac": lambda _: sums},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    direction: FloatArray = found.x @ signed
    length = float(np.linalg.norm(direction))
    if length <= 1e-7 * scale or components.kappa(direction)[0] <= 0:
        return None
    return direction


def maximise_kappa(components: Components, start: FloatArray) -> FloatArray:
    """SLSQP over a, b and kappa, with a.d = |d| for the difference d of the mean means."""
    means, signs = components.means, components.signs
    difference = means[signs > 0].mean(axis=0) - means[signs < 0].mean(axis=0)
    difference /= np.linalg.norm(difference)
    start = start / (start @ difference)
    kappa, threshold = components.kappa(start)
    equality = np.append(difference, [0.0, 0.0])
    falling = np.append(np.zeros_like(start), [0.0, -1.0])
    found = minimize(
        lambda z: -z[-1],
        np.append(start, [threshold, kappa]),
        jac=lambda _: falling,
        constraints=[
            {
                "type": "ineq",
                "fun": lambda z: slacks(components, z),
                "jac": lambda z: slack_gradients(components, z),
            },
            {
                "type": "eq",
                "fun": lambda z: np.array([z @ equality - 1.0]),
                "jac": lambda _: equality[np.newaxis],
            },
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    a: FloatArray = found.x[:-2]
    # SLSQP may stop anywhere; it must not make things worse.
    return a if components.kappa(a)[0] >= kappa else start


def slacks(components: Components, z: FloatArray) -> FloatArray:
    """By how much every constraint holds at z = (a, b, kappa)."""
    a, b, kappa = z[:-2], z[-2], z[-1]
    margins = components.signs * (components.means @ a - b)
    values: FloatArray = margins - kappa * components.deviations(a)
    return values


def slack_gradients(components: Components, z: FloatArray) -> FloatArray:
    """The derivatives of the slacks, one row a constraint."""
    a, kappa = z[:-2], z[-1]
    deviations = components.deviations(a)
    slopes = (components.covariances @ a) / deviations[:, np.newaxis]
    by_a = components.signs[:, np.newaxis] * components.means - kappa * slopes
    return np.column_stack([by_a, -components.signs, -deviations])


def active_shares(
    components: Components, a: FloatArray, threshold: float, kappa: float
) -> FloatArray:
    """Multipliers of the constraints, those of either class summing to one.

    They are the non-negative numbers that come nearest to fulfilling the optimality conditions.
    """
    z = np.append(a, [threshold, kappa])
    pulls = slack_gradients(components, z)[:, : len(a)]
    pulls = np.column_stack([pulls, slacks(components, z)])
    size = float(np.abs(pulls).max())
    sums = size * 1e3 * np.array([components.signs > 0, components.signs < 0], dtype=np.float64)
    system = np.vstack([pulls.T, sums])
    shares: FloatArray = nnls(system, np.append(np.zeros(pulls.shape[1]), [size * 1e3] * 2))[0]
    return shares
