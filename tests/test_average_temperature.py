"""Which temperature an average takes, and the estimate that it goes by."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from optimargin import OptimalMarginClassifier
from optimargin.average import TEMPERATURE_FACTOR
from optimargin.leave_one_out import wrong_without_itself
from optimargin.lines import Lines
from optimargin.problem import make_problem


def average(**settings):
    return OptimalMarginClassifier(separator="average", random_state=0, **settings)


def axis_aligned(m=3000, n=20, rare=0.04, seed=0):
    """Separable by two of many features, one class rare: a warm chain spreads too far."""
    X = np.random.default_rng(seed).standard_normal((m, n))
    along = X[:, 0] + 0.5 * X[:, 1]
    return X, (along > np.quantile(along, 1 - rare)).astype(int)


def test_nearly_separable_classes_are_averaged_at_a_colder_temperature():
    X, y = axis_aligned()
    X_test, y_test = axis_aligned(seed=1)
    usual = TEMPERATURE_FACTOR * np.sqrt(min(np.bincount(y)))
    warm = average(inverse_temperature=usual).fit(X, y)
    auto = average().fit(X, y)
    assert auto.inverse_temperature_[0] / usual in (pytest.approx(3.0), pytest.approx(9.0))
    scores = [balanced_accuracy_score(y_test, one.predict(X_test)) for one in (warm, auto)]
    assert scores[1] > scores[0] + 0.01


def test_where_classes_overlap_the_warm_temperature_stays():
    usual, colder = TEMPERATURE_FACTOR * np.sqrt(100), 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((200, 5)), np.arange(200) % 2
        X[y == 1] += 0.4
        colder += average().fit(X, y).inverse_temperature_[0] > 1.01 * usual
    assert colder <= 2  # three standard errors, but of few errors


def draws_of(X, n_negative, beta, seed):
    """Of the distribution in which every sample weighs alike."""
    problem = make_problem(np.ascontiguousarray(X.T), n_negative, None, (1.0, 1.0))
    lines = Lines(problem, whiten=False)
    orders = np.tile(np.arange(X.shape[1] + 1), (6000, 1))
    start = lines.state(np.ones(X.shape[1]), 0.0)
    drawn, _, _ = lines.sample(start, orders, np.random.default_rng(seed), beta)
    return problem, drawn[200:]


def test_votes_without_a_sample_are_those_of_draws_without_it():
    X = np.random.default_rng(0).standard_normal((24, 2))
    X[12:] += 1.0
    beta = 12.0
    problem, draws = draws_of(X, 12, beta, 0)
    estimated = wrong_without_itself(problem, draws, beta)
    clear = 0
    for i in range(24):
        kept = np.arange(24) != i
        # the others keep what they weigh: one in 24 of beta each
        _, others = draws_of(X[kept], 12 - (i < 12), beta * 23 / 24, 1 + i)
        wrong = np.mean((others[:, :-1] @ X[i] + others[:, -1] > 0) != (i >= 12))
        if abs(wrong - 0.5) > 0.05:
            clear += 1
            assert estimated[i] == (wrong > 0.5)
    assert clear > 12
