"""The penalised move along a coordinate against a fine grid of every interval."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from optimargin.kernels.penalised import penalised_position

# How near to the ends of an interval the kernel looks, as a share of its width.
INSIDE = 1e-3
GRID = np.concatenate([np.linspace(INSIDE, 1 - INSIDE, 41), [0.5]])


class Coordinate:
    """A coordinate of a separator, with the rest of the weights summed up."""

    def __init__(self, values, slopes, n_negative, weights, units, others, weight, l1):
        self.values = np.array(values, dtype=np.float64)
        self.slopes = np.asarray(slopes)
        self.n_negative = n_negative
        self.weights = np.array(weights, dtype=np.int64)
        self.units = units
        self.others = np.array(others, dtype=np.float64)
        self.weight = weight
        self.l1 = l1
        m = self.values.size
        self.positive = np.arange(m) >= n_negative
        single = self.weights.tolist() or [1] * m
        self.weight_of = [w * units[p] for w, p in zip(single, self.positive.tolist(), strict=True)]
        self.total = sum(self.weight_of) + 5  # of samples without an entry in the column, 3 right
        self.correct = self.weigh(0.0) + 3

    def __repr__(self):
        return (
            f"Coordinate({self.values.tolist()}, np.array({self.slopes.tolist()}), "
            f"{self.n_negative}, {self.weights.tolist()}, {self.units}, {self.others.tolist()}, "
            f"{self.weight}, {self.l1})"
        )

    def weigh(self, tau):
        return reference.correct_on_line(
            self.values, self.slopes, self.positive, self.weight_of, tau
        )

    def penalty(self, tau):
        theta = np.append(self.others, self.weight + tau)
        length = np.linalg.norm(theta)
        return self.l1 * (np.abs(theta).sum() / length - 1.0) if length > 0 else 0.0

    def objective(self, tau):
        return (self.weigh(tau) + 3) / self.total - self.penalty(tau)

    def position(self):
        return penalised_position(
            self.values, self.slopes, self.n_negative, self.weights, *self.units, self.total,
            self.correct, self.weight, float(np.abs(self.others).sum()),
            float(self.others @ self.others), self.l1,
        )  # fmt: skip

    def candidates(self):
        """Points of every interval, and where the weight is zero, with their objective."""
        if not self.slopes.any():  # there is nothing to gain but the coordinate's own penalty
            if self.others.any():
                yield self.objective(-self.weight)
            return
        length = math.hypot(*self.others, self.weight)
        intervals = reference.line_intervals(
            self.values, self.slopes, self.positive, self.weight_of, reference.shifted(0.0)
        )
        for one in intervals:
            low, high = one.lower, one.upper
            # a line without an end is followed for some lengths of the separator
            if math.isinf(low):
                low = -500 * (length + abs(high)) if math.isfinite(high) else -500 * length
            if math.isinf(high):
                high = 500 * (length + abs(low)) if math.isfinite(low) else 500 * length
            width = high - low
            if width <= 1e-9 * max(abs(low), abs(high), length):
                continue
            points = low + width * GRID
            if low + 1e-3 * width < -self.weight < high - 1e-3 * width:
                points = np.append(points, -self.weight)
            absolutes = np.abs(self.others).sum() + np.abs(self.weight + points)
            lengths = np.sqrt(self.others @ self.others + (self.weight + points) ** 2)
            present = lengths > 1e-9 * length
            penalties = self.l1 * (absolutes[present] / lengths[present] - 1.0)
            yield from (one.correct + 3) / self.total - penalties


@st.composite
def coordinates(draw):
    n_negative = draw(st.integers(1, 8))
    m = n_negative + draw(st.integers(1, 8))
    number = draw(
        st.sampled_from(
            [
                st.integers(-3, 3).map(float),
                st.floats(-1, 1).map(lambda x: x if abs(x) > 1e-3 else 0.0),
                st.floats(0.5, 1),
            ]
        )
    )
    values = draw(st.lists(number, min_size=m, max_size=m))
    slopes = draw(st.lists(number, min_size=m, max_size=m))
    weights = draw(st.sampled_from([[], draw(st.lists(st.integers(0, 4), min_size=m, max_size=m))]))
    others = draw(st.lists(st.sampled_from([0.0, 0.3, -0.5, 2.0]), min_size=1, max_size=4))
    weight = draw(st.sampled_from([0.0, 0.2, -0.7, 1.5]))
    l1 = draw(st.sampled_from([0.0, 1e-3, 0.05, 0.4]))
    return Coordinate(
        values, np.array(slopes), n_negative, weights, draw(st.sampled_from([(1, 1), (3, 2)])),
        others, weight, l1,
    )  # fmt: skip


@given(coordinates())
@settings(max_examples=200, deadline=None)
def test_no_point_of_a_fine_grid_is_better(coordinate):
    tau = coordinate.position()
    found = coordinate.objective(tau)
    # what it takes for a gain is a little more than rounding
    assert found >= coordinate.objective(0.0) - 1e-12
    assert found >= max(coordinate.candidates(), default=-math.inf) - 1e-9


@pytest.mark.parametrize(("others", "rest"), [([0.3], 0.0), ([1.0, -1.0], 0.0), ([0.0], 0.7)])
def test_no_weight_is_left_on_what_says_nothing(others, rest):
    # though the penalty would be less with all of the weight there
    coordinate = Coordinate([-1.0, 1.0], np.zeros(2), 1, [], (1, 1), others, 0.7, 0.1)
    assert coordinate.weight + coordinate.position() == rest


def test_a_weight_that_does_not_help_is_set_to_zero():
    # every place between -2 and 3 is as good, and the penalty is least without the weight
    coordinate = Coordinate(
        [-2.0, -1.0, 3.0, 2.0], np.array([1.0, 0.0, 1.0, 0.0]), 2, [], (1, 1), [1.0, 1.0], 0.6, 0.1
    )
    assert coordinate.weight + coordinate.position() == 0.0


@pytest.mark.parametrize(("l1", "kept"), [(0.01, True), (2.0, False)])
def test_a_weight_is_kept_for_what_it_is_worth(l1, kept):
    # the first sample of each class is right beyond 0.5; far out on either side, others are wrong
    slopes = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    values = np.array([0.5, -5.0, -5.0, -0.5, 5.0, 5.0])
    coordinate = Coordinate(values + 0.7 * slopes, slopes, 3, [], (1, 1), [1.0], 0.7, l1)
    assert (coordinate.weight + coordinate.position() != 0.0) == kept


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_where_nothing_is_better_it_stays(l1):
    coordinate = Coordinate([-1.0, 1.0], np.array([0.0, 0.0]), 1, [], (1, 1), [1.0], 0.0, l1)
    assert coordinate.position() == 0.0
    best = Coordinate([-1.0, 1.0], np.array([0.3, 0.2]), 1, [], (1, 1), [1.0], 0.0, l1)
    assert best.position() == 0.0
