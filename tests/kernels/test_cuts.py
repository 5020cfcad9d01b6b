"""The compiled cut against trying every cut."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference
from optimargin.kernels.crowds import crowded_cuts
from optimargin.kernels.cuts import best_cuts, working_space
from optimargin.threshold import TIE_ULPS, bucket_count, cut_projections
from optimargin.weighting import integer_units


@st.composite
def problems(draw, max_samples=40):
    """A projection of two classes, with weights, as the kernel is given them."""
    n_negative = draw(st.integers(1, max_samples))
    n_positive = draw(st.integers(1, max_samples))
    m = n_negative + n_positive
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    width = np.finfo(dtype).bits
    largest = 1e300 if dtype is np.float64 else float(np.float32(1e30))
    value = draw(
        st.sampled_from(
            [
                st.integers(-3, 3).map(float),
                st.integers(0, 12).map(lambda i: 1 + i * 3 * float(np.finfo(dtype).eps)),
                st.floats(-1, 1, width=width),
                st.floats(-largest, largest, width=width),
                st.sampled_from([0.0, -0.0, 1.0, largest, -largest, 1e-30, -1e-30]),
                st.just(0.25),
            ]
        )
    )
    z = np.array(draw(st.lists(value, min_size=m, max_size=m)), dtype=dtype)
    weight = draw(
        st.sampled_from(
            [
                None,
                st.integers(1, 5).map(float),
                st.floats(1e-3, 1e3),
                st.floats(1e-30, 1e30),
            ]
        )
    )
    sample_weight = (
        None if weight is None else np.array(draw(st.lists(weight, min_size=m, max_size=m)))
    )
    costs = draw(
        st.sampled_from(["balanced", (1.0, 1.0), (0.0, 1.0), (3.0, 1.0), (0.25, 1.5), (1.0, 1e-9)])
    )
    return z, n_negative, integer_units(n_negative, n_positive, sample_weight, costs)


def weights_of(units, n_negative, m):
    """The integer weight of each sample, its class's factor included."""
    weights = units.weights.tolist() if units.weights.size else [1] * m
    factors = [units.unit_negative] * n_negative + [units.unit_positive] * (m - n_negative)
    return [weight * factor for weight, factor in zip(weights, factors, strict=True)]


def best_cuts_of(kernel, z, n_negative, units):
    """What a kernel returns, and the two arrays that it writes to."""
    z = np.atleast_2d(z)
    weighed, edges = np.full((2, len(z)), -1), np.empty((2, len(z)))
    returned = kernel(
        z, n_negative, units.weights, units.unit_negative, units.unit_positive,
        units.total_negative, units.total_positive, bucket_count(z.shape[1]),
        TIE_ULPS * float(np.finfo(z.dtype).eps), weighed, edges,
        *working_space(z.shape[1], bucket_count(z.shape[1]), z.dtype),
    )  # fmt: skip
    return returned, weighed, edges


def assert_same_cut(z, n_negative, units):
    expected = reference.best_cut(
        z, np.arange(z.size) >= n_negative, weights_of(units, n_negative, z.size)
    )
    cuts = cut_projections(z[None, :], n_negative, units)
    assert int(cuts.correct[0]) == expected.correct
    assert int(cuts.sign[0]) == expected.sign
    if np.isinf(expected.lower):
        assert cuts.margin[0] == 0.0
        assert bool(cuts.threshold[0] >= z.max()) == (expected.lower > 0)
        assert bool(cuts.threshold[0] < z.min()) == (expected.lower < 0)
    else:
        assert (cuts.lower[0], cuts.upper[0]) == (expected.lower, expected.upper)
        assert cuts.threshold[0] == expected.threshold
        assert cuts.margin[0] == expected.margin
        assert cuts.lower[0] <= cuts.threshold[0] < cuts.upper[0]


@given(problems())
@settings(max_examples=400, deadline=None)
def test_every_cut_is_considered(problem):
    assert_same_cut(*problem)


SHAPES = [
    "normal", "separable", "ties", "heavy_tails", "one_tail", "few_values", "spike",
    "within_rounding", "one_of_a_class",
]  # fmt: skip


def crowd(shape, m, seed, weighted=False):
    """Samples that lie as the shape says, with the number of negative ones and the units."""
    rng = np.random.default_rng(seed)
    n_negative = 1 if shape == "one_of_a_class" else m // 3
    z = rng.standard_normal(m)
    z[n_negative:] += 1.0
    if shape == "separable":
        z[n_negative:] += 12.0
    elif shape == "ties":
        z = np.round(z, 1)
    elif shape == "heavy_tails":
        z = z**9
    elif shape == "one_tail":
        z = 10.0 ** (-np.abs(z) * 4)
    elif shape == "few_values":
        z = np.clip(np.round(z), -1, 2)
    elif shape == "spike":
        z[rng.random(m) < 0.6] *= 1e-7
    elif shape == "within_rounding":
        z[rng.random(m) < 0.6] *= 1e-15
    weights = rng.random(m) + 0.1 if weighted else None
    units = integer_units(n_negative, m - n_negative, weights, "balanced")
    return z, n_negative, units


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("m", [130, 1000, 3000])
def test_larger_samples_than_buckets(m, shape, weighted):
    z, n_negative, units = crowd(shape, m, m, weighted)
    order = np.argsort(z)
    # the oracle is quadratic: give it the neighbourhood of the best cut by a linear scan first
    signed = np.array(weights_of(units, n_negative, m), dtype=object)
    positive = np.arange(m) >= n_negative
    gain = np.cumsum(np.where(positive, -signed, signed)[order])[:-1]
    different = np.diff(z[order]) > TIE_ULPS * np.finfo(float).eps * np.abs(z).max()
    forward = np.where(different, units.total_positive + gain, -1)
    backward = np.where(different, units.total_negative - gain, -1)
    best = max(forward.max(), backward.max())
    candidates = []
    for i in np.flatnonzero((forward == best) | (backward == best)):
        low, high = z[order[i]], z[order[i + 1]]
        if forward[i] == best:
            candidates.append((high - low, -low, 1, low, high))
        if backward[i] == best:
            candidates.append((high - low, high, -1, -high, -low))
    _, _, sign, low, high = max(candidates)
    cuts = cut_projections(z[None, :], n_negative, units)
    assert (cuts.correct[0], cuts.sign[0]) == (best, sign)
    assert (cuts.lower[0], cuts.upper[0]) == (low, high)


