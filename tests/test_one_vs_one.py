"""Pairs, votes, seeds, and where the work is done."""

import time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_info, threadpool_limits

from optimargin.binary import Plan
from optimargin.one_vs_one import fit_pairs, vote
from optimargin.scaling import fit_scaling
from optimargin.search.cma_es import CmaEs
from optimargin.training import TrainingSet, class_pairs


def make(n_classes=4, m=160, n=3, seed=0, weights=None, costs=None):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, m)
    X = rng.standard_normal((m, n)) + rng.standard_normal((n_classes, n))[codes]
    return TrainingSet(X, codes, n_classes, weights, costs, fit_scaling(X, weights, "standardize"))


def fit(training, *, restarts=1, n_jobs=None, max_time=None, seed=0, **settings):
    plan = Plan(**{"optimizer": "cma_es", "starts": ("random",), "max_generations": 30, **settings})
    return fit_pairs(
        training,
        plan,
        [None] * len(class_pairs(training.n_classes)),
        np.random.SeedSequence(seed),
        restarts,
        n_jobs,
        max_time,
        time.perf_counter(),
        verbose=0,
    )


def keys(outcomes):
    return [outcome.separator.key for outcome in outcomes]


quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_pairs_in_lexicographic_order():
    assert class_pairs(2) == [(0, 1)]
    assert class_pairs(4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_votes_go_to_the_second_class_when_positive():
    scores = vote(np.array([[1.0, -1.0, -2.0], [0.0, 0.0, 0.0]]), 3)
    assert scores[0].argmax() == 1  # 1 beats 0 and beats 2
    assert np.round(scores[1]).tolist() == [2.0, 1.0, 0.0]  # zero is for the first class


def test_ties_are_broken_by_confidence_and_never_a_vote():
    # everyone beats one other: 0 beats 1, 1 beats 2 by far, 2 beats 0
    circle = vote(np.array([[-1.0, 1.0, -1000.0]]), 3)[0]
    assert circle.argmax() == 1
    np.testing.assert_array_equal(np.round(circle), 1.0)
    huge = vote(np.array([[1e300, -1e-3, -1e-3]]), 3)[0]
    assert np.round(huge).tolist() == [1.0, 2.0, 0.0]


def test_votes_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 4)), rng.integers(0, 5, 200)
    machine = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    pairs = -machine.decision_function(X)  # its positive sign speaks for the first class
    machine.decision_function_shape = "ovr"
    np.testing.assert_allclose(vote(pairs, 5), machine.decision_function(X), atol=1e-9)


def test_a_problem_holds_its_two_classes_only():
    weights = np.random.default_rng(1).integers(1, 4, 160).astype(float)
    training = make(weights=weights)
    problem = training.problem((1, 3))
    rows = np.concatenate([np.flatnonzero(training.codes == c) for c in (1, 3)])
    scaled = (training.X - training.scaling.centre) / training.scaling.scale
    np.testing.assert_allclose(problem.features, scaled[rows].T)
    assert problem.n_negative == np.count_nonzero(training.codes == 1)
    assert problem.total_weight == weights[rows].sum()


def test_costs_are_those_of_the_pair():
    training = make(costs=np.array([1.0, 2.0, 3.0, 5.0]))
    problem = training.problem((1, 3))
    assert (problem.units.unit_negative, problem.units.unit_positive) == (2, 5)


@quiet
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_result_does_not_depend_on_where_the_work_is_done(backend):
    training = make()
    alone = fit(training, restarts=2)
    with parallel_config(backend):
        together = fit(training, restarts=2, n_jobs=2)
    assert keys(alone) == keys(together)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.separator.direction, other.separator.direction)
        np.testing.assert_array_equal(one.history["score"], other.history["score"])


@quiet
def test_a_pair_does_not_depend_on_the_other_pairs():
    # the first pair of more classes is the same as with fewer restarts of the others
    training = make(n_classes=3)
    assert keys(fit(training)) == keys(fit(training))
    assert len({outcome.separator.direction[0] for outcome in fit(training)}) == 3


@quiet
def test_restarts_are_never_worse():
    training = make(m=100)
    before = keys(fit(training))
    for restarts in (2, 4):
        now = keys(fit(training, restarts=restarts))
        assert all(a >= b for a, b in zip(now, before, strict=True))
        before = now


@quiet
def test_evaluations_of_all_restarts_are_counted():
    once, thrice = (fit(make(n_classes=2), restarts=restarts)[0] for restarts in (1, 3))
    assert thrice.n_evaluations == 3 * once.n_evaluations
    assert thrice.n_generations == once.n_generations


@quiet
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_time_is_shared_among_the_pairs(n_jobs):
    training = make(m=400)
    endless = {"optimizer": "particle_swarm", "max_generations": 10**9}  # it never comes to rest
    fit(training, **{**endless, "max_generations": 2})  # compile
    took = []
    for _ in range(10):  # another process may hold the processor for a moment
        began = time.perf_counter()
        with parallel_config("threading"):
            outcomes = fit(training, n_jobs=n_jobs, max_time=0.3, **endless)
        took.append(time.perf_counter() - began)
        assert [outcome.stop_reason for outcome in outcomes] == ["time"] * len(outcomes)
        assert all(outcome.n_generations > 0 for outcome in outcomes)
        if took[-1] < 0.35:
            break
    assert min(took) < 0.35


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@quiet
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blas_has_one_thread_during_a_search_and_its_own_number_after(n_jobs):
    seen = set()

    class Watching(CmaEs):
        def ask(self):
            seen.update(blas_threads())
            return super().ask()

    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS does not change its number of threads")
        with parallel_config("threading"):
            fit(make(), optimizer=Watching, restarts=4, n_jobs=n_jobs)
        assert blas_threads() == {2}
    assert seen == {1}


def test_every_pair_gets_a_start_when_time_is_up():
    outcomes = fit(make(), max_time=1e-9, starts=("auto",))
    assert [outcome.stop_reason for outcome in outcomes] == ["time"] * 6
    assert all(outcome.separator.score > 0.5 for outcome in outcomes)


def test_a_budget_that_ends_too_early_is_reported():
    training = make(n_classes=3, m=300, n=10)
    with pytest.warns(ConvergenceWarning, match="still rising .* for . of 3 class pairs"):
        fit(training, max_generations=3)
    with pytest.warns(ConvergenceWarning, match=r"generations ended\. Increase max_generations"):
        fit(make(n_classes=2, m=300, n=10), max_generations=3)


@pytest.mark.filterwarnings("error")
def test_no_report_when_nothing_rises():
    fit(make(n_classes=2, m=60, n=2), starts=("logistic",), max_generations=400)
