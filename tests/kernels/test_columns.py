"""Range and moments of columns, block by block, against numpy on the whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimargin.kernels.columns import add_moments, widen_ranges


def by_blocks(X, weights, factors, size):
    n = X.shape[1]
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    total, mean, squares = 0.0, np.zeros(n), np.zeros(n)
    space = np.full((3, n), np.nan)
    for first in range(0, len(X), size):
        block = X[first : first + size]
        widen_ranges(block, low, high)
        total = add_moments(
            block, weights[first : first + size], factors, total, mean, squares, space
        )
    return low, high, total, mean, squares


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(seed=st.integers(0, 100), m=st.integers(1, 40), size=st.integers(1, 41))
@settings(deadline=None)  # the first call compiles
def test_blocks_join_to_the_whole(dtype, seed, m, size):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((m, 3)) * [1.0, 1e-3, 1e3] + [1e4, 0.0, -5.0]).astype(dtype)
    weights = rng.integers(0, 3, m).astype(float)
    weights[rng.integers(m)] = 1.0
    factors = np.array([1.0, 4.0, 0.5])
    low, high, total, mean, squares = by_blocks(X, weights, factors, size)
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    assert total == weights.sum()
    scaled = factors * X.astype(np.float64)
    expected = np.average(scaled, axis=0, weights=weights)
    np.testing.assert_allclose(mean, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(squares, weights @ (scaled - expected) ** 2, rtol=1e-9, atol=1e-12)


def test_a_large_mean_costs_no_digits():
    X = 1e9 + np.random.default_rng(0).standard_normal((5000, 1))
    _, _, _, mean, squares = by_blocks(X, np.ones(5000), np.ones(1), 256)
    assert mean[0] == pytest.approx(X.mean(), rel=1e-15)
    # a mean of 1e9 is itself known to 1e-7 only
    assert squares[0] / 5000 == pytest.approx(X.var(), rel=1e-8)
