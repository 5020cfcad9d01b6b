"""Runs of exact moves: what they reach, how far rounding takes them, sparse as dense."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chisquare

import reference
from optimargin.kernels.chains import gibbs_chain
from optimargin.kernels.lines import TIE
from optimargin.kernels.moves import best_moves, sparse_moves, weight_correct, working_space
from optimargin.threshold import bucket_count

INTERCEPT = -1


class Run:
    """A separator's values and the lines it may move along, the intercept being the last."""

    def __init__(self, m=60, n=4, seed=0, dtype=np.float64, weighted=False, density=1.0):
        rng = np.random.default_rng(seed)
        self.n_negative = m // 3
        self.lines = rng.standard_normal((n, m)).astype(dtype)
        self.lines[:, self.n_negative :] += rng.standard_normal((n, 1)).astype(dtype) * 0.5
        self.lines[rng.random((n, m)) >= density] = 0.0
        self.steps = rng.standard_normal(n + 1)
        self.values = self.steps[:n] @ self.lines + self.steps[n]
        self.weights = rng.integers(0, 4, m) if weighted else np.empty(0, np.int64)
        self.units = (m - self.n_negative, self.n_negative)
        self.positive = np.arange(m) >= self.n_negative
        single = self.weights.tolist() if weighted else [1] * m
        self.weight_of = [
            w * self.units[p] for w, p in zip(single, self.positive.tolist(), strict=True)
        ]
        self.correct = self.weigh(self.values)

    @property
    def sides(self):
        return (self.n_negative, self.weights, *self.units)

    def slopes(self, j):
        n, m = self.lines.shape
        return np.ones(m) if j in (INTERCEPT, n) else self.lines[j]

    def weigh(self, values):
        return int(weight_correct(values, *self.sides))

    def best(self, order, chances=None, n_buckets=64):
        """Moves in place; the weight correct now, the best met, and its steps."""
        best_steps = np.empty_like(self.steps)
        if chances is None:
            chances = np.full(len(order), -1.0)
        self.correct, best = best_moves(
            self.lines, self.steps, self.values, self.correct, np.asarray(order), 1.0, chances,
            *self.sides, best_steps, n_buckets,
            *working_space(self.values.size, n_buckets, self.lines.dtype),
        )  # fmt: skip
        return self.correct, best, best_steps

    def gibbs(self, order, beta, rng, n_buckets=64, scales=None):
        """Draws in place, a round each; the weight correct after every one, and its steps."""
        orders = np.asarray(order)[:, None]
        scales = np.zeros(self.steps.size + 1) if scales is None else scales
        visited, correct = gibbs_chain(
            self.lines, self.steps, self.values, orders, beta, rng, *self.sides, n_buckets, scales
        )
        return correct, visited

    def sparse(self, order):
        columns, n_buckets = sparse.csc_array(self.lines.T), bucket_count(self.values.size)
        self.correct = sparse_moves(
            columns.data, columns.indices, columns.indptr, self.steps, self.values, self.correct,
            np.asarray(order), 1.0, *self.sides, np.empty_like(self.weights),
            n_buckets, *working_space(self.values.size, n_buckets, columns.dtype),
        )  # fmt: skip
        return self.correct

    def values_of(self, steps):
        """Recomputed in a precision in which rounding does not matter."""
        lines = self.lines.astype(np.longdouble)
        return steps[:-1].astype(np.longdouble) @ lines + steps[-1].astype(np.longdouble)


