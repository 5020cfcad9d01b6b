"""Gibbs draws on a line against the exact probabilities of its intervals."""

import numpy as np
import pytest
from scipy.stats import chisquare

import reference
from inner_kernels import from_python
from optimargin.kernels import gibbs, rare_gibbs
from optimargin.kernels.gibbs import REACH

gibbs_position = from_python(gibbs.gibbs_position)


class Line:
    """One line as the kernels are given it, and draws on it."""

    def __init__(self, values, slopes, n_negative, weights=None, units=(1, 1)):
        self.values, self.slopes = np.array(values, dtype=np.float64), np.asarray(slopes)
        self.n_negative = n_negative
        self.weights = np.array([] if weights is None else weights, dtype=np.int64)
        self.units = units
        m = self.values.size
        self.positive = np.arange(m) >= n_negative
        single = [1] * m if weights is None else self.weights.tolist()
        self.weight_of = [
            weight * units[p] for weight, p in zip(single, self.positive.tolist(), strict=True)
        ]
        self.cells = np.empty(m, np.uint32)

    def correct(self, tau):
        return reference.correct_on_line(
            self.values, self.slopes, self.positive, self.weight_of, tau
        )

    def try_to_draw(self, origin, beta, n_buckets, scale, rng):
        """Tau, and the number of tries; 0 if none was accepted."""
        m = self.values.size
        return gibbs_position(
            self.values, self.slopes, origin, scale, self.n_negative, self.weights, *self.units,
            beta, rng, self.cells, *gibbs.working_space(m, n_buckets, np.float64)[1:-1],
        )  # fmt: skip

    def draw(self, origin, beta, n_buckets, scale, rng, patience=500):
        for _ in range(patience):
            tau, tries = self.try_to_draw(origin, beta, n_buckets, scale, rng)
            if tries:
                return origin + tau
        raise AssertionError("nothing was accepted")

    def draw_by_sorting(self, origin, beta, rng):
        return origin + rare_gibbs.sorted_gibbs_position(
            self.values, self.slopes, origin, self.weights, *self.units, beta, *rng.random(2),
            self.cells, *rare_gibbs.working_space(self.values.size),
        )  # fmt: skip


def draw(line, origin, beta, buckets, draws, seed=0):
    """By rejection with so many buckets of such a scale, or by sorting with None."""
    rng = np.random.default_rng(seed)
    if buckets is None:
        line.try_to_draw(origin, beta, 64, 1.0, rng)  # which fills the cells
        return np.array([line.draw_by_sorting(origin, beta, rng) for _ in range(draws)])
    return np.array([line.draw(origin, beta, *buckets, rng) for _ in range(draws)])


def assert_gibbs(line, origin, beta, buckets, draws=12_000, seed=0):
    """Draws fall into the intervals, and parts of them, as often as they should."""
    splits = [-1.5, -0.8, -0.3, 0.0, 0.4, 1.0, 1.8]
    cells, expected = reference.gibbs_cells(
        line.values, line.slopes, line.positive, line.weight_of, origin, beta, splits
    )
    drawn = draw(line, origin, beta, buckets, draws, seed)
    counts = np.histogram(drawn, [cells[0].lower, *(cell.upper for cell in cells)])[0]
    rare = expected * draws < 8
    if rare.any():  # together
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] * draws < 8:
            assert counts[-1] < 30
            counts, expected = counts[:-1], expected[:-1] / expected[:-1].sum()
    assert expected.size > 3
    assert chisquare(counts, expected * counts.sum()).pvalue > 1e-3


