"""Tests of differences: between two methods over splits, and between many over data sets.

The tests that scipy has are scipy's; the corrected resampled t-test, Holm's correction and
Nemenyi's critical difference are short and not there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

FloatArray = NDArray[np.float64]

#: The level of every test in the tables.
LEVEL = 0.05


@dataclass(frozen=True)
class PairedTest:
    """Mean difference of two methods over the same splits, and how sure it is."""

    difference: float
    p_plain: float
    p_corrected: float
    n_splits: int


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """Mean and standard error; the error of a single value is not known (nan)."""
    array = np.asarray(values, dtype=float)
    if array.size == 0:
        return float("nan"), float("nan")
    if array.size == 1:
        return float(array[0]), float("nan")
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(array.size))


def paired_tests(first: ArrayLike, second: ArrayLike, test_per_train: float) -> PairedTest:
    """The plain paired t-test (the paper's) and the corrected one of Nadeau and Bengio (2003).

    ``test_per_train`` is the number of test rows over the number of training rows of a split.
    Splits that overlap are not independent: the corrected test takes 1/J + that ratio in place of
    1/J for the variance of the mean of J differences.

    Examples
    --------
    >>> from optimargin.experiments.statistics import paired_tests
    >>> result = paired_tests([0.9, 0.8, 0.85], [0.8, 0.75, 0.8], 3 / 7)
    >>> round(result.difference, 4), round(result.p_plain, 3), round(result.p_corrected, 3)
    (0.0667, 0.057, 0.118)
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n = differences.size
    mean = float(differences.mean()) if n else float("nan")
    if n < 2:
        return PairedTest(mean, float("nan"), float("nan"), n)
    variance = float(differences.var(ddof=1))
    return PairedTest(
        mean,
        _p_value(mean, variance / n, n - 1),
        _p_value(mean, variance * (1.0 / n + test_per_train), n - 1),
        n,
    )


def _p_value(mean: float, variance_of_mean: float, freedom: int) -> float:
    # Differences that are all the same up to rounding have no variance to speak of.
    if variance_of_mean <= (1e-12 * max(abs(mean), 1e-3)) ** 2:
        return 1.0 if abs(mean) < 1e-12 else 0.0
    # The distribution function itself: scipy.stats' wrapper of it takes fifty times as long.
    return float(2.0 * special.stdtr(freedom, -abs(mean) / np.sqrt(variance_of_mean)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for testing several differences at once; nan stays nan."""
    p = np.asarray(p_values, dtype=float)
    corrected = np.full(p.size, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return [float(value) for value in corrected]


def wilcoxon(first: ArrayLike, second: ArrayLike) -> float:
    """The p of Wilcoxon's signed-rank test over data sets; 1 when there is no difference at all."""
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    differences = np.round(differences[~np.isnan(differences)], 12)
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences).pvalue)


@dataclass(frozen=True)
class RankComparison:
    """Mean ranks of methods over data sets (1 is best), Friedman's p, Nemenyi's difference.

    Two methods whose mean ranks are less than ``critical_difference`` apart are not shown to
    differ.
    """

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    p_friedman: float
    critical_difference: float
    n_sets: int

    def cliques(self) -> list[tuple[int, int]]:
        """Largest runs of methods, by place in the order of ranks, that are not told apart."""
        order = np.sort(np.asarray(self.mean_ranks))
        runs: list[tuple[int, int]] = []
        for first in range(order.size):
            reach = order[first] + self.critical_difference
            last = int(np.searchsorted(order, reach, side="right")) - 1
            if last > first and (not runs or last > runs[-1][1]):
                runs.append((first, last))
        return runs


def compare_ranks(
    methods: Sequence[str], scores: ArrayLike, level: float = LEVEL
) -> RankComparison | None:
    """Friedman's test with Nemenyi's critical difference; rows of ``scores`` are data sets.

    Greater scores are better, ties share their mean rank. Rows with a missing score are left out;
    None when fewer than two rows or three methods remain.
    """
    if len(methods) < 3:
        return None
    table = np.asarray(scores, dtype=float).reshape(-1, len(methods))
    table = table[~np.isnan(table).any(axis=1)]
    n_sets, k = table.shape
    if n_sets < 2:
        return None
    # Scores that differ by rounding only are ties.
    ranks = stats.rankdata(-np.round(table, 10), axis=1)
    if (ranks == ranks[:, :1]).all():
        p_value = 1.0
    else:
        p_value = float(stats.friedmanchisquare(*(-np.round(table, 10)).T).pvalue)
    quantile = float(stats.studentized_range.ppf(1.0 - level, k, np.inf)) / np.sqrt(2.0)
    return RankComparison(
        tuple(methods),
        tuple(float(rank) for rank in ranks.mean(axis=0)),
        p_value,
        float(quantile * np.sqrt(k * (k + 1) / (6.0 * n_sets))),
        n_sets,
    )
