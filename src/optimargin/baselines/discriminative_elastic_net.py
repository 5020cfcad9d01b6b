"""Discriminative elastic-net regularised linear regression (DENLR; DEL in the paper's tables)."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._native import NativeClassifier
from optimargin.baselines._relaxed_regression import (
    RelaxedRegression,
    solve_admm,
    solve_alternating,
)
from optimargin.baselines._row_space import row_space


@dataclass(frozen=True)
class LinearScores:
    """One column of coefficients and one intercept a class."""

    coef: FloatArray
    intercept: FloatArray
    n_iter: int


class DiscriminativeElasticNetClassifier(NativeClassifier):
    r"""Least squares onto class labels that may be exceeded, with an elastic net on the singular
    values of the coefficients.

    With one-hot labels :math:`Y` and :math:`E = 2Y - 1`, the targets :math:`T = Y + E \odot M`
    may move away from the wrong side by any amount :math:`M \ge 0`. The problem

    .. math::

        \min_{D, b, M \ge 0} \|X D + 1 b^T - (Y + E \odot M)\|_F^2
        + \lambda_1 \|D\|_* + \tfrac{\lambda_2}{2} \|D\|_F^2

    is jointly convex, and a row belongs to the class of its greatest score.

    Parameters
    ----------
    nuclear : float, default=0.5
        The weight :math:`\lambda_1` of the nuclear norm. Without effect for "alternating".
    ridge : float, default=0.5
        The weight :math:`\lambda_2` of the squared norm; must be positive.
    solver : {"alternating", "admm"}, default="alternating"
        "alternating" is what the code of the method's authors amounts to: there the nuclear norm
        enters through two factors of :math:`D`, coupled to it with the constant penalty
        :math:`\mu = 10^{-8}`, at which both factors vanish and :math:`D` alternates with
        :math:`M` as if :math:`\lambda_1` were zero. "admm" solves the problem above, nuclear norm
        included, by the alternating direction method of multipliers.
    fit_intercept : bool, default=True
        Whether :math:`b` is free. False is what the authors' code does, and by its figures the
        paper's comparison: :math:`X` is centred and :math:`b = 0`, so that the threshold lies at
        the mean of the training rows, wherever the classes are.
    multi_class : {"one_vs_one", "native"}, default="one_vs_one"
        With more than two classes, "one_vs_one" fits every pair of classes and lets them vote, as
        the paper's comparison does; "native" fits one column a class at once.
    max_iter : int, default=400
        Bound on the number of iterations. The paper's value.
    tol : float, default=1e-8
        Convergence: change of the coefficients in one iteration, relative to their norm.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features), (n_pairs, n_features) or (n_classes, n_features)
        Coefficients: one row for two classes (the difference of the two columns of :math:`D`),
        one a pair for votes, one a class for "native".
    intercept_ : ndarray of shape (1,), (n_pairs,) or (n_classes,)
        Intercepts.
    n_iter_ : ndarray of shape (n_pairs,) or (1,)
        Iterations.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    The best :math:`M` for given scores leaves the squared hinge :math:`\max(0, 1 - f)^2` of the
    true class and :math:`\max(0, f)^2` of the others. With the intercept and without the nuclear
    norm, the limit of the iteration is therefore the one-vs-rest support vector machine with
    squared hinge loss and :math:`C = 1 / \lambda_2`; 400 iterations need not reach it, and a
    warning says so where they do not.

    References
    ----------
    Z. Zhang, Z. Lai, Y. Xu, L. Shao, J. Wu, G.-S. Xie, "Discriminative elastic-net regularized
    linear regression", IEEE Transactions on Image Processing 26(3), 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import DiscriminativeElasticNetClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), DiscriminativeElasticNetClassifier(tol=1e-3))
    >>> model.fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        nuclear: float = 0.5,
        ridge: float = 0.5,
        *,
        solver: str = "alternating",
        fit_intercept: bool = True,
        multi_class: str = "one_vs_one",
        max_iter: int = 400,
        tol: float = 1e-8,
    ) -> None:
        self.nuclear = nuclear
        self.ridge = ridge
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.max_iter = max_iter
        self.tol = tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.nuclear, "nuclear", Real, min_val=0)
        check_scalar(self.ridge, "ridge", Real, min_val=0, include_boundaries="neither")
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_scalar(self.tol, "tol", Real, min_val=0)
        if self.solver not in ("alternating", "admm"):
            raise ValueError(f'solver must be "alternating" or "admm"; got {self.solver!r}.')

    def _fit_pair(self, pair: Pair) -> Hyperplane:
        found = self._regress(pair.X, pair.positive.astype(np.intp), pair.weights, 2, pair.name)
        return Hyperplane(
            found.coef[1] - found.coef[0],
            float(found.intercept[1] - found.intercept[0]),
            found.n_iter,
        )

    def _fit_native(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        found = self._regress(X, codes, weights, len(self.classes_), "all classes")
        self.coef_, self.intercept_ = found.coef, found.intercept
        self.n_iter_ = np.array([found.n_iter])

    def _regress(
        self,
        X: FloatArray,
        codes: NDArray[np.intp],
        weights: FloatArray,
        n_classes: int,
        name: str,
    ) -> LinearScores:
        space = row_space(X)
        mean = weights @ space.coordinates / weights.sum()
        problem = RelaxedRegression(
            rows=space.coordinates - mean,
            labels=(np.arange(n_classes)[:, np.newaxis] == codes).astype(np.float64),
            weights=weights,
            ridge=self.ridge,
            fit_intercept=self.fit_intercept,
        )
        if self.solver == "admm":
            found = solve_admm(problem, self.nuclear, tol=self.tol, max_iter=self.max_iter)
        else:
            found = solve_alternating(problem, tol=self.tol, max_iter=self.max_iter)
        if found.change > self.tol:
            warnings.warn(
                f"The regression of {name} did not converge in max_iter={self.max_iter} "
                f"iterations; its coefficients still change by {found.change:.1e} of their norm. "
                f"Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return LinearScores(
            coef=space.lift(found.coef.T).T,
            intercept=found.intercept - found.coef @ mean,
            n_iter=found.n_iter,
        )