def gibbs_line(m=25, seed=3, ties=False, still=0.0, weighted=False):
    rng = np.random.default_rng(seed)
    values, slopes = rng.standard_normal(m), rng.standard_normal(m)
    values[m // 2 :] += 0.5
    if ties:
        values, slopes = np.round(values), np.sign(slopes)
    slopes[rng.random(m) < still] = 0.0
    values[(slopes == 0.0) & (rng.random(m) < 0.5)] = 0.0  # negative wherever it moves to
    weights = rng.integers(0, 4, m) if weighted else None
    return Line(values, slopes, m // 2, weights, (m - m // 2, m // 2))


# In units of the integer weights: the whole range of weights is a factor of about e^7 at most.
BETAS = [1e-9, 0.01, 0.03]


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("buckets", [(12, 1.0), (13, 0.1), (64, 3.0), (64, 1e-3), (250, 1.0), None])
def test_draws_have_the_exact_distribution(beta, buckets):
    assert_gibbs(gibbs_line(), 0.4, beta, buckets)


@pytest.mark.parametrize("n_buckets", [1, 2, 3, 4])
def test_very_few_buckets(n_buckets):
    assert_gibbs(gibbs_line(), -0.2, 0.005, (n_buckets, 1.0), draws=4000)


@pytest.mark.parametrize(
    "settings",
    [{"ties": True}, {"still": 0.5}, {"weighted": True}, {"ties": True, "weighted": True}],
    ids=["ties", "zero_slopes", "weights", "ties_and_weights"],
)
@pytest.mark.parametrize("buckets", [(16, 0.5), None])
def test_awkward_lines(settings, buckets):
    assert_gibbs(gibbs_line(**settings), 1.1, 0.02, buckets)


@pytest.mark.parametrize("buckets", [(64, 0.5), None])
def test_without_any_crossing_draws_are_normal(buckets):
    assert_gibbs(Line([1.0, -1.0, 2.0], np.zeros(3), 1), 3.0, 5.0, buckets)


@pytest.mark.parametrize("buckets", [(4096, 1.0), None])
def test_a_high_inverse_temperature_stays_on_the_best_interval(buckets):
    line = gibbs_line()
    cells, shares = reference.gibbs_cells(
        line.values, line.slopes, line.positive, line.weight_of, 0.0, 20.0, []
    )
    best = cells[int(np.argmax(shares))]
    positions = draw(line, 0.0, 20.0, buckets, 500)
    assert np.all(np.abs(positions) <= REACH)
    assert np.all((positions >= best.lower) & (positions <= best.upper))
    assert len(np.unique(positions)) == 500


def test_a_hopeless_promise_is_reported():
    # all samples can be right somewhere in the one bucket, but never at once
    line = Line([1.0, -1.0], [-1.0, 1.0], 1, units=(1000, 1000))
    line = Line(np.tile([1.0, -3.0], 50), np.tile([-1.0, 1.0], 50), 50)
    tau, tries = line.try_to_draw(0.0, 50.0, 1, 1.0, np.random.default_rng(0))
    assert (tau, tries) == (0.0, 0)


def test_a_promise_that_was_broken_is_corrected():
    # few wide buckets with many crossings each, cold: every bucket promises far too much at first
    rng = np.random.default_rng(0)
    values, slopes = rng.standard_normal(2000), rng.standard_normal(2000)
    values[1000:] += 0.5
    line = Line(values, slopes, 1000)
    tries = [line.try_to_draw(0.0, 0.2, 64, 0.1, np.random.default_rng(s))[1] for s in range(50)]
    assert min(tries) > 0  # the sort is not needed
    assert np.mean(tries) < 15


@pytest.mark.parametrize("beta", [0.02, 1.0])
@pytest.mark.parametrize("buckets", [(64, 1.0), None])
def test_crossings_out_of_reach_neither_promise_nor_cost_anything(beta, buckets):
    # a hundred samples that are right far out on either side only, beside a few within reach
    near = gibbs_line(m=12)
    far = np.tile([20.0, -20.0, 1e6, -1e6], 25)
    values = np.concatenate([near.values[:6], far, near.values[6:], far])
    slopes = np.concatenate([near.slopes[:6], -np.sign(far), near.slopes[6:], np.sign(far)])
    assert_gibbs(Line(values, slopes, 106), 0.2, beta, buckets, draws=6000)
