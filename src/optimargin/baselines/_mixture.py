"""Gaussian mixtures of weighted rows, with the number of components by BIC.

Written by hand because scikit-learn's GaussianMixture admits no sample weights. Nothing here is
random: a mixture of k + 1 components starts from the one of k with its longest component cut at
its mean, across its principal axis.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.special import logsumexp

from optimargin.baselines._base import FloatArray
from optimargin.baselines._moments import mean_and_covariance


@dataclass(frozen=True)
class Mixture:
    """Components, one a row of `means` and one a matrix of `covariances`."""

    shares: FloatArray
    means: FloatArray
    covariances: FloatArray
    log_likelihood: float
    converged: bool = True

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.means)


class Mixtures:
    """The mixtures of 1, 2, ... components of some rows, each fitted when first asked for.

    `ridge` is added to the diagonal of every covariance. Each component must hold the weight of
    n + 2 rows, so that its covariance is an estimate; the mixture of one is always there.
    """

    def __init__(
        self, X: FloatArray, weights: FloatArray, *, ridge: float, tol: float, max_iter: int
    ) -> None:
        self.X = X
        self.weights = weights
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        mean, covariance = mean_and_covariance(X, weights)
        covariance.flat[:: len(covariance) + 1] += ridge
        shares, means, covariances = np.ones(1), mean[np.newaxis], covariance[np.newaxis]
        log_densities = component_log_densities(X, shares, means, covariances)
        log_likelihood = float(weights @ log_densities[0])
        self._fitted = [Mixture(shares, means, covariances, log_likelihood)]
        self._exhausted = False

    def of(self, n_components: int) -> Mixture | None:
        """The mixture of so many components, None where the rows do not allow it."""
        while len(self._fitted) < n_components and not self._exhausted:
            grown = self._grown()
            if grown is None:
                self._exhausted = True
            else:
                self._fitted.append(grown)
        return self._fitted[n_components - 1] if n_components <= len(self._fitted) else None

    def bic(self, n_components: int) -> float:
        """Bayesian information criterion of a fitted mixture."""
        n = self.X.shape[1]
        n_parameters = n_components * (1 + n + n * (n + 1) / 2) - 1
        log_likelihood = self._fitted[n_components - 1].log_likelihood
        return float(n_parameters * np.log(self.weights.sum()) - 2 * log_likelihood)

    def _grown(self) -> Mixture | None:
        n_components = len(self._fitted) + 1
        if self.weights.sum() < n_components * (self.X.shape[1] + 2):
            return None
        return expectation_maximisation(
            self.X,
            self.weights,
            split_longest(self.X, self._fitted[-1]),
            ridge=self.ridge,
            tol=self.tol * self.X.shape[1],
            max_iter=self.max_iter,
        )


def component_log_densities(
    X: FloatArray, shares: FloatArray, means: FloatArray, covariances: FloatArray
) -> FloatArray:
    """Log of share times density, one row a component."""
    n = X.shape[1]
    rows = []
    for share, mean, covariance in zip(shares, means, covariances, strict=True):
        root = cholesky(covariance, lower=True, check_finite=False)
        standardised = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
        squared = np.einsum("nm,nm->m", standardised, standardised)
        log_volume = float(np.log(np.diagonal(root)).sum())
        rows.append(np.log(share) - 0.5 * (n * np.log(2 * np.pi) + squared) - log_volume)
    return np.array(rows)


def split_longest(X: FloatArray, mixture: Mixture) -> FloatArray:
    """Responsibilities with one component more: the longest is cut across its principal axis.

    The longest is the one that contributes most variance along its own axis to the whole.
    """
    log_densities = component_log_densities(X, mixture.shares, mixture.means, mixture.covariances)
    responsibilities = np.exp(log_densities - logsumexp(log_densities, axis=0))
    last = X.shape[1] - 1
    lengths, axes = [], []
    for share, covariance in zip(mixture.shares, mixture.covariances, strict=True):
        values, vectors = eigh(covariance, subset_by_index=[last, last], check_finite=False)
        lengths.append(share * values[0])
        axes.append(vectors[:, 0])
    longest = int(np.argmax(lengths))
    beyond = (X - mixture.means[longest]) @ axes[longest] > 0
    cut = responsibilities[longest] * beyond
    responsibilities[longest] -= cut
    return np.vstack([responsibilities, cut])


def expectation_maximisation(
    X: FloatArray,
    weights: FloatArray,
    responsibilities: FloatArray,
    *,
    ridge: float,
    tol: float,
    max_iter: int,
) -> Mixture | None:
    """Iterate from given responsibilities; None where a component loses its rows."""
    n, total = X.shape[1], float(weights.sum())
    log_likelihood = -np.inf
    converged = False
    for _ in range(max_iter):
        masses = responsibilities @ weights
        if masses.min() < n + 2:
            return None
        shares = masses / total
        means, covariances = maximise(X, weights, responsibilities, ridge)
        log_densities = component_log_densities(X, shares, means, covariances)
        log_sums = logsumexp(log_densities, axis=0)
        previous, log_likelihood = log_likelihood, float(weights @ log_sums)
        converged = log_likelihood - previous <= tol * total
        if converged:
            break
        responsibilities = np.exp(log_densities - log_sums)
    return Mixture(shares, means, covariances, log_likelihood, converged)


def maximise(
    X: FloatArray, weights: FloatArray, responsibilities: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """The means and covariances that given responsibilities make likeliest."""
    means, covariances = [], []
    for responsibility in responsibilities:
        # With many features a row belongs to one component almost surely; the others skip it.
        rows = responsibility > 1e-12
        mean, covariance = mean_and_covariance(X[rows], weights[rows] * responsibility[rows])
        covariance.flat[:: len(covariance) + 1] += ridge
        means.append(mean)
        covariances.append(covariance)
    return np.array(means), np.array(covariances)
