"""The public threshold: exact, invariant, and clear about what it does not accept."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from optimargin import optimal_margin_threshold


def balanced_accuracy(z, positive, weights, fit):
    """Of the rule on the projection as it was given, in fractions."""
    says_positive = fit.sign * np.asarray(z) > fit.threshold
    shares = []
    for side in (False, True):
        rows = np.flatnonzero(positive == side)
        total = sum(Fraction(float(weights[i])) for i in rows)
        right = sum(Fraction(float(weights[i])) for i in rows if says_positive[i] == side)
        shares.append(right / total)
    return sum(shares) / 2


small_weights = st.integers(0, 4)


@st.composite
def samples(draw, values, weights=small_weights):
    m = draw(st.integers(2, 30))
    z = np.array(draw(st.lists(values, min_size=m, max_size=m)), dtype=float)
    positive = np.array(draw(st.lists(st.booleans(), min_size=m, max_size=m)))
    weight = np.array(draw(st.lists(weights, min_size=m, max_size=m)), dtype=float)
    first, second = draw(st.permutations(range(m)))[:2]
    positive[[first, second]] = False, True  # both classes are there, and weigh something
    weight[[first, second]] = np.maximum(weight[[first, second]], 1)
    return z, positive, weight


ordinary = st.one_of(
    st.integers(-4, 4).map(float), st.floats(-1e3, 1e3), st.sampled_from([0.0, 1e300, -1e300])
)


@given(samples(ordinary))
@settings(max_examples=300, deadline=None)
def test_is_the_best_of_all_cuts(sample):
    z, positive, weight = sample
    fit = optimal_margin_threshold(z, positive, sample_weight=weight)
    present = weight > 0
    z, positive, weight = z[present], positive[present], weight[present]
    sums = [int(weight[positive == side].sum()) for side in (True, False)]
    integer = np.where(positive, sums[1], sums[0]) * weight
    expected = reference.best_cut(z, positive, integer)
    assert fit.score == pytest.approx(expected.correct / (2 * sums[0] * sums[1]), abs=1e-15)
    assert float(balanced_accuracy(z, positive, weight, fit)) == pytest.approx(fit.score, abs=1e-15)
    if np.isfinite(expected.lower):
        assert (fit.threshold, fit.sign) == (expected.threshold, expected.sign)
        assert fit.margin == expected.margin


@given(samples(st.floats(allow_nan=False, allow_infinity=False), st.just(1)))
@settings(max_examples=200, deadline=None)
def test_the_rule_gives_the_score_that_is_promised(sample):
    z, positive, weight = sample
    fit = optimal_margin_threshold(z, positive)
    assert float(balanced_accuracy(z, positive, weight, fit)) == pytest.approx(fit.score, abs=1e-15)
    assert fit.score >= 0.5
    assert fit.margin >= 0


@given(samples(st.floats(-1e3, 1e3)), st.sampled_from([1e-280, 2.0**-40, 3.0, 1e280]))
@settings(max_examples=100, deadline=None)
def test_scale_changes_nothing_but_the_scale(sample, scale):
    z, positive, weight = sample
    z = np.round(z, 6)
    plain = optimal_margin_threshold(z, positive, sample_weight=weight)
    scaled = optimal_margin_threshold(scale * z, positive, sample_weight=weight)
    assert scaled.score == plain.score
    assert scaled.margin == pytest.approx(scale * plain.margin, rel=1e-9, abs=0)


@given(samples(st.floats(-1e3, 1e3)))
@settings(max_examples=100, deadline=None)
def test_weights_are_repetitions(sample):
    z, positive, weight = sample
    rows = np.repeat(np.arange(z.size), weight.astype(int))
    assert optimal_margin_threshold(z, positive, sample_weight=weight) == (
        optimal_margin_threshold(z[rows], positive[rows])
    )


@given(samples(st.floats(-1e3, 1e3)), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_row_order_does_not_matter(sample, random):
    z, positive, weight = sample
    order = list(range(z.size))
    random.shuffle(order)
    assert optimal_margin_threshold(z, positive, sample_weight=weight) == (
        optimal_margin_threshold(z[order], positive[order], sample_weight=weight[order])
    )


@given(samples(st.floats(-1e3, 1e3), st.floats(1e-6, 1e6)))
@settings(max_examples=100, deadline=None)
def test_real_weights(sample):
    z, positive, weight = sample
    fit = optimal_margin_threshold(z, positive, sample_weight=weight)
    best = max(
        (
            balanced_accuracy(
                z, positive, weight, type(fit)(cut.threshold, cut.sign, cut.correct, cut.margin)
            )
            for cut in reference.all_cuts(z, positive, weight)
        ),
        default=Fraction(1, 2),
    )
    assert fit.score == pytest.approx(float(best), abs=1e-14)
    assert float(balanced_accuracy(z, positive, weight, fit)) == pytest.approx(fit.score, abs=1e-14)


def test_widest_of_equally_good_cuts():
    # errors are equal at 1.5 and at 4.5; the gap at 4.5 is wider
    fit = optimal_margin_threshold([0, 1, 2, 3, 6, 7], ["a", "a", "b", "a", "b", "b"])
    assert (fit.threshold, fit.margin, fit.sign) == (4.5, 1.5, 1)
    assert fit.score == pytest.approx(5 / 6)


def test_second_class_on_the_left():
    fit = optimal_margin_threshold([1.0, 2.0, 6.0], ["z", "z", "a"])
    assert fit == type(fit)(threshold=-4.0, sign=-1, score=1.0, margin=2.0)


def test_all_equal_projections_have_no_margin():
    fit = optimal_margin_threshold([2.0, 2.0, 2.0], [0, 1, 1])
    assert (fit.score, fit.margin) == (0.5, 0.0)


@pytest.mark.parametrize("value", [0.0, 1.7e308, -1.7e308, 5e-324])
def test_constant_extremes(value):
    z = np.full(4, value)
    fit = optimal_margin_threshold(z, [0, 0, 1, 1])
    assert fit.score == 0.5
    assert len(set(fit.sign * z > fit.threshold)) == 1


def test_the_whole_range_of_floats():
    fit = optimal_margin_threshold([-1.7e308, 1.7e308], [0, 1])
    assert fit.score == 1.0
    assert fit.threshold == 0.0
    assert fit.margin == 1.7e308


def test_tied_samples_cannot_be_separated():
    fit = optimal_margin_threshold([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1])
    assert fit.score == 0.75


def test_forty_nine_ones_make_a_whole():
    z = np.arange(98.0)
    fit = optimal_margin_threshold(z, z >= 49)
    assert fit.score == 1.0


@pytest.mark.parametrize("labels", [["a", "b"], [True, False], [3, -1], [0.5, 1.5]])
def test_labels_of_any_kind(labels):
    low, high = sorted(labels)
    fit = optimal_margin_threshold([5.0, 0.0], [low, high])
    assert fit.sign == -1


def test_a_million_samples_agree_with_sorting():
    rng = np.random.default_rng(3)
    z = rng.standard_normal(1_000_000)
    y = rng.random(z.size) < 1 / (1 + np.exp(-2 * z))
    fit = optimal_margin_threshold(z, y)
    share = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())
    score, margin = reference.numpy_threshold(z, y, share)
    assert fit.score == pytest.approx(score, abs=1e-12)
    assert fit.margin == pytest.approx(margin)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1.0, np.nan], [0, 1]), "NaN"),
        (([1.0, np.inf], [0, 1]), "infinity"),
        (([1.0, 2.0], [0, 1, 1]), "inconsistent numbers of samples"),
        (([1.0, 2.0], [0, 0]), "exactly two classes, found 1"),
        (([1.0, 2.0, 3.0], [0, 1, 2]), "exactly two classes, found 3"),
        (([1.0, 2.0], [0, 1], [1.0, -1.0]), "negative"),
        (([1.0, 2.0], [0, 1], [1.0, 0.0]), "samples of positive weight"),
        (([1.0, 2.0], [0, 1], [1.0]), "inconsistent numbers of samples"),
        (([1.0, 2.0], [0, 1], [0.0, 0.0]), "samples of positive weight"),
        (([], []), "0 sample"),
        ((np.ones((2, 2)), [0, 1]), "1d"),
    ],
)
def test_what_is_wrong_is_said(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        optimal_margin_threshold(*arguments)
