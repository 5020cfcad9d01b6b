"""The memetic search: founding, children, the margin at the end, and how near to the optimum."""

import numpy as np
import pytest
from sklearn.svm import SVC

from optimargin import OptimalMarginClassifier
from optimargin.baselines import ExactZeroOneClassifier
from optimargin.binary import Plan, fit_binary
from optimargin.lines import Lines
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.memetic import MemeticSearcher, default_rounds

PLAN = Plan("memetic", ("auto",))


def make(m=160, n=6, seed=0, shift=0.4, weighted=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    X[m // 2 :] += shift * rng.standard_normal(n)
    weights = rng.integers(1, 4, m).astype(float) if weighted else None
    return make_problem(np.ascontiguousarray(X.T), m // 2, weights, "balanced")


def seed(number):
    return np.random.SeedSequence(number)


def searcher(problem, number=0, directions=None, whiten=True):
    objective = Objective(problem)
    if directions is None:
        directions = np.random.default_rng(number).standard_normal((2, problem.n_features))
    starts = objective.score(directions)
    founders = [starts.separator(index) for index in range(len(directions))]
    rng = np.random.default_rng(number)
    return MemeticSearcher(Lines(problem, whiten), founders, rng), objective, founders


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("whiten", [False, True], ids=["plain_metric", "whitened"])
def test_the_parent_never_gets_worse(weighted, whiten):
    for number in range(4):
        memetic, objective, founders = searcher(
            make(seed=number, weighted=weighted), number, whiten=whiten
        )
        found = memetic.advance(objective)
        assert found.score.max() >= max(one.score for one in founders)
        assert memetic.parent.correct / objective.problem.units.total <= found.score.max()
        kept = [memetic.parent.correct]
        for _ in range(8):
            memetic.advance(objective)
            kept.append(memetic.parent.correct)
        assert kept == sorted(kept)
        assert not memetic.finished


def test_children_find_more_than_the_founders():
    gains = []
    for number in range(6):
        memetic, objective, _ = searcher(make(seed=number, n=10), number)
        first = memetic.advance(objective).score.max()
        gains.append(max(memetic.advance(objective).score.max() for _ in range(15)) - first)
    assert np.mean(gains) > 0.005


def test_a_greater_budget_appends_rounds():
    problem = make()
    long = fit_binary(problem, Plan("memetic", ("random",), max_generations=20), seed(3))
    for budget in (1, 4, 11):
        short = fit_binary(problem, Plan("memetic", ("random",), max_generations=budget), seed(3))
        assert short.n_generations == budget
        np.testing.assert_array_equal(short.history["score"], long.history["score"][:budget])
        assert short.separator.key <= long.separator.key


def test_the_number_of_rounds_falls_with_the_size():
    rounds = [default_rounds(make(m=m, n=5)) for m in (20, 100, 400, 2000, 6000)]
    assert rounds == sorted(rounds, reverse=True)
    assert rounds[0] > rounds[-1] >= 1


def test_never_below_the_best_of_its_starts():
    for number in range(10):
        problem = make(seed=number, shift=0.1)
        given = np.random.default_rng(number).standard_normal((4, 6))
        starts = Objective(problem).score(given)
        outcome = fit_binary(problem, PLAN, seed(number), given_start=given)
        assert outcome.separator.key >= starts.separator(starts.best()).key


@pytest.mark.parametrize("gap", [0.05, 1.0])
def test_without_errors_the_margin_is_widened(gap):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 3))
    normal = np.array([0.6, -0.8, 0.0])
    distance = X @ normal - 0.2
    X = X[np.abs(distance) > gap / 2]
    y = (X @ normal > 0.2).astype(int)
    X = X[np.argsort(y, kind="stable")]
    y = np.sort(y)
    problem = make_problem(np.ascontiguousarray(X.T), int(np.sum(y == 0)), None, "balanced")
    outcome = fit_binary(problem, PLAN, seed(0))
    assert outcome.stop_reason == "finished"
    assert outcome.separator.score == 1.0
    machine = SVC(kernel="linear", C=1e8).fit(X, y)
    widest = 1.0 / np.linalg.norm(machine.coef_)
    assert 0.97 * widest <= outcome.separator.margin <= widest * (1 + 1e-6)


def test_the_same_seed_whatever_was_fitted_before():
    problem, other = make(seed=1), make(seed=2, n=9)
    first = fit_binary(problem, PLAN, seed(5))
    fit_binary(other, PLAN, seed(6))
    second = fit_binary(problem, PLAN, seed(5))
    np.testing.assert_array_equal(first.separator.direction, second.separator.direction)
    assert first.separator.intercept == second.separator.intercept
    np.testing.assert_array_equal(first.history["score"], second.history["score"])


# The optimum

PROBLEMS = [(2, 60, number) for number in range(10)] + [(3, 30, number) for number in range(5)]
SEEDS = 4


def overlapping(n, m, number):
    rng = np.random.default_rng([n, m, number])
    X = rng.standard_normal((m, n))
    y = np.arange(m) % 3 == 0
    X[y] += 0.8 * rng.standard_normal(n)
    return X, y.astype(int)


def test_small_problems_are_solved_to_the_optimum():
    # at least 95 % of 60 fits at the default budget
    reached = 0
    for n, m, number in PROBLEMS:
        X, y = overlapping(n, m, number)
        exact = ExactZeroOneClassifier().fit(X, y)
        assert exact.optimal_[0]
        for state in range(SEEDS):
            found = OptimalMarginClassifier(separator="best", random_state=state).fit(X, y)
            assert found.score_[0] <= exact.score_[0] + 1e-9
            reached += found.score_[0] >= exact.score_[0] - 1e-9
    assert reached >= 0.95 * len(PROBLEMS) * SEEDS


# Invariances


def test_the_order_of_the_samples_does_not_matter():
    for number in range(5):
        X, y = overlapping(4, 120, number)
        order = np.random.default_rng(number).permutation(len(y))
        one = OptimalMarginClassifier(separator="best", random_state=0).fit(X, y)
        other = OptimalMarginClassifier(separator="best", random_state=0).fit(X[order], y[order])
        assert one.score_[0] == pytest.approx(other.score_[0], abs=1e-12)


def test_exchanged_classes_and_mirrored_features_are_as_hard():
    for number in range(5):
        X, y = overlapping(2, 60, number)
        signs = np.array([1.0, -1.0])
        scores = [
            OptimalMarginClassifier(separator="best", random_state=0).fit(*data).score_[0]
            for data in ((X, y), (X, 1 - y), (-X, y), (X * signs, y))
        ]
        assert scores == pytest.approx([scores[0]] * 4, abs=1e-12)


def test_the_scale_of_the_features_does_not_matter():
    # powers of two: not even the rounding differs
    X, y = overlapping(5, 120, 0)
    scales = 2.0 ** np.array([-20, 3, 0, 11, -2])
    one = OptimalMarginClassifier(separator="best", random_state=0).fit(X, y)
    other = OptimalMarginClassifier(separator="best", random_state=0).fit(X * scales, y)
    np.testing.assert_array_equal(other.coef_ * scales, one.coef_)
    assert other.intercept_[0] == one.intercept_[0]
    shifted = OptimalMarginClassifier(separator="best", random_state=0).fit(
        X * scales + 3.0 * scales, y
    )
    assert shifted.score_[0] == pytest.approx(one.score_[0], abs=1e-12)
