"""Control of the search: budgets, time, seeds, starts, the user's own optimizers."""

import time

import cma
import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from optimargin import OptimalMarginClassifier
from optimargin.search.registry import OPTIMIZERS
from optimargin.starts import START_NAMES

SEARCHES = ["memetic", "coordinate", *OPTIMIZERS]

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FITTED = [
    "classes_", "coef_", "intercept_", "score_", "margin_", "n_iter_", "n_evaluations_",
    "stop_reason_", "history_",
]  # fmt: skip


def brief(**settings):
    """Of the search, not of the average that may follow it."""
    return OptimalMarginClassifier(
        **{"separator": "best", "max_generations": 20, "random_state": 0, **settings}
    )


@pytest.fixture(scope="module")
def hard():
    """Two classes that overlap."""
    return make_classification(300, 10, n_informative=6, class_sep=0.4, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def assert_identical(one, other):
    for name in ("coef_", "intercept_", "score_", "margin_", "n_iter_", "n_evaluations_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.stop_reason_ == other.stop_reason_
    for a, b in zip(one.history_, other.history_, strict=True):
        for key in a:
            np.testing.assert_array_equal(a[key], b[key])


# Seeds


@quiet
@pytest.mark.parametrize("optimizer", SEARCHES)
def test_the_same_seed_gives_the_same_bits(hard, optimizer):
    one = brief(optimizer=optimizer, start="random").fit(*hard)
    other = brief(optimizer=optimizer, start="random").fit(*hard)
    assert_identical(one, other)
    different = brief(optimizer=optimizer, start="random", random_state=1).fit(*hard)
    assert not np.array_equal(one.coef_, different.coef_)


@quiet
def test_a_generator_moves_on_and_none_is_random(hard):
    state = np.random.RandomState(0)
    first = brief(random_state=state, start="random").fit(*hard)
    second = brief(random_state=state, start="random").fit(*hard)
    assert not np.array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(
        first.coef_,
        brief(random_state=np.random.RandomState(0), start="random").fit(*hard).coef_,
    )
    drawn = [brief(random_state=None, start="random").fit(*hard).coef_ for _ in range(2)]
    assert not np.array_equal(*drawn)


@quiet
def test_numpys_global_generator_is_left_alone(hard):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    brief().fit(*hard)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@quiet
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_number_of_jobs_does_not_show(wine, backend):
    alone = brief(restarts=2, start="random").fit(*wine)
    with parallel_config(backend):
        together = brief(restarts=2, start="random", n_jobs=2).fit(*wine)
    assert_identical(alone, together)


@quiet
def test_a_backend_from_outside_is_used(wine):
    with parallel_config("threading", n_jobs=2):
        assert_identical(brief(start="random").fit(*wine), brief(start="random").fit(*wine))


# Budgets


@quiet
@pytest.mark.parametrize("optimizer", SEARCHES)
def test_more_budget_never_gives_less(hard, optimizer):
    scores = [
        brief(optimizer=optimizer, max_generations=budget, start="random").fit(*hard).score_[0]
        for budget in (0, 5, 20, 100)
    ]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


@quiet
def test_restarts_are_never_worse(hard):
    scores = [brief(restarts=k, start="random").fit(*hard).score_[0] for k in (1, 2, 5)]
    assert scores == sorted(scores)


@quiet
def test_population_size(hard):
    model = brief(optimizer="cma_es", population_size=7, max_generations=10, start="random").fit(
        *hard
    )
    assert model.n_evaluations_[0] == 1 + 70


def test_patience(hard):
    model = brief(optimizer="cma_es", max_generations=None, patience=7).fit(*hard)
    assert model.stop_reason_ == ["patience"]
    rises = np.flatnonzero(np.diff(model.history_[0]["score"]) > 0)
    last = rises[-1] + 2 if rises.size else 0
    assert model.n_iter_[0] <= last + 7


def test_vanished_step_size():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    model = brief(optimizer="cma_es", max_generations=100_000, start="random").fit(X, [0, 1, 1, 0])
    assert model.stop_reason_ == ["sigma"]


TIMED = [
    {"optimizer": "evolution_strategy"},
    {"optimizer": "cma_es"},
    {"optimizer": "memetic"},
    {"optimizer": "memetic", "l1": 0.01},
    {"optimizer": "coordinate", "restarts": 10**6},
    {"optimizer": "cma_es", "restarts": 10**6, "max_generations": 10},
    {"start": list(START_NAMES), "restarts": 10**6, "max_generations": 1},
    {"separator": "average", "restarts": 10**6},
]


@quiet
@pytest.mark.parametrize("settings", TIMED, ids=str)
@pytest.mark.parametrize("data", ["two_classes", "three_classes"])
def test_time_is_kept(hard, wine, settings, data):
    X, y = hard if data == "two_classes" else wine
    settings = {"max_generations": 10**9, **settings}
    brief(**settings, max_time=0.2).fit(X, y)  # compilation does not count
    for _ in range(10):  # another process may hold the processor for a moment
        began = time.perf_counter()
        model = brief(**settings, max_time=0.15).fit(X, y)
        took = time.perf_counter() - began
        assert set(model.stop_reason_) <= {"time", "sigma", "finished", "budget"}
        assert model.score(X, y) > 0.6
        if took < 0.2:
            break
    assert took < 0.2
    # and it is made use of, unless the search comes to rest before
    assert took >= 0.15 or model.stop_reason_[-1] != "time"


@quiet
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_restarts_fill_the_time_of_their_pair(hard, n_jobs):
    settings = {"optimizer": "cma_es", "max_generations": 20, "start": "random"}
    once = brief(**settings).fit(*hard)
    settings |= {"restarts": 10**4, "n_jobs": n_jobs}
    with parallel_config("threading"):
        filled = brief(**settings, max_time=0.3).fit(*hard)
    assert filled.n_evaluations_[0] > 5 * once.n_evaluations_[0]
    assert filled.score_[0] >= once.score_[0]
    # not one after the other cut short
    assert filled.n_iter_[0] == 20


def test_a_moment_is_enough_for_a_start(wine):
    model = brief(max_time=1e-6).fit(*wine)
    assert model.stop_reason_ == ["time"] * 3
    assert model.n_iter_.tolist() == [0] * 3
    assert model.score(*wine) > 0.9


# Warnings


def test_a_budget_that_is_too_small_is_reported(hard):
    with pytest.warns(ConvergenceWarning, match="still rising when the budget"):
        brief(optimizer="cma_es", max_generations=4, start="random").fit(*hard)


@pytest.mark.filterwarnings("error")
def test_no_warning_when_time_or_patience_ends_the_search(hard):
    brief(max_generations=None, patience=1, start="random").fit(*hard)
    brief(max_generations=10**9, max_time=0.02, start="random").fit(*hard)


@pytest.mark.filterwarnings("error")
def test_defaults_do_not_warn_on_easy_data():
    OptimalMarginClassifier(random_state=0).fit(*load_breast_cancer(return_X_y=True))


# Starts


@quiet
@pytest.mark.parametrize("optimizer", SEARCHES)
def test_never_below_a_given_start(hard, optimizer):
    X, y = hard
    peer = LogisticRegression().fit(X, y)
    alone = brief(optimizer=optimizer, start=peer, max_generations=0).fit(X, y)
    searched = brief(optimizer=optimizer, start=peer).fit(X, y)
    cosine = alone.coef_[0] @ peer.coef_[0]
    cosine /= np.linalg.norm(alone.coef_[0]) * np.linalg.norm(peer.coef_[0])
    assert cosine == pytest.approx(1.0)
    assert alone.n_evaluations_[0] == 1
    assert searched.score_[0] >= alone.score_[0]


@quiet
@pytest.mark.parametrize("scaling", ["standardize", "whiten", None])
def test_start_from_weights(hard, scaling):
    X, y = hard
    X = X * np.arange(1.0, 11) + 3
    weights = LogisticRegression(max_iter=1000).fit(X, y).coef_[0]
    model = brief(start=weights, scaling=scaling, max_generations=0).fit(X, y)
    # some columns depend on others: the weights may differ, the projection may not
    assert np.corrcoef(X @ model.coef_[0], X @ weights)[0, 1] == pytest.approx(1.0)
    listed = brief(start=weights.tolist(), scaling=scaling, max_generations=0).fit(X, y)
    np.testing.assert_array_equal(listed.coef_, model.coef_)


@quiet
def test_a_start_for_each_pair(wine):
    X, y = wine
    before = brief().fit(X, y)
    again = brief(start=before.coef_, max_generations=0).fit(X, y)
    cosines = np.sum(again.coef_ * before.coef_, axis=1)
    cosines /= np.linalg.norm(again.coef_, axis=1) * np.linalg.norm(before.coef_, axis=1)
    np.testing.assert_allclose(cosines, 1.0)
    np.testing.assert_allclose(again.score_, before.score_)
    assert again.n_evaluations_.tolist() == [1, 1, 1]


@quiet
def test_start_from_one_against_the_rest(wine):
    X, y = wine
    peer = LinearDiscriminantAnalysis().fit(X, y)
    assert peer.coef_.shape == (3, 13)
    model = brief(start=peer, max_generations=0).fit(X, y)
    expected = peer.coef_[2] - peer.coef_[1]
    cosine = model.coef_[2] @ expected
    cosine /= np.linalg.norm(model.coef_[2]) * np.linalg.norm(expected)
    assert cosine == pytest.approx(1.0)


@quiet
def test_one_start_for_all_pairs(wine):
    X, y = wine
    model = brief(start=np.eye(13)[:2], max_generations=0).fit(X, y)
    for weights in model.coef_:
        assert np.flatnonzero(weights).tolist() in ([0], [1])


@quiet
def test_search_goes_on_from_a_fitted_classifier(hard):
    X, y = hard
    first = brief(start="random").fit(X, y)
    second = brief(start=first).fit(X, y)
    assert second.score_[0] >= first.score_[0]


def test_an_estimator_that_is_not_fitted_cannot_start(hard):
    with pytest.raises(ValueError, match="has no coef_; fit it first"):
        brief(start=LogisticRegression()).fit(*hard)


# The user's own optimizers


class RandomSearch:
    def __init__(self, start, population_size, rng):
        self.start, self.population_size, self.rng = start, population_size, rng
        self.told = 0

    def ask(self):
        return self.start + self.rng.standard_normal((self.population_size, self.start.size))

    def tell(self, directions, scores):
        assert len(directions) == len(scores.objective) == self.population_size
        self.told += 1


@quiet
def test_an_optimizer_of_ones_own(hard):
    made = []

    def factory(start, population_size, rng):
        made.append(RandomSearch(start, population_size, rng))
        return made[-1]

    model = brief(optimizer=factory, start="lda").fit(*hard)
    assert [search.told for search in made] == [20]
    assert made[0].population_size == 4 + int(3 * np.log(10))
    assert np.linalg.norm(made[0].start) == pytest.approx(1.0)
    assert np.isnan(model.history_[0]["sigma"]).all()
    assert_identical(model, brief(optimizer=RandomSearch, start="lda").fit(*hard))


class Cma:
    """pycma behind the contract of an optimizer."""

    def __init__(self, start, population_size, rng):
        self.search = cma.CMAEvolutionStrategy(
            start,
            0.5,
            {"popsize": population_size, "seed": int(rng.integers(1, 2**31)), "verbose": -9},
        )

    @property
    def sigma(self):
        return self.search.sigma

    def ask(self):
        return np.array(self.search.ask())

    def tell(self, directions, scores):
        self.search.tell(list(directions), list(-scores.objective))


@quiet
def test_pycma_as_an_optimizer(hard):
    ours = brief(max_generations=60, start="random").fit(*hard)
    theirs = brief(optimizer=Cma, max_generations=60, start="random").fit(*hard)
    assert np.isfinite(theirs.history_[0]["sigma"]).all()
    assert theirs.score_[0] == pytest.approx(ours.score_[0], abs=0.05)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (np.ones((3, 2)), r"must ask for an array of shape \(number of candidates, 10\)"),
        (np.zeros((3, 10)), "must ask for finite vectors that are not zero"),
    ],
)
def test_an_optimizer_that_asks_for_nonsense(hard, asked, sentence):
    class Nonsense(RandomSearch):
        def ask(self):
            return asked

    with pytest.raises(ValueError, match=sentence):
        brief(optimizer=Nonsense).fit(*hard)


# Interruption


class Interrupted(RandomSearch):
    def tell(self, directions, scores):
        super().tell(directions, scores)
        if self.told == 3:
            raise KeyboardInterrupt


@quiet
@pytest.mark.parametrize("fitted_before", [False, True])
def test_an_interrupted_fit_leaves_nothing_half_done(wine, fitted_before):
    model = brief()
    if fitted_before:
        model.fit(*wine)
    model.set_params(optimizer=Interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*wine)
    assert [name for name in vars(model) if name.endswith("_")] == []


@quiet
def test_an_interrupt_in_a_thread_arrives(wine):
    with parallel_config("threading"), pytest.raises(KeyboardInterrupt):
        brief(optimizer=Interrupted, n_jobs=2).fit(*wine)


def test_all_attributes_are_documented(wine):
    model = OptimalMarginClassifier(max_generations=1, start="lda", patience=1).fit(*wine)
    fitted = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert fitted == {*FITTED, "n_features_in_"}
    for name in fitted:
        assert name in OptimalMarginClassifier.__doc__
