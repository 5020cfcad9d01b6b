"""Statistics against scipy, closed forms, and values worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from optimargin.experiments.statistics import (
    compare_ranks,
    holm,
    mean_and_error,
    paired_tests,
    wilcoxon,
)


@pytest.mark.parametrize("seed", range(4))
def test_plain_t_test_is_scipys(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.random(25), rng.random(25)
    found = paired_tests(first, second, 0.4)
    assert found.p_plain == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert found.difference == pytest.approx(np.mean(first - second))


def test_corrected_t_test_by_hand():
    # Differences 0.10, 0.05, 0.05: mean 1/15, variance 1/1200, three splits with test/train 3/7.
    # t = (1/15) / sqrt((1/3 + 3/7) / 1200) = 2.6458 = sqrt(7); two degrees of freedom, for which
    # p = 1 - t / sqrt(2 + t^2) = 1 - sqrt(7)/3.
    found = paired_tests([0.9, 0.8, 0.85], [0.8, 0.75, 0.8], 3 / 7)
    assert found.p_corrected == pytest.approx(1 - np.sqrt(7) / 3, rel=1e-9)
    assert found.p_plain == pytest.approx(1 - 4 / np.sqrt(18), rel=1e-9)


def test_correction_never_makes_surer():
    rng = np.random.default_rng(0)
    for _ in range(20):
        found = paired_tests(rng.random(10), rng.random(10), 3 / 7)
        assert found.p_corrected > found.p_plain
    same = paired_tests([0.1, 0.4, 0.3], [0.2, 0.2, 0.2], 0.0)
    assert same.p_corrected == same.p_plain


def test_differences_without_variance():
    assert paired_tests([0.5, 0.6], [0.5, 0.6], 0.4).p_corrected == 1.0
    assert paired_tests([0.6, 0.7], [0.5, 0.6], 0.4).p_corrected == 0.0
    single = paired_tests([0.5], [0.4], 0.4)
    assert single.difference == pytest.approx(0.1)
    assert np.isnan(single.p_plain)
    assert np.isnan(paired_tests([], [], 0.4).difference)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    found = holm([0.01, float("nan"), 0.02])
    assert found[0] == pytest.approx(0.02)
    assert np.isnan(found[1])
    assert holm([]) == []


def test_mean_and_error():
    assert mean_and_error([1.0, 2.0, 3.0]) == pytest.approx((2.0, 1 / np.sqrt(3)))
    assert np.isnan(mean_and_error([1.0])[1])
    assert np.isnan(mean_and_error([])[0])


def test_wilcoxon_is_scipys_and_allows_no_difference():
    rng = np.random.default_rng(1)
    first, second = rng.random(12), rng.random(12)
    assert wilcoxon(first, second) == pytest.approx(stats.wilcoxon(first - second).pvalue)
    assert wilcoxon([0.1, 0.2], [0.1, 0.2]) == 1.0
    assert wilcoxon([0.3, np.nan], [0.1, 0.2]) == stats.wilcoxon([0.2]).pvalue


def test_ranks_friedman_and_nemenyi():
    rng = np.random.default_rng(2)
    scores = rng.random((10, 5)) + 0.3 * np.arange(5)
    found = compare_ranks("abcde", scores)
    expected = stats.rankdata(-scores, axis=1).mean(axis=0)
    np.testing.assert_allclose(found.mean_ranks, expected)
    assert found.p_friedman == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)
    # Demsar (2006), table 5: q is 2.728 for five methods at 5 %.
    assert found.critical_difference == pytest.approx(2.728 * np.sqrt(5 * 6 / 60), abs=2e-3)


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (4, 2.569), (6, 2.850), (10, 3.164)])
def test_critical_values_of_the_literature(k, q):
    scores = np.random.default_rng(0).random((14, k))
    found = compare_ranks([str(i) for i in range(k)], scores)
    assert found.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / 84), abs=2e-3)


def test_ranks_with_ties_and_holes():
    found = compare_ranks("abc", [[0.9, 0.9, 0.1], [0.9, 0.9, 0.1], [np.nan, 1, 1]])
    assert found.mean_ranks == (1.5, 1.5, 3.0)
    assert found.n_sets == 2
    assert compare_ranks("abc", [[0.5, 0.5, 0.5]] * 3).p_friedman == 1.0
    assert compare_ranks("ab", [[0.1, 0.2]] * 5) is None
    assert compare_ranks("abc", [[0.1, 0.2, 0.3]]) is None


def test_cliques_are_the_longest_runs():
    scores = np.random.default_rng(3).random((30, 4)) + np.array([3.0, 2.95, 0.1, 0.0])
    found = compare_ranks("abcd", scores)
    assert found.cliques() == [(0, 1), (2, 3)]
