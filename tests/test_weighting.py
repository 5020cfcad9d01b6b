"""Integer weights: exact for unweighted and integer-weighted samples, close for all others."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimargin.weighting import NEGLIGIBLE_COST, integer_units


def integer_weights(units, n_negative, m):
    weights = units.weights.tolist() if units.weights.size else [1] * m
    return [
        weight * (units.unit_negative if i < n_negative else units.unit_positive)
        for i, weight in enumerate(weights)
    ]


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_balanced_classes_weigh_the_same(n_negative, n_positive):
    units = integer_units(n_negative, n_positive, None, "balanced")
    assert units.total_negative == units.total_positive
    assert units.total_negative == n_negative * units.unit_negative
    assert units.weights.size == 0


@given(st.lists(st.integers(1, 9), min_size=2, max_size=30), st.data())
def test_integer_weights_are_exact(weights, data):
    n_negative = data.draw(st.integers(1, len(weights) - 1))
    units = integer_units(
        n_negative, len(weights) - n_negative, np.array(weights, float), "balanced"
    )
    shares = [Fraction(w, units.total) for w in integer_weights(units, n_negative, len(weights))]
    sums = sum(weights[:n_negative]), sum(weights[n_negative:])
    assert shares == [Fraction(w, 2 * sums[i >= n_negative]) for i, w in enumerate(weights)]


@given(
    st.lists(st.floats(1e-8, 1e8), min_size=2, max_size=30),
    st.sampled_from(["balanced", (1.0, 1.0), (0.3, 2.0)]),
    st.data(),
)
@settings(deadline=None)
def test_real_weights_are_close(weights, costs, data):
    n_negative = data.draw(st.integers(1, len(weights) - 1))
    units = integer_units(n_negative, len(weights) - n_negative, np.array(weights), costs)
    assert units.total < 2**62
    values = np.array(weights)
    if costs == "balanced":
        values[:n_negative] /= 2 * values[:n_negative].sum()
        values[n_negative:] /= 2 * values[n_negative:].sum()
    else:
        values[:n_negative] *= costs[0]
        values[n_negative:] *= costs[1]
        values /= values.sum()
    got = np.array(integer_weights(units, n_negative, len(weights)), float) / units.total
    np.testing.assert_allclose(got, values, rtol=1e-12, atol=2.0**-55)


def test_equal_weights_are_no_weights():
    weighted = integer_units(2, 3, np.full(5, 0.1), "balanced")
    assert weighted.weights.size == 0
    assert (weighted.unit_negative, weighted.unit_positive) == (3, 2)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 1.0, 3.0]])
def test_decimal_costs_are_exact(weights):
    units = integer_units(2, 2, None if weights is None else np.array(weights), (0.3, 2.0))
    assert (units.unit_negative, units.unit_positive) == (3, 20)


def test_classes_of_very_different_weight_are_balanced():
    weights = np.array([1e-300, 2e-300, 1e300, 3e300])
    units = integer_units(2, 2, weights, "balanced")
    shares = np.array(integer_weights(units, 2, 4), float) / units.total
    np.testing.assert_allclose(shares, [1 / 6, 1 / 3, 1 / 8, 3 / 8], rtol=1e-12)


def test_a_class_without_cost_does_not_hide_the_other():
    units = integer_units(1, 2, np.array([1e300, 1e-300, 2e-300]), (0.0, 1.0))
    assert units.total_negative == 0
    assert units.weights[2] == pytest.approx(2 * units.weights[1])


@pytest.mark.parametrize("costs", [(2.0, 3.0), (0.2, 0.3), (2e-9, 3e-9), (2e9, 3e9)])
def test_only_the_ratio_of_costs_counts(costs):
    units = integer_units(10, 10, None, costs)
    assert units.total_negative / units.total == pytest.approx(0.4, abs=1e-8)


def test_negligible_costs_count_as_nothing():
    least = integer_units(3, 3, None, (1.0, NEGLIGIBLE_COST))
    less = integer_units(3, 3, None, (1.0, NEGLIGIBLE_COST / 2))
    assert least.total_positive > 0
    assert less.total_positive == 0


def test_no_costs_at_all_count_every_sample():
    units = integer_units(2, 3, None, (0.0, 0.0))
    assert (units.total_negative, units.total_positive) == (2, 3)
