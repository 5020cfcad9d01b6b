"""Splits: shares, groups, nested shares, and seeds that come from names."""

import numpy as np
import pytest

from optimargin.experiments.splits import Grouped, Imbalanced, Stratified, Whole, seed_of


@pytest.fixture
def y():
    return np.repeat([0, 1, 2, 3], [100, 50, 5, 1])


def test_stratified_takes_the_share_of_every_class(y):
    train, test = Stratified(0.7).rows(y, None, np.random.default_rng(0))
    assert np.bincount(y[train]).tolist() == [70, 35, 4, 1]
    assert sorted([*train, *test]) == list(range(y.size))
    assert (np.diff(train) > 0).mean() < 0.7  # In random order, not by class.


def test_small_classes_are_on_both_sides():
    y = np.repeat([0, 1], [20, 2])
    for seed in range(5):
        train, test = Stratified(0.7).rows(y, None, np.random.default_rng(seed))
        assert (y[train] == 1).sum() == (y[test] == 1).sum() == 1


def test_groups_stay_together():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 60, 500)
    y = (groups % 3 == 0).astype(int)
    shares = []
    for seed in range(20):
        train, test = Grouped(0.7).rows(y, groups, np.random.default_rng(seed))
        assert not set(groups[train]) & set(groups[test])
        assert train.size + test.size == 500
        shares.append([np.mean(np.isin(np.flatnonzero(y == k), train)) for k in (0, 1)])
    np.testing.assert_allclose(np.mean(shares, axis=0), 0.7, atol=0.03)


def test_groups_that_leave_nothing_to_test_are_refused():
    with pytest.raises(ValueError, match="at least two groups"):
        Grouped().rows(np.zeros(4, int), np.zeros(4, int), np.random.default_rng(0))
    with pytest.raises(ValueError, match="none were given"):
        Grouped().rows(np.zeros(4, int), None, np.random.default_rng(0))


def test_imbalanced_shares_are_nested_and_test_the_same_rows():
    y = np.repeat([0, 1], [100, 100])
    previous = set()
    for share in (0.05, 0.3, 0.7):
        rule = Imbalanced(share)
        seed = seed_of("data", rule.seed_name, 0)
        train, test = rule.rows(y, None, np.random.default_rng(seed))
        positive = set(train[y[train] == 1])
        assert len(positive) == round(100 * share)
        assert (y[train] == 0).sum() == 70
        assert previous <= positive
        previous = positive
        tested = set(test)
        assert np.bincount(y[test]).tolist() == [30, 30]
        assert not tested & set(train)
    rng = np.random.default_rng(seed)
    assert tested == set(Imbalanced(0.5).rows(y, None, rng)[1])


def test_whole_is_everything_twice(y):
    train, test = Whole().rows(y, None, np.random.default_rng(0))
    np.testing.assert_array_equal(train, np.arange(y.size))
    np.testing.assert_array_equal(test, train)


def test_seeds_are_the_same_on_every_machine():
    assert seed_of("split", "BC", 3) == 4017972294
    assert seed_of("ab", "c") != seed_of("a", "bc")
