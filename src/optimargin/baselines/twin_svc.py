"""Twin support vector machine, bounded variant (TWSVM, TBSVM)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from optimargin.baselines._base import FloatArray
from optimargin.baselines._interior_point import solve_hinge
from optimargin.baselines._twin_planes import PlaneProblem, TwinPlaneClassifier


class TwinSVC(TwinPlaneClassifier):
    r"""Twin bounded support vector machine: a plane near each class, away from the other.

    With the rows of ``classes_[1]`` in :math:`H` and those of ``classes_[0]`` in :math:`G`, both
    with a column of ones appended, the planes :math:`z_1 = (w_1, b_1)` and
    :math:`z_2 = (w_2, b_2)` solve

    .. math::

        \min_{z_1, \xi} \tfrac12 \|H z_1\|^2 + \tfrac{c_3}{2} \|z_1\|^2 + c_1 1^T \xi
        \quad \text{subject to} \quad -G z_1 + \xi \ge 1, \; \xi \ge 0,

        \min_{z_2, \eta} \tfrac12 \|G z_2\|^2 + \tfrac{c_4}{2} \|z_2\|^2 + c_2 1^T \eta
        \quad \text{subject to} \quad H z_2 + \eta \ge 1, \; \eta \ge 0 .

    A row belongs to the class of the nearer plane, by perpendicular distance.

    Parameters
    ----------
    c1, c2 : float, default=1.0
        Weights of the hinge losses of the planes of ``classes_[1]`` and ``classes_[0]``.
    c3, c4 : float, default=0.1
        Weights of the squared norms, which must be positive. The original twin support vector
        machine, without this term, is the limit of small values; 2**-7 is common.
    tol : float, default=1e-10
        Bound on the duality gap, relative to the objective, and on the residuals.
    max_iter : int, default=100
        Bound on the number of interior-point steps; some twenty are usual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_plus_, coef_minus_ : ndarray of shape (n_pairs, n_features)
        Normals of the planes near the second and the first class of each pair.
    intercept_plus_, intercept_minus_ : ndarray of shape (n_pairs,)
        Their offsets.
    n_iter_ : ndarray of shape (n_pairs,)
        Interior-point steps, those of the slower plane of each pair.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    The boundary is a pair of planes, so there is no ``coef_``. In coordinates in which the
    squared terms are a plain squared norm, each plane is a hinge-loss problem, solved here by a
    primal-dual interior-point method: some twenty systems with as many unknowns as features,
    however ill-conditioned, and no matrix with as many rows and columns as there are samples.
    Rows equally far from both planes go to ``classes_[0]``.

    References
    ----------
    Jayadeva, R. Khemchandani, S. Chandra, "Twin support vector machines for pattern
    classification", IEEE Transactions on Pattern Analysis and Machine Intelligence 29(5), 2007.

    Y.-H. Shao, C.-H. Zhang, X.-B. Wang, N.-Y. Deng, "Improvements on twin support vector
    machines", IEEE Transactions on Neural Networks 22(6), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import TwinSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), TwinSVC()).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        c1: float = 1.0,
        c2: float = 1.0,
        c3: float = 0.1,
        c4: float = 0.1,
        *,
        tol: float = 1e-10,
        max_iter: int = 100,
    ) -> None:
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.c4 = c4
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.tol, "tol", Real, min_val=0, include_boundaries="neither")
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _plane(self, problem: PlaneProblem) -> tuple[FloatArray, int]:
        root = cholesky(problem.gram(), lower=True, overwrite_a=True, check_finite=False)
        whitened = np.ascontiguousarray(
            solve_triangular(root, problem.side * problem.far.T, lower=True, check_finite=False).T
        )
        costs = problem.loss * problem.far_weights
        found = solve_hinge(whitened, costs, tol=self.tol, max_iter=self.max_iter)
        if not found.converged:
            warnings.warn(
                f"A plane of {problem.name} did not converge in {found.n_iter} interior-point "
                f"steps; its relative gap is {found.gap:.1e}. Raise max_iter or tol, or "
                f"standardise X.",
                ConvergenceWarning,
                stacklevel=2,
            )
        plane: FloatArray = solve_triangular(
            root, found.coef, lower=True, trans="T", check_finite=False
        )
        return plane, found.n_iter
