"""One pair of classes, from its starts to its separator."""

import time

import numpy as np
import pytest
from scipy import sparse

import optimargin.binary
from optimargin.binary import Plan, fit_binary, resolve_auto
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.starts import START_NAMES

SEED = np.random.SeedSequence(0)
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


def test_more_budget_never_gives_less():
    problem = make(shift=0.2)
    keys = [
        fit_binary(problem, plan(starts=("random",), max_generations=budget), SEED).separator.key
        for budget in (0, 1, 2, 5, 20, 80, 200)
    ]
    assert keys == sorted(keys)
    assert keys[-1] > keys[0]


@pytest.mark.parametrize("optimizer", ["cma_es", "evolution_strategy", "particle_swarm"])
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
    for _ in range(3):  # another process may hold the processor for a moment
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


def test_after_the_deadline_the_cheapest_start_remains(monkeypatch):
    tried = []

    def remember(name, problem, rng):
        tried.append(name)
        return np.ones(problem.n_features)

    monkeypatch.setattr(optimargin.binary, "start_direction", remember)
    outcome = fit_binary(make(), plan(), SEED, deadline=time.perf_counter() - 1)
    assert tried == ["mean_difference"]
    assert (outcome.stop_reason, outcome.n_evaluations) == ("time", 1)


def test_given_starts_are_used_as_they_are():
    problem = make(shift=0.3)
    given = np.random.default_rng(1).standard_normal((3, 5))
    outcome = fit_binary(problem, plan(max_generations=0), SEED, given_start=given)
    scores = Objective(problem).score(given)
    assert outcome.separator.key == scores.separator(scores.best()).key


def test_automatic_starts_by_size():
    assert len(resolve_auto(make(m=50))) > len(resolve_auto(make(m=1000, n=3000)))
    assert "lda" not in resolve_auto(make(m=50, container=sparse.csc_array))


def test_sparse_and_dense_problems_are_searched_alike():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 6)) * (rng.random((150, 6)) < 0.4)
    X[75:, 0] += 1.0
    outcomes = [
        fit_binary(make_problem(features, 75, None, "balanced"), OEC, SEED)
        for features in (np.ascontiguousarray(X.T), sparse.csc_array(X))
    ]
    assert outcomes[0].separator.score == pytest.approx(outcomes[1].separator.score, abs=0.03)
