"""Structural minimax probability machine (SMPM; SMP in the paper's tables)."""

import warnings
from dataclasses import dataclass, replace
from numbers import Integral, Real
from operator import attrgetter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Pair, WeightedPairwiseClassifier
from optimargin.baselines._minimax_components import Components, solve_components
from optimargin.baselines._mixture import Mixtures
from optimargin.baselines._row_space import row_space
from optimargin.baselines.minimax_probability import MinimaxHyperplane, fit_minimax

# Change of the mean log likelihood per feature at which a mixture has converged.
MIXTURE_TOLERANCE = 1e-3
# Convergence of the minimax probability machine that one component a class amounts to.
SHARE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class StructuralHyperplane(MinimaxHyperplane):
    """A minimax hyperplane and the components it was fitted to."""

    n_components: tuple[int, int] = (1, 1)
    residual: float = 0.0
    balanced_accuracy: float = 0.0


class StructuralMinimaxClassifier(WeightedPairwiseClassifier):
    r"""Minimax probability machine for classes that consist of several components each.

    Each class is a finite mixture of which the means :math:`\mu_i` and covariances :math:`S_i`
    are known, and nothing else. The hyperplane :math:`a^T x = b` keeps every component as many
    standard deviations as possible on its side:

    .. math::

        \max_{a \ne 0, b} \kappa \quad \text{subject to} \quad
        a^T \mu_i - b \ge \kappa \sqrt{a^T S_i a} \;\; (i \in P), \qquad
        b - a^T \mu_j \ge \kappa \sqrt{a^T S_j a} \;\; (j \in N),

    with the components :math:`P` of ``classes_[1]`` and :math:`N` of ``classes_[0]``. Under every
    law with these moments a row of any component is classified rightly with a probability of at
    least :math:`\kappa^2 / (1 + \kappa^2)`. With one component a class this is the minimax
    probability machine; with one row a component and equal spherical covariances it is the
    support vector machine with a hard margin.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Gaussian components a class. "auto" starts from one and adds one, to the class that gains
        more, as long as the Bayesian information criterion of its mixture falls and the balanced
        accuracy on the training rows rises. An integer asks for as many in both classes; there
        are fewer where a component would hold the weight of less than n + 2 rows, and where no
        hyperplane separates the means of the components, as the problem demands, they are taken
        back one by one, each time from the class whose criterion suffers least. `n_components_`
        tells what was used.
    max_components : int, default=4
        Bound for "auto", per class.
    ridge : float, default=1e-6
        Multiple of the mean variance of a feature that is added to the diagonal of every
        covariance.
    tol : float, default=1e-6
        Convergence: violation of the optimality conditions, relative to either side of them.
    max_iter : int, default=100
        Bound on the rounds of the solver, and on the iterations that fit a mixture.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features) or (n_pairs, n_features)
        Coefficients.
    intercept_ : ndarray of shape (1,) or (n_pairs,)
        Intercepts.
    n_components_ : ndarray of shape (n_pairs, 2)
        Components used for the first and the second class of each pair.
    kappa_ : ndarray of shape (n_pairs,)
        Standard deviations between the hyperplane and the nearest means.
    accuracy_bound_ : ndarray of shape (n_pairs,)
        The guaranteed probability, if the moments are the true ones.
    n_iter_ : ndarray of shape (n_pairs,)
        Rounds of the solver.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    The method's paper names neither the procedure that fits the mixtures nor their size. Here it
    is expectation maximisation, started by cutting the longest component across its principal
    axis: nothing is random, and sample weights count as repetitions. The criterion alone is not
    left to choose the number of components, because the hyperplane heeds the smallest of them as
    much as the largest: a mixture that describes a class better, by giving its outliers a
    component of their own, often classifies worse. Where the original solves a sequence of cone
    programs, this solves one smooth problem by SLSQP in growing subspaces; both end at the same
    hyperplane. Where the means of a pair coincide, the rule is constant and a warning says so.

    References
    ----------
    B. Gu, X. Sun, V. S. Sheng, "Structural minimax probability machine", IEEE Transactions on
    Neural Networks and Learning Systems 28(7), 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import StructuralMinimaxClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), StructuralMinimaxClassifier()).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        max_components: int = 4,
        ridge: float = 1e-6,
        tol: float = 1e-6,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        if isinstance(self.n_components, str):
            if self.n_components != "auto":
                raise ValueError(
                    f'n_components must be a positive integer or "auto"; got {self.n_components!r}.'
                )
        else:
            check_scalar(self.n_components, "n_components", Integral, min_val=1)
        check_scalar(self.max_components, "max_components", Integral, min_val=1)
        check_scalar(self.ridge, "ridge", Real, min_val=0, include_boundaries="neither")
        check_scalar(self.tol, "tol", Real, min_val=0)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _fit_pair(self, pair: Pair) -> StructuralHyperplane:
        space = row_space(pair.X)
        pair = replace(pair, X=space.coordinates)
        plus, minus = pair.positive, ~pair.positive
        variance = 0.5 * sum(
            total_variance(pair.X[rows], pair.weights[rows]) for rows in (minus, plus)
        )
        ridge = self.ridge * variance / self.n_features_in_ or 1.0
        mixtures = tuple(
            Mixtures(
                pair.X[rows],
                pair.weights[rows],
                ridge=ridge,
                tol=MIXTURE_TOLERANCE,
                max_iter=self.max_iter,
            )
            for rows in (minus, plus)
        )
        fit = self._fit_growing if self.n_components == "auto" else self._fit_largest
        plane = fit(pair, mixtures)
        if plane.residual > self.tol:
            warnings.warn(
                f"The structural minimax hyperplane of {pair.name} did not converge: the "
                f"optimality conditions are violated by {plane.residual:.1e} after "
                f"{plane.n_iter} rounds. Raise max_iter, ridge or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return replace(plane, coef=space.lift(plane.coef))

    def _fit_growing(self, pair: Pair, mixtures: tuple[Mixtures, ...]) -> StructuralHyperplane:
        """Add components, at each step to the class that gains more, while both criteria gain."""
        best = self._fit_components(pair, mixtures, (1, 1))
        assert best is not None
        while True:
            candidates = []
            for c in (0, 1):
                size = best.n_components[c]
                if size == self.max_components or not mixtures[c].of(size + 1):
                    continue
                if mixtures[c].bic(size + 1) < mixtures[c].bic(size):
                    sizes = list(best.n_components)
                    sizes[c] += 1
                    candidates.append(self._fit_components(pair, mixtures, (sizes[0], sizes[1])))
            separating = [candidate for candidate in candidates if candidate is not None]
            winner = max(separating, key=attrgetter("balanced_accuracy"), default=best)
            # A gain of less than rounding is none: a weight must do what repeated rows do.
            if winner.balanced_accuracy <= best.balanced_accuracy + 1e-12:
                return best
            best = winner

    def _fit_largest(self, pair: Pair, mixtures: tuple[Mixtures, ...]) -> StructuralHyperplane:
        """As many components as asked for, or as the rows and the geometry allow."""
        sizes = [
            max(size for size in range(1, int(self.n_components) + 1) if one.of(size))
            for one in mixtures
        ]
        while True:
            plane = self._fit_components(pair, mixtures, (sizes[0], sizes[1]))
            if plane is not None:
                return plane
            losses = [
                one.bic(size - 1) - one.bic(size) if size > 1 else np.inf
                for one, size in zip(mixtures, sizes, strict=True)
            ]
            sizes[int(np.argmin(losses))] -= 1

    def _fit_components(
        self, pair: Pair, mixtures: tuple[Mixtures, ...], sizes: tuple[int, int]
    ) -> StructuralHyperplane | None:
        """The hyperplane of mixtures of given sizes, None where it does not exist."""
        minus, plus = (one.of(size) for one, size in zip(mixtures, sizes, strict=True))
        assert minus is not None
        assert plus is not None
        if not (minus.converged and plus.converged):
            warnings.warn(
                f"A mixture of {pair.name} did not converge in max_iter={self.max_iter} "
                f"iterations; raise max_iter or lower n_components.",
                ConvergenceWarning,
                stacklevel=2,
            )
        if sizes == (1, 1):
            plane = fit_minimax(
                plus.means[0],
                plus.covariances[0],
                minus.means[0],
                minus.covariances[0],
                tol=SHARE_TOLERANCE,
                max_iter=self.max_iter,
                name=pair.name,
            )
            coef, threshold, kappa, n_iter = plane.coef, -plane.intercept, plane.kappa, plane.n_iter
            residual = 0.0
        else:
            components = Components(
                means=np.vstack([plus.means, minus.means]),
                covariances=np.vstack([plus.covariances, minus.covariances]),
                signs=np.repeat([1.0, -1.0], [plus.n_components, minus.n_components]),
            )
            found = solve_components(components, tol=self.tol, max_iter=self.max_iter)
            if found is None:
                return None
            coef, threshold, kappa, n_iter = found.coef, found.threshold, found.kappa, found.n_iter
            residual = found.residual
        return StructuralHyperplane(
            coef,
            -threshold,
            n_iter,
            kappa=kappa,
            n_components=sizes,
            residual=residual,
            balanced_accuracy=balanced_accuracy(pair, coef, threshold),
        )

    def _expose(self, rules: list[StructuralHyperplane]) -> None:
        self.kappa_ = np.array([rule.kappa for rule in rules])
        self.accuracy_bound_ = self.kappa_**2 / (1 + self.kappa_**2)
        self.n_components_ = np.array([rule.n_components for rule in rules])


def total_variance(X: FloatArray, weights: FloatArray) -> float:
    """Mean squared distance of the rows from their mean."""
    centred = X - weights @ X / weights.sum()
    return float(weights @ np.einsum("ij,ij->i", centred, centred) / weights.sum())


def balanced_accuracy(pair: Pair, coef: FloatArray, threshold: float) -> float:
    """Mean share of weight on the right side, over the two classes."""
    above = pair.X @ coef > threshold
    plus, minus = pair.positive, ~pair.positive
    right_plus = pair.weights[plus & above].sum() / pair.weights[plus].sum()
    right_minus = pair.weights[minus & ~above].sum() / pair.weights[minus].sum()
    return float(0.5 * (right_plus + right_minus))
