"""Multiple between-class linear discriminant analysis (MBLDA; MBA in the paper's tables)."""

import warnings
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray, Hyperplane, Pair
from optimargin.baselines._moments import means_coincide
from optimargin.baselines._native import NativeClassifier
from optimargin.baselines._row_space import row_space
from optimargin.baselines._solve import solve_semidefinite
from optimargin.training import class_pairs


@dataclass(frozen=True)
class Scatter:
    """Class means, one a row, and the regularised covariance within the classes."""

    means: FloatArray
    within: FloatArray


class MultipleBetweenClassLDA(NativeClassifier):
    r"""Linear discriminant analysis with one between-class problem for every pair of classes.

    For the pair :math:`(i, j)` with means :math:`\mu_i, \mu_j`, and with the covariance within
    the classes :math:`S_w`, the direction solves

    .. math::

        \min_w \frac{w^T S_w w}{(w^T (\mu_i - \mu_j))^2},
        \quad \text{that is} \quad w_{ij} \propto S_w^{-1} (\mu_j - \mu_i) .

    A pair is told apart at the midpoint of its projected means, as equal priors ask. With two
    classes this is Fisher's discriminant.

    Parameters
    ----------
    regularization : float, default=0.5
        The :math:`\lambda` of the penalty below. The paper's value.
    penalty : {"scatter", "ridge", "shrinkage"}, default="scatter"
        What :math:`\lambda` is added to. "scatter" regularises the sum over all rows, that is
        :math:`m S_w + \lambda I` with the total weight :math:`m`: a little, and the less the
        more rows there are. "ridge" takes :math:`S_w + \lambda I`. "shrinkage" takes
        :math:`(1 - \lambda) S_w + \lambda \, \mathrm{tr}(S_w) / n \, I`, with :math:`\lambda`
        at most 1. All are meant for standardised features.
    multi_class : {"one_vs_one", "native"}, default="one_vs_one"
        With more than two classes, "one_vs_one" lets each pair compute :math:`S_w` from its own
        rows and vote, as the paper's comparison does. "native" computes :math:`S_w` from all
        classes, projects onto the directions of all pairs, each scaled to
        :math:`w^T S_w w = 1`, and takes the class of the nearest projected mean.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (1, n_features), (n_pairs, n_features) or (n_classes, n_features)
        Coefficients: one row for two classes, one a pair for votes, one a class for "native".
    intercept_ : ndarray of shape (1,), (n_pairs,) or (n_classes,)
        Intercepts.
    directions_ : ndarray of shape (n_pairs, n_features)
        The directions of all pairs; only for "native" with more than two classes.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    The paper that compares with this method names :math:`\lambda = 0.5` but not what it is added
    to. Its figures are those of "scatter"; on collinear features (HV, HN, PR) "ridge" and
    "shrinkage" with the same :math:`\lambda` fall far behind them.

    :math:`S_w` is divided by the total weight of the rows. The published demo finds the
    directions through a null space with a ridge of 1e-10; solving for :math:`S_w^{-1}` gives the
    same ones and does not divide by a mean difference that may be zero. The method's paper
    classifies projected rows by their nearest neighbour; the nearest mean used here keeps the
    rule linear. Where :math:`S_w` is numerically singular (``regularization=0``, or columns
    of very different scale) its pseudo-inverse is used, with a warning.

    References
    ----------
    Z. Wang, Y.-H. Shao, L. Bai, C.-N. Li, L.-M. Liu, N.-Y. Deng, "MBLDA: A novel multiple
    between-class linear discriminant analysis", Information Sciences 369, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import MultipleBetweenClassLDA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), MultipleBetweenClassLDA()).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        regularization: float = 0.5,
        *,
        penalty: str = "scatter",
        multi_class: str = "one_vs_one",
    ) -> None:
        self.regularization = regularization
        self.penalty = penalty
        self.multi_class = multi_class

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.penalty not in ("scatter", "ridge", "shrinkage"):
            raise ValueError(
                f'penalty must be "scatter", "ridge" or "shrinkage"; got {self.penalty!r}.'
            )
        greatest = 1 if self.penalty == "shrinkage" else None
        check_scalar(self.regularization, "regularization", Real, min_val=0, max_val=greatest)

    def _fit_pair(self, pair: Pair) -> Hyperplane:
        space = row_space(pair.X)
        scatter = self._scatter(
            space.coordinates, pair.positive.astype(np.intp), pair.weights, 2, pair.X.shape[1]
        )
        difference = scatter.means[1] - scatter.means[0]
        coef = self._directions(scatter, difference, pair.name)
        if means_coincide(scatter.means[0], scatter.means[1], pair.name):
            coef = np.zeros_like(coef)
        midpoint = 0.5 * (scatter.means[0] + scatter.means[1])
        return Hyperplane(space.lift(coef), -float(coef @ midpoint))

    def _fit_native(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        n_classes = len(self.classes_)
        space = row_space(X)
        scatter = self._scatter(space.coordinates, codes, weights, n_classes, X.shape[1])
        first, second = np.array(class_pairs(n_classes)).T
        differences = (scatter.means[second] - scatter.means[first]).T
        directions = self._directions(scatter, differences, "the classes")
        lengths = np.sqrt(np.einsum("np,np->p", directions, scatter.within @ directions))
        directions = directions / np.where(lengths > 0, lengths, 1.0)
        projected = scatter.means @ directions
        self.directions_ = space.lift(directions).T
        self.coef_ = projected @ self.directions_
        self.intercept_ = -0.5 * np.einsum("kp,kp->k", projected, projected)

    def _scatter(
        self,
        X: FloatArray,
        codes: NDArray[np.intp],
        weights: FloatArray,
        n_classes: int,
        n_features: int,
    ) -> Scatter:
        """Means and regularised covariance; `n_features` counts the original features."""
        means = np.array(
            [
                np.average(X[codes == k], axis=0, weights=weights[codes == k])
                for k in range(n_classes)
            ]
        )
        centred = X - means[codes]
        centred *= np.sqrt(weights / weights.sum())[:, np.newaxis]
        within = centred.T @ centred
        added = self.regularization
        trace = float(np.trace(within))
        if self.penalty == "scatter":
            added /= float(weights.sum())
        elif self.penalty == "shrinkage":
            added *= trace / n_features
            within *= 1 - self.regularization
        if trace == 0 and added == 0:
            # Nothing varies within the classes: distances are then Euclidean.
            added = 1.0
        within.flat[:: len(within) + 1] += added
        return Scatter(means, within)

    def _directions(self, scatter: Scatter, differences: FloatArray, name: str) -> FloatArray:
        solution, singular = solve_semidefinite(scatter.within, differences)
        if singular:
            warnings.warn(
                f"The covariance within {name} is singular; its pseudo-inverse is used. "
                f"Standardise X, or raise regularization, to avoid this.",
                LinAlgWarning,
                stacklevel=3,
            )
        return solution
