"""Average separators as a user meets them, and what the average is an average of."""

import pickle
import time

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score

from optimargin import OptimalMarginClassifier
from optimargin.average import average_separators
from optimargin.objective import Objective
from optimargin.problem import make_problem

OF_AVERAGES = ["separators_", "vote_slope_", "inverse_temperature_", "agreement_"]


def average(**settings):
    return OptimalMarginClassifier(**{"separator": "average", "random_state": 0, **settings})


@pytest.fixture(scope="module")
def hard():
    """Two classes that overlap."""
    return make_classification(150, 5, n_informative=3, class_sep=0.5, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(hard):
    return average().fit(*hard)


@pytest.fixture(scope="module")
def fitted_wine(wine):
    return average().fit(*wine)


def assert_identical(one, other):
    for name in ("coef_", "intercept_", "score_", "margin_", "n_iter_", *OF_AVERAGES[1:]):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for mine, theirs in zip(one.separators_, other.separators_, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert one.stop_reason_ == other.stop_reason_


# Seeds and jobs


def test_the_same_seed_gives_the_same_bits(hard, fitted):
    assert_identical(fitted, average().fit(*hard))
    assert not np.array_equal(fitted.coef_, average(random_state=1).fit(*hard).coef_)


def test_the_number_of_jobs_does_not_show(wine, fitted_wine):
    with parallel_config("threading"):
        together = average(n_jobs=2).fit(*wine)
    assert_identical(fitted_wine, together)
    np.testing.assert_array_equal(
        fitted_wine.predict_proba(wine[0]), together.predict_proba(wine[0])
    )


# What is kept


@pytest.mark.parametrize("n_separators", [1, 7, 100])
def test_as_many_separators_are_kept_as_asked_for(hard, wine, n_separators):
    for X, y in (hard, wine):
        model = average(n_separators=n_separators).fit(X, y)
        assert len(model.separators_) == len(model.coef_)
        for kept in model.separators_:
            assert kept.shape == (n_separators, X.shape[1] + 1)
            assert len(np.unique(kept, axis=0)) > 0.9 * n_separators
        assert np.all(model.predict_proba(X) > 0)


def test_no_more_than_there_are(hard):
    model = average(n_separators=10**6).fit(*hard)
    assert 100 < len(model.separators_[0]) < 10**6


@pytest.mark.parametrize("scaling", ["standardize", None])
def test_the_separator_is_the_mean_of_those_drawn(hard, scaling):
    X, y = hard
    X = X * np.array([1.0, 5.0, 0.2, 1.0, 2.0]) + 1.0
    model = average(n_separators=10**6, scaling=scaling).fit(X, y)
    scales = X.std(axis=0) if scaling else np.ones(5)
    # weights for the original features that have unit length for the scaled ones
    lengths = np.linalg.norm(model.separators_[0][:, :-1] * scales, axis=1)
    np.testing.assert_allclose(lengths, 1.0)
    mean = model.separators_[0].mean(axis=0)
    separator = np.append(model.coef_[0], model.intercept_[0])
    np.testing.assert_allclose(
        separator / np.linalg.norm(separator), mean / np.linalg.norm(mean), atol=1e-6
    )
    assert np.linalg.norm(model.coef_[0] * scales) == pytest.approx(1.0)


@pytest.mark.parametrize("of_several", [False, True])
def test_the_mean_is_that_of_the_distribution(of_several):
    # by drawing the prior, and weighing what it gives: the same mean as from chains
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    X[20:] += [0.8, 0.3]
    problem = make_problem(np.ascontiguousarray(X.T), 20, None, "balanced")
    beta = 40.0
    drawn = rng.standard_normal((400_000, 3))
    if of_several:
        drawn[:, -1] *= np.sqrt(2)
    share = np.zeros(len(drawn))
    for x, sign, weight in zip(X, problem.signs, problem.importance, strict=True):
        share += weight * ((drawn[:, :-1] @ x + drawn[:, -1]) * sign > 0)
    weights = np.exp(beta * (share - share.max()))
    assert weights.sum() ** 2 / (weights**2).sum() > 500  # as good as so many draws
    unit = drawn / np.linalg.norm(drawn[:, :-1], axis=1, keepdims=True)
    exact = weights @ unit / weights.sum()
    exact /= np.linalg.norm(exact[:-1])
    objective = Objective(problem)
    starts = objective.score(np.eye(2))
    found = [
        average_separators(
            objective, starts, beta, 10**6, np.random.default_rng(seed), of_several=of_several
        ).separator
        for seed in range(4)
    ]
    direction = np.mean([one.direction for one in found], axis=0)
    assert direction @ exact[:-1] / np.linalg.norm(direction) > 0.999
    assert np.mean([one.intercept for one in found]) == pytest.approx(exact[-1], abs=0.02)
    assert found[0].score == pytest.approx(
        float(
            problem.importance @ (problem.signs * (X @ found[0].direction + found[0].intercept) > 0)
        )
    )


def test_a_pair_of_several_classes_may_lie_far_from_the_origin():
    # as two small classes do beside a large one
    def samples(m, rng):
        X = rng.standard_normal((2 * m, 6))
        X[:, 0] += 2.0
        X[m:, 0] += 1.5
        return X

    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, X_test = samples(12, rng), samples(2000, rng)
        objective = Objective(make_problem(np.ascontiguousarray(X.T), 12, None, "balanced"))
        starts = objective.score(np.eye(6)[:2])
        shares = []
        for of_several in (False, True):
            found = average_separators(
                objective, starts, None, 50, np.random.default_rng(0), of_several=of_several
            ).separator
            positive = X_test @ found.direction + found.intercept > 0
            shares.append(np.mean(positive == (np.arange(4000) >= 2000)))
        gains.append(shares[1] - shares[0])
    assert min(gains) > 0
    assert np.mean(gains) > 0.03


def test_pairs_of_more_than_two_classes_are_such_pairs(monkeypatch):
    asked = []

    def recorded(*arguments):
        asked.append(arguments[-1])
        return average_separators(*arguments)

    monkeypatch.setattr("optimargin.binary.average_separators", recorded)
    X, y = load_iris(return_X_y=True)
    average().fit(X, y)
    average().fit(X[y > 0], y[y > 0])
    assert asked == [True, True, True, False]


def test_an_inverse_temperature_is_taken_and_reported(hard, fitted):
    assert fitted.inverse_temperature_.shape == (1,)
    assert fitted.inverse_temperature_[0] > 0
    agree = []
    for beta in (0.5, 20.0, 400.0):
        model = average(inverse_temperature=beta).fit(*hard)
        assert model.inverse_temperature_.tolist() == [beta]
        votes = votes_of(model, hard[0])[0]
        agree.append(np.abs(votes - 0.5).mean())
    # the colder, the more of one mind
    assert agree == sorted(agree)
    assert agree[0] < 0.15
    assert agree[-1] > 0.35


def test_the_best_score_met_never_falls(fitted, fitted_wine):
    for model in (fitted, fitted_wine):
        for history, sweeps in zip(model.history_, model.n_iter_, strict=True):
            assert history["score"].size == history["evaluations"].size == sweeps
            assert np.all(np.diff(history["score"]) >= 0)
            assert np.all(np.diff(history["evaluations"]) > 0)
            assert np.all(np.isnan(history["sigma"]))


def test_agreement_is_a_share(hard, fitted, fitted_wine):
    assert np.all((fitted.agreement_ > 0.5) & (fitted.agreement_ <= 1))
    assert fitted_wine.agreement_.shape == (3,)
    assert average(start="lda").fit(*hard).agreement_.tolist() == [1.0]


def test_chains_that_stay_with_their_starts_are_reported():
    # the classes lie in opposite corners; every cut of one corner is as good as any other
    rng = np.random.default_rng(0)
    corners = np.repeat([[-3.0, 3.0], [3.0, -3.0], [-3.0, -3.0], [3.0, 3.0]], 50, axis=0)
    X = corners + 0.1 * rng.standard_normal((200, 2))
    y = np.repeat([0, 1], 100)
    settings = {"scaling": None, "inverse_temperature": 2000.0}
    apart = average(start=[[1.0, 1.0], [1.0, -1.0]], **settings).fit(X, y)
    assert apart.agreement_[0] == pytest.approx(0.5, abs=0.1)
    alike = average(start=[[1.0, 1.0], [1.0, 1.1]], **settings).fit(X, y)
    assert alike.agreement_[0] == 1.0


# Confidence


def votes_of(model, X):
    """Share of the kept separators of each pair that vote for its second class."""
    return [(X @ kept[:, :-1].T + kept[:, -1] > 0).mean(axis=1) for kept in model.separators_]


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_follow_the_votes(seed):
    # classes that overlap along one direction, so that the votes change sign at one place
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((150, 5))
    y = X @ [2.0, 1.0, 1.0, 0.0, 0.0] + 1.5 * rng.standard_normal(150) > 0
    model = average().fit(X, y)
    votes = votes_of(model, X)[0]
    shares = model.predict_proba(X)[:, 1]
    assert np.abs(shares - votes).mean() < 0.1
    assert np.corrcoef(shares, votes)[0, 1] > 0.97
    # nearly all that most of the separators call positive is called positive
    assert np.mean((votes > 0.5) == model.predict(X)) > 0.95
    distances = model.decision_function(X)
    exact = 1 / (1 + np.exp(-model.vote_slope_[0] * distances))
    np.testing.assert_allclose(shares, exact, atol=1e-5)


@pytest.mark.parametrize("data", ["two_classes", "three_classes"])
def test_probabilities_are_probabilities(hard, wine, fitted, fitted_wine, data):
    model, X = (fitted, hard[0]) if data == "two_classes" else (fitted_wine, wine[0])
    far = np.vstack([X, X * 1e6, -X * 1e6])
    shares = model.predict_proba(far)
    assert shares.shape == (len(far), len(model.classes_))
    assert np.all((shares > 0) & (shares < 1))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(far))


def test_only_averages_have_probabilities(hard):
    best = OptimalMarginClassifier(random_state=0, max_generations=1, patience=1)
    assert not hasattr(best, "predict_proba")
    assert hasattr(average(), "predict_proba")
    with pytest.raises(NotFittedError):
        average().predict_proba(hard[0])
    refitted = average().fit(*hard).set_params(separator="best").fit(*hard)
    assert [name for name in OF_AVERAGES if hasattr(refitted, name)] == []


def test_one_feature():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, 3:], y[50:]
    model = average().fit(X, y)
    cut = -model.intercept_[0] / model.coef_[0, 0]
    cuts = -model.separators_[0][:, 1] / model.separators_[0][:, 0]
    assert np.quantile(cuts, 0.1) < cut < np.quantile(cuts, 0.9)
    best = OptimalMarginClassifier(random_state=0).fit(X, y)
    assert model.score_[0] > best.score_[0] - 0.02
    shares = model.predict_proba(np.linspace(1, 3, 50)[:, None])[:, 1]
    assert np.all(np.diff(shares) > 0)