@given(problems(max_samples=15), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_order_of_the_samples_of_a_class_does_not_matter(problem, seed):
    z, n_negative, units = problem
    rng = np.random.default_rng(seed)
    order = np.concatenate(
        [rng.permutation(n_negative), n_negative + rng.permutation(z.size - n_negative)]
    )
    before = cut_projections(z[None, :], n_negative, units)
    if units.weights.size:
        units = dataclasses.replace(units, weights=units.weights[order])
    after = cut_projections(z[order][None, :], n_negative, units)
    for name in ("correct", "lower", "upper", "sign"):
        assert getattr(before, name)[0] == getattr(after, name)[0], name


@given(problems())
@settings(max_examples=100, deadline=None)
@example((np.array([0.0, 3.0, 1.0, 2.0]), 2, integer_units(2, 2, None, "balanced")))
def test_mirroring_changes_the_sign_only(problem):
    z, n_negative, units = problem
    cuts = cut_projections(np.stack([z, -z]), n_negative, units)
    assert cuts.correct[0] == cuts.correct[1]
    assert cuts.margin[0] == cuts.margin[1]
    if cuts.margin[0] > 0:
        assert cuts.lower[0] == cuts.lower[1]
        # the same cut, or its mirror image where both are equally good
        assert cuts.sign[0] == -cuts.sign[1] or weigh(z, n_negative, units, cuts, 0) == weigh(
            z, n_negative, units, cuts, 1
        )


def weigh(z, n_negative, units, cuts, row):
    u = float(cuts.sign[row]) * z
    positive = np.arange(z.size) >= n_negative
    return reference.weight_on_the_right_side(
        u, positive, weights_of(units, n_negative, z.size), cuts.lower[row]
    )


def test_rows_do_not_influence_each_other():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((20, 700)) * 10.0 ** rng.integers(-5, 6, (20, 1))
    units = integer_units(300, 400, None, "balanced")
    together = cut_projections(z, 300, units)
    for row in range(20):
        alone = cut_projections(z[row : row + 1], 300, units)
        for name in ("correct", "lower", "upper", "sign"):
            assert getattr(together, name)[row] == getattr(alone, name)[0]


def test_a_best_border_between_equal_values_is_not_a_cut():
    # without the ties, calling all but the last sample negative would be perfect
    z = np.zeros(200)
    z[-1] = 1e-15
    z[0] = -1.0
    z[100] = 1.0
    assert_same_cut(z, 199, integer_units(199, 1, None, "balanced"))


def test_neighbours_within_rounding_are_not_separated():
    tie = TIE_ULPS * np.finfo(float).eps
    units = integer_units(1, 1, None, "balanced")
    close = cut_projections(np.array([[1.0 - tie / 2, 1.0]]), 1, units)
    apart = cut_projections(np.array([[1.0 - 2 * tie, 1.0]]), 1, units)
    assert close.correct[0] == 1
    assert close.margin[0] == 0.0
    assert apart.correct[0] == 2


@pytest.mark.parametrize("shape", ["one_tail", "few_values", "spike", "within_rounding"])
def test_crowded_samples_are_told(shape):
    # that is: the shapes above do reach the code for crowds
    z, n_negative, units = crowd(shape, 1000, 0)
    assert best_cuts_of(best_cuts, z, n_negative, units)[0] == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(20))
def test_both_ways_to_lay_buckets_give_the_same_cut(seed, dtype):
    rng = np.random.default_rng(seed)
    m, n_negative = 90, 40
    z = rng.standard_normal((5, m)).astype(dtype)
    z *= dtype(10.0 ** (rng.integers(-300, 300) if dtype is np.float64 else 0))
    weights = rng.random(m) + 0.1 if seed % 2 else None
    units = integer_units(n_negative, m - n_negative, weights, "balanced")
    n_crowded, *expected = best_cuts_of(best_cuts, z, n_negative, units)
    assert n_crowded == 0
    _, *cuts = best_cuts_of(crowded_cuts, z, n_negative, units)
    for one, other in zip(cuts, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("factor", [5e-324, 1e-310, 1e-290, 1e290])
def test_crowds_at_the_edge_of_the_range(factor):
    z = np.where(np.arange(300) % 10 == 0, np.linspace(-1, 1, 300), 0.0) * factor
    assert_same_cut(z, 100, integer_units(100, 200, None, "balanced"))


def test_buckets_grow_slower_than_the_samples():
    counts = [bucket_count(m) for m in (2, 500, 10_000, 1_000_000)]
    assert counts == sorted(counts)
    assert counts[0] >= 64
    assert counts[-1] <= 2**16
