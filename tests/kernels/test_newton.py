"""Newton's method: the Hessian by blocks of samples, and where it arrives."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from optimargin.kernels.newton import _squares, newton


@pytest.mark.parametrize(("m", "n"), [(1, 1), (7, 3), (512, 200), (1500, 150), (40_000, 3)])
@pytest.mark.parametrize("bending", ["all", "some", "last", "none"])
def test_products_are_summed_over_all_blocks(m, n, bending):
    rng = np.random.default_rng(m)
    features, bends = rng.standard_normal((n, m)), rng.random(m)
    if bending == "some":
        bends[rng.random(m) < 0.7] = 0.0
    elif bending == "last":
        bends[:-1] = 0.0
    elif bending == "none":
        bends[:] = 0.0
    squares, sums = np.full((n, n), np.nan), np.full(n, np.nan)
    _squares(features, bends, squares, sums)
    np.testing.assert_allclose(squares, (features * bends) @ features.T, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums, features @ bends, rtol=1e-9, atol=1e-9)


def test_many_samples_lead_where_scikit_learn_arrives():
    rng = np.random.default_rng(0)
    n, m, n_negative = 100, 4000, 1500
    features = rng.standard_normal((n, m))
    features[:3, n_negative:] += 0.5
    theta = np.zeros(n + 1)
    newton(features, np.full(m, 0.1), n_negative, True, 50, theta)
    peer = LogisticRegression(C=0.1, tol=1e-10, max_iter=1000)
    peer.fit(features.T, np.arange(m) >= n_negative)
    np.testing.assert_allclose(theta[:-1], peer.coef_[0], atol=1e-5)
    assert theta[-1] == pytest.approx(peer.intercept_[0], abs=1e-5)
