"""Positions on a line against every interval of it, worked out in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import reference
from inner_kernels import from_python
from optimargin.kernels import lines as kernels
from optimargin.kernels.lines import TIE
from optimargin.kernels.moves import working_space
from optimargin.threshold import bucket_count
from optimargin.weighting import integer_units

best_position = from_python(kernels.best_position)

BUCKETS = [1, 2, 3, 7, 64, 333]

# What the rounding of a few operations on numbers below one may add up to.
ROUNDING = 1e-15


class Line:
    """One line as the kernels are given it."""

    def __init__(self, values, slopes, n_negative, weights=None, units=(1, 1), scale=1.0):
        self.values = np.array(values, dtype=np.float64)
        self.slopes = np.asarray(slopes)
        self.n_negative = n_negative
        self.weights = np.array([] if weights is None else weights, dtype=np.int64)
        self.units = units
        self.scale = scale
        m = self.values.size
        self.positive = np.arange(m) >= n_negative
        single = [1] * m if weights is None else self.weights.tolist()
        self.weight_of = [
            weight * units[p] for weight, p in zip(single, self.positive.tolist(), strict=True)
        ]

    def __repr__(self):
        return (
            f"Line({self.values.tolist()}, np.array({self.slopes.tolist()}, "
            f"np.{self.slopes.dtype}), {self.n_negative}, {self.weights.tolist() or None}, "
            f"{self.units}, {self.scale})"
        )

    def best(self, n_buckets=64, chances=(-1.0,)):
        space = working_space(self.values.size, n_buckets, self.slopes.dtype)[:-2]
        return [
            best_position(
                self.values, self.slopes, self.scale, self.n_negative, self.weights, *self.units,
                chance, n_buckets, *space,
            )
            for chance in chances
        ]  # fmt: skip

    def intervals(self):
        return reference.line_intervals(
            self.values,
            self.slopes,
            self.positive,
            self.weight_of,
            reference.projective(self.scale),
        )

    def correct(self, tau):
        return reference.correct_on_line(
            self.values, self.slopes, self.positive, self.weight_of, tau
        )

    def u(self, tau):
        return reference.projective(self.scale)(Fraction(float(tau)))


def numbers(width):
    """One way of drawing values or slopes; ties, zeros and extremes each have their own."""
    far = 1e150 if width == 64 else float(np.float32(1e15))
    near = 1e-250 if width == 64 else float(np.float32(1e-30))
    return st.sampled_from(
        [
            st.integers(-3, 3).map(float),
            st.floats(-1, 1, width=width).map(lambda x: x if abs(x) > near else 0.0),
            st.floats(0.5, 1, width=width),
            st.floats(1, far, width=width).flatmap(lambda x: st.sampled_from([x, -x])),
            st.integers(-50, 50).map(lambda i: i * near),
            st.sampled_from([0.0, -0.0, 1.0, -1.0, far, -far, near, -near]),
            st.just(0.0),
        ]
    )


@st.composite
def lines(draw, max_samples=30):
    n_negative = draw(st.integers(1, max_samples))
    m = n_negative + draw(st.integers(1, max_samples))
    dtype, width = draw(st.sampled_from([(np.float64, 64), (np.float32, 32)]))
    value, slope = draw(numbers(64)), draw(numbers(width))
    values = draw(st.lists(value, min_size=m, max_size=m))
    slopes = np.array(draw(st.lists(slope, min_size=m, max_size=m)), dtype=dtype)
    weights = None
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 5), min_size=m, max_size=m))
    units = draw(st.sampled_from([(1, 1), (3, 2), (1, 0), (0, 1), (2**29 - 1, 1)]))
    scale = draw(st.sampled_from([1.0, 1e-3, 250.0]))
    return Line(values, slopes, n_negative, weights, units, scale)


def assert_best(line, n_buckets):
    """The middle of the widest interval of the greatest weight."""
    (tau,) = line.best(n_buckets)
    intervals = line.intervals()
    correct, u = line.correct(tau), line.u(tau)
    # whether an interval just as narrow as what counts as a tie is seen is left to rounding
    surely = max(one.correct for one in intervals if one.width > TIE + ROUNDING)
    possibly = {one.correct for one in intervals if one.width > TIE - ROUNDING}
    assert correct >= surely
    assert correct in possibly
    equally_good = [one for one in intervals if one.correct == correct]
    (own,) = [one for one in equally_good if one.lower < u < one.upper]
    assert own.width >= max(one.width for one in equally_good) - ROUNDING
    assert u == pytest.approx((own.lower + own.upper) / 2, abs=ROUNDING)


@given(lines(), st.sampled_from(BUCKETS))
@settings(max_examples=300, deadline=None)
@example(Line([0.0, 0.0], np.zeros(2), 1), 64)
@example(Line([-1.0, 1.0], np.zeros(2), 1), 1)
@example(Line([1.0, -1.0], np.zeros(2), 1), 2)
@example(Line([-1.0, -2.0, 1.0, 3.0], np.array([1.0, 1.0, -1.0, -1.0]), 2), 64)
@example(Line([1.0] * 4, np.ones(4), 2, [0, 0, 0, 0]), 3)
def test_best_position_is_the_middle_of_the_widest_best_interval(line, n_buckets):
    assert_best(line, n_buckets)


def large_line(m, shape, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    n_negative = m // 3
    values = rng.standard_normal(m)
    values[n_negative:] += 0.7
    slopes = rng.standard_normal(m)
    if shape == "ties":
        values, slopes = np.round(values), np.round(slopes)
    elif shape == "heavy_tails":
        values, slopes = values**9, slopes**7
    elif shape == "mostly_still":
        slopes[rng.random(m) < 0.9] = 0.0
    elif shape == "one_side":
        values = np.abs(values) + 0.1
    elif shape == "intercept":
        slopes = np.ones(m)
    elif shape == "crowded":  # nearly all crossings in one bucket
        values = slopes * (0.3 + 1e-9 * values)
        values[:5] = 3.0
    weights = rng.integers(0, 4, m) if weighted else None
    units = integer_units(n_negative, m - n_negative, None, "balanced")
    return Line(values, slopes, n_negative, weights, (units.unit_negative, units.unit_positive))


SHAPES = ["normal", "ties", "heavy_tails", "mostly_still", "one_side", "intercept", "crowded"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_best_position_among_more_samples_than_buckets(shape, weighted):
    for seed, m in enumerate((150, 400, 1000)):
        line = large_line(m, shape, weighted, seed)
        for n_buckets in (16, bucket_count(m)):
            assert_best(line, n_buckets)


def test_equal_crossings_leave_no_interval_between_them():
    # at 0 a negative sample and a positive one are called negative: in between, both are right
    line = Line([0.0, 0.0], np.array([-1.0, -1.0]), 1)
    for n_buckets in BUCKETS:
        (tau,) = line.best(n_buckets)
        assert line.correct(tau) == 1
        assert_best(line, n_buckets)


def test_the_whole_line_belongs_to_a_sample_that_never_moves():
    for value, expected in ((1.0, 1), (-1.0, 0), (0.0, 0)):
        line = Line([-2.0, value], np.array([0.0, 0.0]), 1)
        (tau,) = line.best()
        assert tau == 0.0  # the middle of the line
        assert line.correct(tau) == 1 + expected


def union_of_best(line):
    intervals = line.intervals()
    best = max(one.correct for one in intervals if one.width > TIE + ROUNDING)
    return [one for one in intervals if one.correct == best and one.width > TIE + ROUNDING]


@given(lines(max_samples=8), st.sampled_from(BUCKETS), st.floats(0, 1, exclude_max=True))
@settings(max_examples=200, deadline=None)
def test_every_drawn_point_lies_in_a_best_interval(line, n_buckets, chance):
    (tau,) = line.best(n_buckets, [chance])
    intervals = line.intervals()
    possibly = [one.correct for one in intervals if one.width > TIE - ROUNDING]
    assert max(one.correct for one in union_of_best(line)) <= line.correct(tau) <= max(possibly)


def walked_line():
    """Five separate intervals of the best weight, of different widths."""
    crossings = np.array([-3.0, -1.0, -0.4, 0.1, 0.2, 0.9, 1.5, 2.0, 8.0])
    slopes = np.array([1.0, -2.0, 1.0, -0.5, 3.0, -1.0, 1.0, -1.0, 2.0])
    # positive samples: each crossing gains and the next one loses
    return Line(
        [-1.0, *(-crossings * slopes)],
        np.array([0.0, *slopes]),
        1,
    )


@pytest.mark.parametrize("n_buckets", BUCKETS)
def test_chances_spread_evenly_over_all_best_intervals(n_buckets):
    line = walked_line()
    union = union_of_best(line)
    assert len(union) == 5
    chances = np.random.default_rng(1).random(20_000)
    drawn = np.array([line.u(tau) for tau in line.best(n_buckets, chances)])
    edges, expected = [], []
    for one in union:  # in quarters, so that the place inside counts, too
        edges.append(one.lower + one.width * np.arange(5) / 4)
        expected += [one.width / 4] * 4
    counts = np.concatenate([np.histogram(drawn, edge)[0] for edge in edges])
    assert counts.sum() == drawn.size
    shares = np.array(expected) / np.sum(expected)
    assert chisquare(counts, shares * drawn.size).pvalue > 1e-3


def test_the_stretch_before_the_first_crossing_is_walked_as_well():
    line = Line([-1.0, 1.0, 4.0], np.array([0.0, -1.0, 1.0]), 1)  # perfect between -4 and 1
    line.values[2] = -4.0  # rising at 4: as good before 1 as after 4
    drawn = np.array([line.u(tau) for tau in line.best(8, np.linspace(0, 1, 2001)[:-1])])
    first, last = line.u(1.0), line.u(4.0)
    assert np.all((drawn < first) | (drawn > last))
    assert np.mean(drawn < first) == pytest.approx((first + 1) / ((first + 1) + (1 - last)), 1e-3)