def test_a_class_that_costs_nothing(hard):
    X, y = hard
    model = average(class_weight={0: 1.0, 1: 0.0}, inverse_temperature=7.0).fit(X, y)
    assert model.predict(X).tolist() == [0] * len(y)
    assert len(model.separators_[0]) == 1
    np.testing.assert_allclose(
        model.separators_[0][0], np.append(model.coef_[0], model.intercept_[0])
    )
    assert model.inverse_temperature_.tolist() == [7.0]
    assert model.agreement_.tolist() == [1.0]
    assert np.all(model.predict_proba(X)[:, 0] > 0.5)


# More than two classes, weights, time


def test_three_classes_are_three_averages(wine, fitted_wine):
    X, y = wine
    assert fitted_wine.coef_.shape == (3, 13)
    assert len(fitted_wine.separators_) == 3
    for name in OF_AVERAGES[1:]:
        assert getattr(fitted_wine, name).shape == (3,)
    assert cross_val_score(average(), X, y, cv=3).mean() > 0.93


def test_a_sample_of_weight_two_counts_like_one_given_twice(hard):
    X, y = hard
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = average().fit(X, y, sample_weight=weights)
    kept = np.repeat(np.arange(len(y)), weights)
    repeated = average().fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.inverse_temperature_, repeated.inverse_temperature_)
    # other draws, perhaps, of the same distribution
    assert np.mean(weighted.predict(X) == repeated.predict(X)) > 0.95
    difference = np.abs(weighted.predict_proba(X) - repeated.predict_proba(X))
    assert difference.mean() < 0.05
    assert weighted.score_[0] == pytest.approx(repeated.score_[0], abs=0.03)


