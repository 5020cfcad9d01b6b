"""Search on a part of large data: whatever it finds is judged by all rows."""

import numpy as np
import pytest
from joblib import parallel_config

import optimargin.binary
import optimargin.search.growing
from optimargin import OptimalMarginClassifier
from optimargin.binary import Plan, fit_binary
from optimargin.lines import Lines
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.growing import GrowingSearcher
from optimargin.search.loop import run_search
from optimargin.search.memetic import MemeticSearcher
from optimargin.search.stopping import Stopping


@pytest.fixture(autouse=True)
def large_from_few_rows_on(monkeypatch):
    """What is meant for a million rows, on a thousand."""
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS", 100)
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS_PER_FEATURE", 1)
    monkeypatch.setattr(optimargin.search.growing, "GROWTH", 2)


def samples(m=1000, n=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    y = np.arange(m) >= m // 2
    X[y] += 0.25 * rng.standard_normal(n)
    return X, y.astype(int)


def make(**settings):
    X, y = samples(**settings)
    return make_problem(np.ascontiguousarray(X.T), int(np.sum(y == 0)), None, "balanced")


def growing(problem, seed=0, rows=100):
    rng = np.random.default_rng(seed)
    part = Objective(problem.subsample(rows, rng))
    starts = part.score(rng.standard_normal((2, problem.n_features)))
    founders = [starts.separator(0), starts.separator(1)]
    objective = Objective(problem)
    on_all = objective.score(starts.directions)
    inner = MemeticSearcher(Lines(part.problem, whiten=True), founders, rng)
    first = on_all.separator(on_all.best())
    return GrowingSearcher(inner, 2, part, first, True, rng), objective, first


def test_what_is_found_is_scored_on_all_rows():
    search, objective, _ = growing(make())
    for _ in range(12):
        scores = search.advance(objective)
        again = Objective(objective.problem).score(scores.directions)
        np.testing.assert_array_equal(scores.score, again.score)


def test_more_rounds_append_to_the_same_first_ones():
    for seed in range(4):
        histories = []
        keys = []
        for budget in (1, 3, 7, 20):
            search, objective, first = growing(make(seed=seed), seed)
            outcome = run_search(search, objective, first, Stopping(budget))
            histories.append(outcome.history["score"])
            keys.append(outcome.separator.key)
            assert outcome.separator.key >= first.key
        for short in histories:
            np.testing.assert_array_equal(short, histories[-1][: short.size])
        assert keys == sorted(keys)


def test_all_rows_have_the_last_word():
    # what a part of the data prefers is not what all of them prefer
    gains = []
    for seed in range(8):
        problem = make(seed=seed)
        search, objective, first = growing(problem, seed)
        on_part = first
        for _ in range(2):  # the inner rounds of the first block
            scores = search.advance(objective)
            on_part = max(on_part, scores.separator(scores.best()), key=lambda one: one.key)
        outcome = run_search(search, objective, on_part, Stopping(10))
        gains.append(outcome.separator.score - on_part.score)
    assert min(gains) >= 0
    assert np.mean(gains) > 0.005


def test_the_same_seed_gives_the_same_bits_whatever_the_number_of_jobs():
    X, y = samples()
    settings = {"restarts": 2, "start": "random", "random_state": 3}
    alone = OptimalMarginClassifier(**settings).fit(X, y)
    again = OptimalMarginClassifier(**settings).fit(X, y)
    with parallel_config("threading"):
        together = OptimalMarginClassifier(n_jobs=2, **settings).fit(X, y)
    for other in (again, together):
        np.testing.assert_array_equal(alone.coef_, other.coef_)
        np.testing.assert_array_equal(alone.intercept_, other.intercept_)
        np.testing.assert_array_equal(alone.history_[0]["score"], other.history_[0]["score"])


def test_without_errors_the_search_ends_on_all_rows():
    X, y = samples()
    X[:, 0] = np.where(y == 1, 1.0, -1.0) * (1.0 + np.abs(X[:, 0]))
    problem = make_problem(np.ascontiguousarray(X.T), 500, None, "balanced")
    outcome = fit_binary(problem, Plan("memetic", ("auto",)), np.random.SeedSequence(0))
    assert outcome.separator.score == 1.0
    values = X @ outcome.separator.direction + outcome.separator.intercept
    assert np.all((values > 0) == (y == 1))
