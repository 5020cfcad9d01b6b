"""One pair of classes, from its starts to its separator."""

import time

import numpy as np
import pytest
from scipy import sparse

import optimargin.binary
from optimargin.binary import Plan, fit_binary
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.registry import OPTIMIZERS
from optimargin.starts import START_NAMES

SEED = np.random.SeedSequence(0)
SEARCHES = ["memetic", "coordinate", *OPTIMIZERS]
OEC = Plan("cma_es", ("random",))


def make(m=120, n=5, shift=1.0, seed=0, container=np.ascontiguousarray):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    X[m // 2 :] += shift * rng.standard_normal(n)
    features = container(X.T) if container is np.ascontiguousarray else container(X)
    return make_problem(features, m // 2, None, "balanced")


def plan(**settings):
    return Plan(**{"optimizer": "cma_es", "starts": ("auto",), **settings})


@pytest.mark.parametrize("name", START_NAMES)
def test_never_ends_below_its_start(name):
    problem = make(shift=0.3)
    alone = fit_binary(problem, plan(starts=(name,), max_generations=0), SEED)
    searched = fit_binary(problem, plan(starts=(name,), max_generations=30), SEED)
    assert alone.n_generations == 0
    assert searched.separator.key >= alone.separator.key


def test_the_best_of_several_starts_is_taken():
    problem = make(shift=0.3)
    names = ("logistic", "lda", "svm", "mean_difference")
    alone = [
        fit_binary(problem, plan(starts=(name,), max_generations=0), SEED).separator.key
        for name in names
    ]
    together = fit_binary(problem, plan(starts=names, max_generations=0), SEED)
    assert together.separator.key == pytest.approx(max(alone), rel=1e-12)
    assert together.n_evaluations == 4


@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("optimizer", SEARCHES)
def test_more_budget_never_gives_less(optimizer, l1):
    problem = make(shift=0.2)
    settings = {"optimizer": optimizer, "starts": ("random",), "l1": l1}
    keys = [
        fit_binary(problem, plan(max_generations=budget, **settings), SEED).separator.key
        for budget in (0, 1, 2, 5, 20, 80)
    ]
    assert keys == sorted(keys)
    assert keys[-1] > keys[0]


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_more_budget_never_gives_less_on_large_data(monkeypatch, l1):
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS", 100)
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS_PER_FEATURE", 1)
    for seed in range(5):
        problem = make(m=1200, shift=0.1, seed=seed)
        keys = [
            fit_binary(
                problem, plan(optimizer="memetic", l1=l1, max_generations=budget), SEED
            ).separator.key
            for budget in (0, 1, 2, 4, 8, 20)
        ]
        assert keys == sorted(keys)


@pytest.mark.parametrize("name", START_NAMES)
def test_large_data_never_end_below_their_start(monkeypatch, name):
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS", 100)
    monkeypatch.setattr(optimargin.binary, "_LARGE_ROWS_PER_FEATURE", 1)
    problem = make(m=1200, shift=0.1)
    given = np.random.default_rng(1).standard_normal((2, 5))
    outcome = fit_binary(problem, plan(optimizer="memetic"), SEED, given_start=given)
    scores = Objective(problem).score(given)
    assert outcome.separator.key >= scores.separator(scores.best()).key
    assert Objective(problem).score(outcome.separator.direction[None, :]).score[0] == (
        pytest.approx(outcome.separator.score)
    )


@pytest.mark.parametrize("optimizer", SEARCHES)
def test_same_seed_same_separator(optimizer):
    problem = make(shift=0.2)
    one, other = (fit_binary(problem, plan(optimizer=optimizer), SEED) for _ in range(2))
    np.testing.assert_array_equal(one.separator.direction, other.separator.direction)
    assert one.separator.intercept == other.separator.intercept
    np.testing.assert_array_equal(one.history["score"], other.history["score"])


def test_other_seed_other_search():
    problem = make(shift=0.2)
    one = fit_binary(problem, OEC, np.random.SeedSequence(1))
    other = fit_binary(problem, OEC, np.random.SeedSequence(2))
    assert not np.array_equal(one.separator.direction, other.separator.direction)


def test_default_budget_is_the_papers():
    outcome = fit_binary(make(n=9), OEC, SEED)
    assert outcome.n_generations == 346
    assert outcome.n_evaluations == 346 * 10 + 1
    assert outcome.stop_reason == "budget"


def test_one_dimension_is_not_searched():
    problem = make(n=1)
    outcome = fit_binary(problem, OEC, SEED)
    assert (outcome.stop_reason, outcome.n_generations) == ("finished", 0)
    best = Objective(problem).score(np.ones((1, 1)))
    assert outcome.separator.key == best.separator(0).key


def test_penalty_makes_weights_vanish():
    problem = make(m=200, n=10, shift=0.0, seed=4)
    free = fit_binary(problem, plan(starts=("random",)), SEED).separator
    penalised = fit_binary(problem, plan(starts=("random",), l1=0.2), SEED).separator
    assert np.abs(penalised.direction).sum() < 0.7 * np.abs(free.direction).sum()
    assert penalised.score <= free.score


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.3])
def test_deadline(seconds):
    problem = make(m=2000, n=20, shift=0.2)
    fit_binary(problem, plan(max_generations=2), SEED)  # compile
    took = []
    for _ in range(10):  # another process may hold the processor for a moment
        began = time.perf_counter()
        outcome = fit_binary(
            problem, plan(max_generations=10**9), SEED, deadline=time.perf_counter() + seconds
        )
        took.append(time.perf_counter() - began)
        assert outcome.stop_reason == "time"
        assert outcome.separator.score > 0.5
        if took[-1] < seconds + 0.05:
            break
    assert min(took) < seconds + 0.05


@pytest.fixture
def tried(monkeypatch):
    """Names of the starts that were asked for."""
    names = []

    def remember(name, problem, rng):
        names.append(name)
        return np.ones(problem.n_features)

    monkeypatch.setattr(optimargin.binary, "start_direction", remember)
    return names


def test_after_the_deadline_the_cheapest_start_remains(tried):
    outcome = fit_binary(make(), plan(), SEED, deadline=time.perf_counter() - 1)
    assert len(tried) == 1
    assert (outcome.stop_reason, outcome.n_evaluations) == ("time", 1)


@pytest.mark.parametrize(
    ("problem", "names"),
    [
        (make(m=50), ["lda", "logistic_free"]),
        (make(m=50, n=1000), ["mean_difference", "logistic"]),
        (make(m=50, container=sparse.csc_array), ["mean_difference", "logistic"]),
    ],
    ids=["few_features", "many_features", "sparse"],
)
def test_automatic_starts_are_affordable(tried, problem, names):
    fit_binary(problem, plan(max_generations=1), SEED)
    assert tried == names


def test_given_starts_are_used_as_they_are():
    problem = make(shift=0.3)
    given = np.random.default_rng(1).standard_normal((3, 5))
    outcome = fit_binary(problem, plan(max_generations=0), SEED, given_start=given)
    scores = Objective(problem).score(given)
    assert outcome.separator.key == scores.separator(scores.best()).key


def test_sparse_and_dense_problems_are_searched_alike():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 6)) * (rng.random((150, 6)) < 0.4)
    X[75:, 0] += 1.0
    outcomes = [
        fit_binary(make_problem(features, 75, None, "balanced"), OEC, SEED)
        for features in (np.ascontiguousarray(X.T), sparse.csc_array(X))
    ]
    assert outcomes[0].separator.score == pytest.approx(outcomes[1].separator.score, abs=0.03)