def test_a_part_of_the_samples_keeps_the_units_of_their_weights():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2, 900))
    weights = rng.uniform(1.0, 9.0, 900)
    for scale in (1.0, 100.0):
        whole = make_problem(X, 300, scale * weights, "balanced")
        part = whole.subsample(400, np.random.default_rng(0))
        assert part.features.flags.c_contiguous  # one row a feature, as the kernels read them
        assert part.n_negative == part.n_samples - part.n_negative == 200
        expected = scale * np.array([200 * weights[:300].mean(), 200 * weights[300:].mean()])
        np.testing.assert_allclose(part.class_totals, expected, rtol=0.05)


def test_time_is_kept(hard):
    X, y = make_classification(40_000, 40, random_state=0)
    for max_time in (1e-9, 0.2):
        took = []
        for _ in range(10):  # another process may hold the processor for a moment
            began = time.perf_counter()
            model = average(max_time=max_time, start=np.eye(40)[:6]).fit(X, y)
            took.append(time.perf_counter() - began)
            if took[-1] < max_time + 0.3:
                break
        assert model.stop_reason_ == ["time"]
        assert min(took) < max_time + 0.3
        assert np.all(np.isfinite(model.coef_))
        assert model.predict_proba(X).shape == (40_000, 2)
    assert average().fit(*hard).stop_reason_ == ["budget"]