@given(st.integers(1, 8), st.integers(1, 8), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_weight_correct_counts_what_is_on_its_side(n_negative, n_positive, weighted, seed):
    rng = np.random.default_rng(seed)
    m = n_negative + n_positive
    values = rng.integers(-2, 3, m).astype(float)
    values[rng.random(m) < 0.2] = -0.0
    weights = rng.integers(0, 5, m) if weighted else np.empty(0, np.int64)
    found = weight_correct(values, n_negative, weights, 3, 2)
    single = weights if weighted else np.ones(m, int)
    units = [3] * n_negative + [2] * n_positive
    expected = sum(
        int(w) * unit
        for w, unit, right in zip(
            single, units, (values > 0) == (np.arange(m) >= n_negative), strict=True
        )
        if right
    )
    assert found == expected


def orders(run, count, seed=0):
    rng = np.random.default_rng(seed)
    n = len(run.lines)
    return np.concatenate([rng.permutation(n + 1) for _ in range(count)])


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize("plateau", [False, True], ids=["best", "plateau"])
def test_every_move_ends_at_the_best_of_its_line(weighted, density, plateau):
    run = Run(weighted=weighted, density=density, seed=1)
    for turn, j in enumerate(orders(run, 3)):
        intervals = reference.line_intervals(
            run.values, run.slopes(j), run.positive, run.weight_of, reference.projective(1.0)
        )
        best = max(one.correct for one in intervals if one.width > 2 * TIE)
        before = run.correct
        run.best([j], np.array([0.37]) if plateau else None)
        assert run.correct == run.weigh(run.values) == best, turn
        assert run.correct >= before


@pytest.mark.parametrize("plateau", [False, True], ids=["best", "plateau"])
def test_a_run_is_its_moves_one_by_one(plateau):
    whole, single = Run(weighted=True, seed=2), Run(weighted=True, seed=2)
    order = orders(whole, 4)
    chances = np.random.default_rng(5).random(order.size) if plateau else np.full(order.size, -1.0)
    met = [(single.correct, single.steps.copy())]
    found, best, best_steps = whole.best(order, chances)
    for turn, j in enumerate(order):
        single.best([j], chances[turn : turn + 1])
        met.append((single.correct, single.steps.copy()))
    np.testing.assert_array_equal(whole.values, single.values)
    np.testing.assert_array_equal(whole.steps, single.steps)
    assert found == met[-1][0] == whole.weigh(whole.values)
    # the first of the best met on the way
    assert best == max(correct for correct, _ in met)
    first = next(steps for correct, steps in met if correct == best)
    np.testing.assert_array_equal(best_steps, first)


def test_a_chain_is_its_draws_one_by_one():
    whole, single = Run(weighted=True, seed=2), Run(weighted=True, seed=2)
    order = orders(whole, 4)
    correct, visited = whole.gibbs(order, 0.01, np.random.default_rng(5))
    rng, scales = np.random.default_rng(5), np.zeros(single.steps.size + 1)
    for turn, j in enumerate(order):
        single.gibbs([j], 0.01, rng, scales=scales)
        np.testing.assert_array_equal(visited[turn], single.steps)
        assert correct[turn] == single.weigh(single.values)
    np.testing.assert_array_equal(whole.values, single.values)


@pytest.mark.parametrize("beta", [0.02, 0.04])
def test_draws_that_rejection_gives_up_are_drawn_by_sorting(beta):
    # one bucket promises that all samples are right, which they nowhere are
    run = Run(m=40, n=2, seed=5)
    cells, shares = reference.gibbs_cells(
        run.values, run.lines[0], run.positive, run.weight_of, run.steps[0], beta
    )
    # a quarter of the line's probability lies below the first of these quartiles, and so on
    quarters = np.searchsorted(np.cumsum(shares), [0.25, 0.5, 0.75])
    expected = np.diff(np.concatenate([[0], np.cumsum(shares)[quarters], [1]]))
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(4000):
        fresh = Run(m=40, n=2, seed=5)
        fresh.gibbs([0], beta, rng, n_buckets=1)
        drawn.append(fresh.steps[0])
    edges = [-np.inf, *(cells[quarter].upper for quarter in quarters), np.inf]
    counts = np.histogram(drawn, edges)[0]
    assert chisquare(counts, expected * len(drawn)).pvalue > 1e-3
    assert len(np.unique(drawn)) == len(drawn)


def test_a_line_learns_how_far_to_look():
    # from a scale that is far off to the size of the crossings
    run = Run(m=200, n=2, seed=5)
    run.lines *= 1e5
    run.steps[:-1] /= 1e5
    scales = np.array([1.0, 0.0, 0.0, 0.0])
    run.gibbs(np.zeros(60, int), 1.0, np.random.default_rng(0), scales=scales)
    assert 1e-8 < scales[0] < 1e-3
    assert scales[1] == 0  # never moved along
    assert 1e-8 < scales[3] < 1e-3  # where the next line begins


class Drift:
    """The bound that the moves state, added up move by move."""

    def __init__(self, run):
        self.run = run
        self.bound = np.abs(run.values_of(run.steps) - run.values).astype(float)

    def add(self, j, before):
        run = self.run
        slopes = np.abs(run.slopes(j).astype(np.float64))
        if np.array_equal(run.steps, before):
            return
        tau = abs(run.steps[j] - before[j])
        # the step itself is seen only up to its own rounding
        tau += 2.0**-52 * (abs(run.steps[j]) + abs(before[j]))
        rounding = tau * slopes + np.abs(run.values) + np.abs(run.steps[j]) * slopes
        self.bound += 2.0**-53 * rounding

    def now(self):
        return np.abs(self.run.values_of(self.run.steps) - self.run.values)


@pytest.mark.parametrize("choose", ["best", "plateau", "gibbs"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
def test_running_values_drift_within_the_stated_bound(choose, dtype, size):
    run = Run(m=80, n=6, dtype=dtype, seed=3)
    run.lines *= dtype(size)
    run.steps[:-1] /= size
    run.values = run.values_of(run.steps).astype(float)
    run.correct = run.weigh(run.values)
    drift = Drift(run)
    rng = np.random.default_rng(7)
    moved = 0
    for j in orders(run, 60):
        before = run.steps.copy()
        if choose == "gibbs":
            run.gibbs([j], 0.01, rng)
        else:
            run.best([j], rng.random(1) if choose == "plateau" else None)
        drift.add(j, before)
        moved += not np.array_equal(before, run.steps)
        assert np.all(drift.now() <= drift.bound)
    assert moved > 30
    # which says something
    assert drift.bound.max() < 1e-12 * moved * max(1.0, np.abs(run.values).max())


def test_a_move_that_would_lose_leaves_no_trace():
    # the first two samples are right on an interval narrower than what counts as a tie; the best
    # of what is left lies beyond 1e10, from where no sum finds back to the last bit
    run = Run(m=4, n=1)
    run.n_negative, run.units, run.weights = 1, (1, 1), np.array([3, 3, 1, 1])
    run.lines = np.array([[1.0, 1.0, 1e-10, 0.3]])
    run.values = np.array([-2e-17, 1e-17, -1.0, 0.7])
    run.correct = run.weigh(run.values)
    assert run.correct == 7
    values, steps = run.values.copy(), run.steps.copy()
    correct, best, best_steps = run.best([0])
    assert correct == best == 7
    np.testing.assert_array_equal(run.values, values)
    np.testing.assert_array_equal(run.steps, steps)
    np.testing.assert_array_equal(best_steps, steps)
    run.sparse([0])
    np.testing.assert_array_equal(run.values, values)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("density", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_columns_are_moved_along_as_dense_ones(weighted, density, dtype):
    for seed in range(5):
        dense, thin = (
            Run(m=300, n=5, seed=seed, weighted=weighted, density=density, dtype=dtype)
            for _ in range(2)
        )
        order = orders(dense, 4, seed)
        dense.best(order)
        thin.sparse(order)
        assert thin.correct == dense.correct == thin.weigh(thin.values)
        np.testing.assert_array_equal(thin.steps, dense.steps)
        np.testing.assert_array_equal(thin.values, dense.values)


def test_an_empty_column_is_no_move():
    run = Run(n=3, density=0.5)
    run.lines[1] = 0.0
    before = run.steps.copy()
    run.sparse([1, 1])
    np.testing.assert_array_equal(run.steps, before)


def test_sparse_moves_touch_only_the_samples_with_an_entry():
    run = Run(m=200, n=4, density=0.1, seed=4)
    before, steps = run.values.copy(), run.steps.copy()
    run.sparse([0, 2])
    assert np.any(run.steps != steps)
    untouched = (run.lines[0] == 0) & (run.lines[2] == 0)
    np.testing.assert_array_equal(run.values[untouched], before[untouched])
    assert np.any(run.values[~untouched] != before[~untouched])


def test_a_sparse_move_costs_its_entries_and_not_the_samples():
    took = []
    for m in (2_000, 400_000):
        run = Run(m=2, n=1)
        run.n_negative = m // 2
        rng = np.random.default_rng(0)
        rows = np.sort(rng.choice(m, (20, 50)).astype(np.int32), axis=1)
        indices, indptr = rows.ravel(), np.arange(0, 1001, 50, dtype=np.int32)
        data, values = rng.standard_normal(1000), rng.standard_normal(m)
        correct = run.weigh(values)
        order = np.tile(np.arange(20), 200)
        space = working_space(m, bucket_count(m), np.float64)
        times = []
        for _ in range(3):
            began = time.process_time()
            sparse_moves(
                data, indices, indptr, np.zeros(21), values, correct, order, 1.0,
                run.n_negative, run.weights, 1, 1, np.empty_like(run.weights),
                bucket_count(m), *space,
            )  # fmt: skip
            times.append(time.process_time() - began)
        took.append(min(times))
    # 200 times the samples; touching them all would cost about as much more
    assert took[1] < 10 * took[0]
