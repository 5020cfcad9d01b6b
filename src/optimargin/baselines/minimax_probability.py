"""Minimax probability machine (MPM)."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair, WeightedPairwiseClassifier
from optimargin.baselines._moments import mean_and_covariance, means_coincide
from optimargin.baselines._row_space import row_space


@dataclass(frozen=True)
class MinimaxHyperplane(Hyperplane):
    """A hyperplane and the number of standard deviations it keeps from every mean."""

    kappa: float = 0.0


@dataclass(frozen=True)
class MinimaxDirection:
    """The minimiser of the sum of the two deviations, and how it was reached."""

    direction: FloatArray
    deviation_plus: float
    deviation_minus: float
    n_iter: int
    converged: bool


def minimax_direction(
    difference: FloatArray,
    covariance_plus: FloatArray,
    covariance_minus: FloatArray,
    *,
    tol: float,
    max_iter: int,
) -> MinimaxDirection:
    """Minimise sqrt(a'S1 a) + sqrt(a'S2 a) subject to a.difference = 1.

    The square of the objective is the minimum over a share w in (0, 1) of a'(S1/w + S2/(1-w))a,
    attained where w is the share of the first deviation in the sum. Given w the best a is the
    solution of one linear system; so the problem is to find the w that reproduces itself. The
    plain iteration (reweighted least squares) is sped up by secant steps.
    """
    share, residual = 0.5, np.nan
    previous_share, previous_residual = np.nan, np.nan
    for n_iter in range(1, max_iter + 1):
        mixed = (1 - share) * covariance_plus
        mixed += share * covariance_minus
        a = cho_solve(cho_factor(mixed, overwrite_a=True, check_finite=False), difference)
        a /= a @ difference
        deviation_plus = float(np.sqrt(max(a @ covariance_plus @ a, 0.0)))
        deviation_minus = float(np.sqrt(max(a @ covariance_minus @ a, 0.0)))
        target = deviation_plus / (deviation_plus + deviation_minus)
        residual = target - share
        if abs(residual) <= tol:
            break
        proposal = target
        if n_iter > 1 and abs(residual) < abs(previous_residual):
            slope = (residual - previous_residual) / (share - previous_share)
            proposal = share - residual / slope
            if not 0 < proposal < 1:
                proposal = target
        previous_share, previous_residual = share, residual
        share = min(max(proposal, 1e-12), 1 - 1e-12)
    return MinimaxDirection(a, deviation_plus, deviation_minus, n_iter, abs(residual) <= tol)


class MinimaxProbabilityClassifier(WeightedPairwiseClassifier):
    r"""Linear classifier that maximises the worst-case probability of a right answer.

    Among all laws with the means :math:`\mu_1, \mu_2` and covariances :math:`S_1, S_2` of the two
    classes, the hyperplane :math:`a^T x = b` maximises the least probability :math:`\alpha` with
    which a row falls on the side of its class. It solves

    .. math::

        \min_a \sqrt{a^T S_1 a} + \sqrt{a^T S_2 a}
        \quad \text{subject to} \quad a^T (\mu_1 - \mu_2) = 1 .

    One over the optimal value is :math:`\kappa`, the bound is
    :math:`\alpha = \kappa^2 / (1 + \kappa^2)`, and
    :math:`b = a^T \mu_1 - \kappa \sqrt{a^T S_1 a}`. Only the moments enter, so the sizes of the
    classes do not matter; the method has no parameter that needs tuning.

    Parameters
    ----------
    ridge : float, default=1e-6
        Multiple of the mean variance of a feature that is added to the diagonal of both
        covariances, so that singular ones (constant columns, more features than rows, a class of
        one row) need no special treatment.
    tol : float, default=1e-9
        Convergence: how well the share of the first deviation in the sum must reproduce itself.
    max_iter : int, default=100
        Bound on the number of linear systems solved.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Coefficients, scaled to :math:`a^T (\mu_1 - \mu_2) = 1`.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Intercepts.
    kappa_ : ndarray of shape (n_pairs,)
        Standard deviations between the hyperplane and either mean.
    accuracy_bound_ : ndarray of shape (n_pairs,)
        The guaranteed probability :math:`\alpha`, if the moments are the true ones.
    n_iter_ : ndarray of shape (n_pairs,)
        Linear systems solved.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    Covariances are the maximum-likelihood ones (divided by the weight of the class). Where the
    means of a pair coincide there is nothing to maximise: the rule is then constant, it predicts
    the first class of the pair, and a warning says so.

    References
    ----------
    G. R. G. Lanckriet, L. El Ghaoui, C. Bhattacharyya, M. I. Jordan, "A robust minimax approach
    to classification", Journal of Machine Learning Research 3, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import MinimaxProbabilityClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), MinimaxProbabilityClassifier()).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(self, *, ridge: float = 1e-6, tol: float = 1e-9, max_iter: int = 100) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        check_scalar(self.ridge, "ridge", Real, min_val=0)
        check_scalar(self.tol, "tol", Real, min_val=0)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _fit_pair(self, pair: Pair) -> MinimaxHyperplane:
        space = row_space(pair.X)
        moments = [
            mean_and_covariance(space.coordinates[rows], pair.weights[rows])
            for rows in (pair.positive, ~pair.positive)
        ]
        (mean_plus, covariance_plus), (mean_minus, covariance_minus) = moments
        add_ridge([covariance_plus, covariance_minus], self.ridge, pair.X.shape[1])
        plane = fit_minimax(
            mean_plus,
            covariance_plus,
            mean_minus,
            covariance_minus,
            tol=self.tol,
            max_iter=self.max_iter,
            name=pair.name,
        )
        return MinimaxHyperplane(
            space.lift(plane.coef), plane.intercept, plane.n_iter, kappa=plane.kappa
        )

    def _expose(self, rules: list[MinimaxHyperplane]) -> None:
        self.kappa_ = np.array([rule.kappa for rule in rules])
        self.accuracy_bound_ = self.kappa_**2 / (1 + self.kappa_**2)


