"""Shares of votes: the slope that predicts them, and what joins the pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from optimargin.confidence import join_shares, pair_shares, vote_slope
from optimargin.one_vs_one import vote
from optimargin.training import class_pairs


def test_slope_of_votes_that_follow_one():
    values = np.linspace(-2, 2, 41)
    importance = np.full(41, 1 / 41)
    voters = 10**7
    votes = np.round(voters * expit(1.7 * values))
    assert vote_slope(values, votes, voters, importance) == pytest.approx(1.7, rel=1e-4)
    # as surely as can be: all of one mind on either side
    one_mind = vote_slope(values, voters * (values > 0), voters, importance)
    assert 10 < one_mind < np.inf


@pytest.mark.parametrize("voters", [1, 10, 100])
def test_slope_is_that_of_a_logistic_regression_on_the_votes(voters):
    rng = np.random.default_rng(voters)
    values, importance = rng.standard_normal(30), rng.random(30)
    votes = rng.binomial(voters, expit(2 * values))
    # every sample once positive and once negative, by its votes
    model = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10, max_iter=1000).fit(
        np.tile(values, 2)[:, None],
        np.repeat([1, 0], 30),
        sample_weight=np.concatenate([importance * (votes + 1), importance * (voters - votes + 1)]),
    )
    found = vote_slope(values, votes, voters, importance)
    assert found == pytest.approx(model.coef_[0, 0], rel=1e-3)
    # in other units of distance it is the same slope
    assert vote_slope(1e6 * values, votes, voters, importance) == pytest.approx(found / 1e6)


def test_slope_is_never_negative():
    values = np.array([-1.0, 1.0])
    importance = np.array([0.5, 0.5])
    assert vote_slope(values, np.array([9, 1]), 10, importance) == 0.0
    assert vote_slope(np.zeros(2), np.array([3, 4]), 10, importance) == 0.0


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20),
    st.floats(0, 1e6),
)
@settings(max_examples=100, deadline=None)
def test_shares_are_never_certain_and_rise_with_the_distance(distances, slope):
    distances = np.sort(np.array(distances))[:, None]
    shares = pair_shares(distances, np.array([slope]))[:, 0]
    assert np.all((shares > 0) & (shares < 1))
    assert np.all(np.diff(shares) >= 0)
    np.testing.assert_allclose(shares + pair_shares(-distances, np.array([slope]))[:, 0], 1.0)


@st.composite
def pairs_of_classes(draw):
    n_classes = draw(st.integers(2, 5))
    n_pairs = len(class_pairs(n_classes))
    distance = draw(
        st.sampled_from([st.floats(-3, 3), st.integers(-1, 1).map(float), st.just(1e-30)])
    )
    rows = draw(
        st.lists(st.lists(distance, min_size=n_pairs, max_size=n_pairs), min_size=1, max_size=6)
    )
    slopes = draw(st.lists(st.sampled_from([0.0, 1.0, 30.0]), min_size=n_pairs, max_size=n_pairs))
    return n_classes, np.array(rows), np.array(slopes)


def winners(distances, n_classes):
    """What the classifier predicts."""
    if n_classes == 2:
        return (distances[:, 0] > 0).astype(np.intp)
    return vote(distances, n_classes).argmax(axis=1)


@given(pairs_of_classes())
@settings(max_examples=300, deadline=None)
def test_joined_shares_add_up_and_agree_with_the_prediction(problem):
    n_classes, distances, slopes = problem
    shares = pair_shares(distances, slopes)
    predicted = winners(distances, n_classes)
    joined = join_shares(shares, n_classes, predicted)
    assert joined.shape == (len(distances), n_classes)
    assert np.all((joined > 0) & (joined < 1))
    np.testing.assert_allclose(joined.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(joined.argmax(axis=1), predicted)
    # the mean share of a class's pairs, the prediction's and the greatest exchanged
    plain = np.zeros_like(joined)
    for column, (i, j) in enumerate(class_pairs(n_classes)):
        plain[:, j] += shares[:, column]
        plain[:, i] += 1 - shares[:, column]
    plain /= len(class_pairs(n_classes))
    np.testing.assert_allclose(np.sort(joined, axis=1), np.sort(plain, axis=1), atol=1e-6)


def test_two_classes_share_what_there_is():
    shares = np.array([[0.2], [0.9]])
    joined = join_shares(shares, 2, np.array([0, 1]))
    np.testing.assert_allclose(joined, [[0.8, 0.2], [0.1, 0.9]])
