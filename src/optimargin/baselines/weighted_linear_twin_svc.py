"""Weighted linear loss twin support vector machine (WLTSVM; WSV in the paper's tables)."""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from optimargin.baselines._base import FloatArray
from optimargin.baselines._twin_planes import PlaneProblem, TwinPlaneClassifier

DOWN_WEIGHT = 1e-5


class WeightedLinearTwinSVC(TwinPlaneClassifier):
    r"""Twin support vector machine with a linear loss, solved in closed form.

    With the rows of ``classes_[1]`` in :math:`H` and those of ``classes_[0]`` in :math:`G`, both
    with a column of ones appended, the planes :math:`z_1 = (w_1, b_1)` and
    :math:`z_2 = (w_2, b_2)` solve

    .. math::

        \min_{z_1} \tfrac12 \|H z_1\|^2 + \tfrac{c_3}{2} \|z_1\|^2 + c_1 v_1^T (1 + G z_1),
        \qquad
        \min_{z_2} \tfrac12 \|G z_2\|^2 + \tfrac{c_4}{2} \|z_2\|^2 + c_2 v_2^T (1 - H z_2),

    first with unit weights :math:`v`, then once more with :math:`v = 10^{-5}` for the rows whose
    slack :math:`1 + G z_1` (or :math:`1 - H z_2`) exceeds the mean absolute slack. A row belongs
    to the class of the nearer plane, by perpendicular distance.

    The final planes do not change when `c1` and `c2` scale them: these two act only through the
    choice of the rows that lose their weight.

    Parameters
    ----------
    c1, c2 : float, default=0.1
        Weights of the linear losses of the planes of ``classes_[1]`` and ``classes_[0]``.
    c3, c4 : float, default=0.1
        Weights of the squared norms, which must be positive.
    scaling : {"paper", "demo"}, default="paper"
        "paper" solves the problem above. "demo" repeats what the code published by the method's
        authors computes: `c1` and `c2` divide where the formula multiplies, and the first pass
        is multiplied by the share of the plane's own class. The figures of the paper that
        compares with this method lie nearer to those of "demo".
    balanced : bool, default=False
        Divide the losses by the weight of their class, so that a large class does not press
        harder because it is large. An extension: the paper has no such option.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_plus_, coef_minus_ : ndarray of shape (n_pairs, n_features)
        Normals of the planes near the second and the first class of each pair.
    intercept_plus_, intercept_minus_ : ndarray of shape (n_pairs,)
        Their offsets.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    The boundary is a pair of planes, so there is no ``coef_``. With more features than rows the
    problem is solved in the span of the rows, which gives the same planes. Rows equally far from
    both planes go to ``classes_[0]``; the authors' code leaves them without a label.

    References
    ----------
    Y.-H. Shao, W.-J. Chen, Z. Wang, C.-N. Li, N.-Y. Deng, "Weighted linear loss twin support
    vector machine for large-scale classification", Knowledge-Based Systems 73, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.baselines import WeightedLinearTwinSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), WeightedLinearTwinSVC()).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        c1: float = 0.1,
        c2: float = 0.1,
        c3: float = 0.1,
        c4: float = 0.1,
        *,
        scaling: str = "paper",
        balanced: bool = False,
    ) -> None:
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.c4 = c4
        self.scaling = scaling
        self.balanced = balanced

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.scaling not in ("paper", "demo"):
            raise ValueError(f'scaling must be "paper" or "demo"; got {self.scaling!r}.')

    def _plane(self, problem: PlaneProblem) -> tuple[FloatArray, None]:
        """Both passes."""
        far, far_weights, side = problem.far, problem.far_weights, problem.side
        factor: Any = cho_factor(problem.gram(), overwrite_a=True, check_finite=False)
        near_total, far_total = problem.near_weights.sum(), far_weights.sum()
        strength, first_pass = problem.loss, 1.0
        if self.scaling == "demo":
            strength, first_pass = 1.0 / problem.loss, near_total / (near_total + far_total)
        if self.balanced:
            strength /= far_total

        def solve(loss_weights: FloatArray) -> FloatArray:
            solution: FloatArray = cho_solve(factor, far.T @ loss_weights, check_finite=False)
            return side * strength * solution

        plane = first_pass * solve(far_weights)
        slack = 1.0 - side * (far @ plane)
        mean_slack = np.average(np.abs(slack), weights=far_weights)
        return solve(np.where(slack > mean_slack, DOWN_WEIGHT, 1.0) * far_weights), None
