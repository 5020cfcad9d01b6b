"""The smooth loss, its derivative, and the descent on it."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from optimargin.kernels.smoothing import descend, smooth_loss, working_space


def reference_loss(values, importance, n_negative, sharpness):
    signs = np.where(np.arange(values.size) < n_negative, -1.0, 1.0)
    u = sharpness * signs * values
    return float(importance @ (1.0 - u / np.sqrt(1.0 + u**2)) / 2)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((4, 70))
    features[:, 30:] += 0.4
    importance = rng.random(70)
    return features, importance / importance.sum()


@pytest.mark.parametrize("sharpness", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_loss_and_derivative(data, sharpness, dtype):
    features, importance = data
    values = features[0].astype(dtype)
    pull = np.empty(70)
    loss = smooth_loss(values, importance, 30, sharpness, pull)
    exact = values.astype(np.float64)
    assert loss == pytest.approx(reference_loss(exact, importance, 30, sharpness), rel=1e-12)
    slopes = approx_fprime(exact, reference_loss, 1e-7, importance, 30, sharpness)
    np.testing.assert_allclose(pull, slopes, atol=1e-5)


def test_a_sharp_loss_counts_errors(data):
    features, importance = data
    pull = np.empty(70)
    loss = smooth_loss(features[0], importance, 30, 1e9, pull)
    wrong = (features[0] > 0) == (np.arange(70) < 30)
    assert loss == pytest.approx(importance[wrong].sum(), abs=1e-9)


@pytest.mark.parametrize("sharpness", [0.5, 2.0])
def test_descent_arrives_where_another_arrives(data, sharpness):
    features, importance = data

    def loss(theta):
        return reference_loss(theta[:-1] @ features + theta[-1], importance, 30, sharpness)

    start = np.array([0.1, 0.2, -0.1, 0.1, 0.0])
    found = start.copy()
    descend(features, found, importance, 30, sharpness, 200, *working_space(70, 4))
    assert loss(found) <= minimize(loss, start, method="BFGS").fun + 1e-4


def test_every_step_goes_down(data):
    features, importance = data
    losses = []
    for steps in range(15):
        theta = np.array([0.1, -0.4, 0.3, 0.1, 0.5])
        descend(features, theta, importance, 30, 8.0, steps, *working_space(70, 4))
        losses.append(
            reference_loss(theta[:-1] @ features + theta[-1], importance, 30, sharpness=8.0)
        )
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1
