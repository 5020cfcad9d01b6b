"""Newton's method: the Hessian by blocks of samples, and where it arrives."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from optimargin.margin_loss import _Dense, minimise_margin_loss
from optimargin.problem import make_problem


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
    extended = np.vstack([features, np.ones(m)])
    expected = (extended * bends) @ extended.T
    samples = _Dense(make_problem(features, m // 2, None, (1.0, 1.0)))
    np.testing.assert_allclose(samples.hessian(bends), expected, rtol=1e-9, atol=1e-9)


def test_many_samples_lead_where_scikit_learn_arrives():
    rng = np.random.default_rng(0)
    n, m, n_negative = 100, 4000, 1500
    features = rng.standard_normal((n, m))
    features[:3, n_negative:] += 0.5
    # costs such that all samples weigh the same
    problem = make_problem(features, n_negative, None, (1.0, 1.0))
    theta = minimise_margin_loss(problem, "logistic", strength=0.1)
    peer = LogisticRegression(C=0.1, tol=1e-10, max_iter=1000)
    peer.fit(features.T, np.arange(m) >= n_negative)
    np.testing.assert_allclose(theta[:-1], peer.coef_[0], atol=1e-5)
    assert theta[-1] == pytest.approx(peer.intercept_[0], abs=1e-5)


def test_a_begin_beyond_all_margins_is_walked_back_from():
    # no sample bends the loss there: the Hessian is that of the ridge
    rng = np.random.default_rng(1)
    features = rng.standard_normal((3, 60))
    features[0] += np.where(np.arange(60) < 25, -9.0, 9.0)
    problem = make_problem(features, 25, None, "balanced")
    found = minimise_margin_loss(problem, "squared_hinge", 1.0)
    begin = np.array([40.0, 0.0, 0.0, 0.0])
    assert _Dense(problem).margins(begin).min() > 1
    again = minimise_margin_loss(problem, "squared_hinge", 1.0, begin)
    np.testing.assert_allclose(again, found, rtol=1e-4, atol=1e-6)