def add_ridge(covariances: list[FloatArray], ridge: float, n_features: int) -> None:
    """Add `ridge` times the mean variance of a feature to every diagonal, in place.

    Where nothing varies at all the diagonal becomes one: distances are then Euclidean.
    """
    trace = sum(float(np.trace(covariance)) for covariance in covariances)
    mean_variance = trace / (len(covariances) * n_features)
    amount = ridge * mean_variance if mean_variance > 0 else 1.0
    for covariance in covariances:
        covariance.flat[:: len(covariance) + 1] += amount


def fit_minimax(
    mean_plus: FloatArray,
    covariance_plus: FloatArray,
    mean_minus: FloatArray,
    covariance_minus: FloatArray,
    *,
    tol: float,
    max_iter: int,
    name: str,
) -> MinimaxHyperplane:
    """The minimax hyperplane of two pairs of moments; `name` is for messages."""
    difference = mean_plus - mean_minus
    if means_coincide(mean_plus, mean_minus, name):
        return MinimaxHyperplane(np.zeros_like(difference), 0.0, 1, kappa=0.0)
    try:
        found = minimax_direction(
            difference, covariance_plus, covariance_minus, tol=tol, max_iter=max_iter
        )
    except LinAlgError:
        raise ValueError(
            f"The covariances of {name} are singular together; set ridge to a positive number."
        ) from None
    if not found.converged:
        warnings.warn(
            f"The minimax direction of {name} did not converge in max_iter={max_iter} steps; "
            f"raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
    kappa = 1.0 / (found.deviation_plus + found.deviation_minus)
    threshold = float(found.direction @ mean_plus) - kappa * found.deviation_plus
    return MinimaxHyperplane(found.direction, -threshold, found.n_iter, kappa=kappa)