# What it is for


def test_averages_generalise_better_where_classes_overlap():
    found = {"best": [], "average": []}
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((1200, 8))
        y = (X @ rng.standard_normal(8) + 2.5 * rng.standard_normal(1200) > 0).astype(int)
        for separator, scores in found.items():
            model = OptimalMarginClassifier(separator=separator, random_state=0)
            model.fit(X[:100], y[:100])
            scores.append(balanced_accuracy_score(y[100:], model.predict(X[100:])))
    assert np.mean(found["average"]) > np.mean(found["best"]) + 0.01


# Refusals, and company


def test_what_cannot_be_averaged_is_refused(hard):
    X, y = hard
    with pytest.raises(ValueError, match=r"not available with l1 > 0.*use separator=\"best\""):
        average(l1=0.1).fit(X, y)
    with pytest.raises(ValueError, match="nor for sparse data"):
        average().fit(sparse.csr_array(X), y)
    for settings in (
        {"inverse_temperature": 0},
        {"inverse_temperature": -1.0},
        {"inverse_temperature": "cold"},
        {"n_separators": 0},
        {"separator": "mean"},
    ):
        (name,) = settings
        with pytest.raises(ValueError, match=f"The '{name}' parameter"):
            average(**settings).fit(X, y)


def test_copies(hard, fitted):
    X, _ = hard
    again = pickle.loads(pickle.dumps(fitted))
    assert_identical(fitted, again)
    np.testing.assert_array_equal(fitted.predict_proba(X), again.predict_proba(X))
    bare = clone(fitted)
    assert bare.get_params() == fitted.get_params()
    assert not any(hasattr(bare, name) for name in OF_AVERAGES)


def test_feature_names(hard, fitted):
    X, y = hard
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = average().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcde")
    np.testing.assert_array_equal(model.coef_, fitted.coef_)
    np.testing.assert_allclose(model.predict_proba(frame), fitted.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        model.predict_proba(frame[list("edcba")])


def test_an_error_bound_of_an_average(hard, fitted):
    bound = fitted.error_bound(*hard)
    assert bound.training_error < bound.balanced_error <= 1.0


# The default


@pytest.mark.parametrize(
    ("settings", "averaged"),
    [
        ({}, True),
        ({"scaling": "whiten"}, True),
        ({"scaling": None}, False),
        ({"l1": 0.01}, False),
        ({"start": "logistic"}, False),
        ({"start": [[1.0] * 5]}, False),
        ({"optimizer": "cma_es", "max_generations": 2}, False),
        ({"separator": "best"}, False),
        ({"separator": "average", "scaling": None}, True),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_auto_means(hard, settings, averaged):
    model = OptimalMarginClassifier(random_state=0, **settings)
    assert hasattr(model, "predict_proba") == (settings.get("separator") == "average")
    model.fit(*hard)
    assert hasattr(model, "separators_") == hasattr(model, "predict_proba") == averaged


def test_auto_takes_the_best_separator_of_sparse_data(hard):
    X, y = hard
    auto = OptimalMarginClassifier(random_state=0).fit(sparse.csr_array(X), y)
    best = OptimalMarginClassifier(separator="best", random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(auto.coef_, best.coef_)
    assert not hasattr(auto, "separators_")


def test_weights_that_add_up_to_one_count_the_samples_all_the_same(hard):
    X, y = hard
    weights = np.random.default_rng(0).uniform(0.5, 1.0, len(y))
    scaled = average().fit(X, y, weights / weights.sum())
    # by the sum of the weights each class would be worth half a sample
    assert scaled.inverse_temperature_[0] > 10 * np.sqrt(min(np.bincount(y)))


def test_what_classes_are_worth():
    X = np.zeros((1, 6))
    counted = make_problem(X, 2, None, "balanced")
    assert counted.class_sizes == pytest.approx((2, 4))
    repeated = make_problem(X, 2, np.array([1.0, 3.0, 1.0, 1.0, 2.0, 5.0]), "balanced")
    assert repeated.class_sizes == pytest.approx((4, 9))
    shares = make_problem(X, 2, np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.2]), "balanced")
    assert shares.class_sizes == pytest.approx((2, 4))
    uneven = make_problem(X, 2, np.array([0.01, 0.1, 0.2, 0.1, 0.1, 0.1]), "balanced")
    assert 1 < uneven.class_sizes[0] < 2
    assert 3 < uneven.class_sizes[1] < 4
