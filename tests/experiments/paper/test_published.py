"""The transcription, against entries checked by hand and the paper's own counts."""

import pytest

from optimargin.experiments.methods import METHODS
from optimargin.experiments.paper.published import published_counts, published_values


@pytest.mark.parametrize(
    ("key", "value", "mark"),
    [
        (("binary", "BC", "0", "oec-cmaes", "train"), 98.42, ""),
        (("binary", "BC", "0", "smp", "test"), 97.24, "-"),
        (("binary", "CG", "0", "wsv", "test"), 96.52, "+"),
        (("binary", "HV", "0", "oec-cmaes", "test"), 92.66, ""),
        (("binary", "HV", "0", "oec-cmaes", "seconds"), 1.3, ""),
        (("binary", "MD", "0", "svm", "seconds"), 28.4, ""),
        (("binary", "MD", "0", "wsv", "seconds"), 0.0439, ""),
        (("binary", "SR", "0", "wsv", "train"), 74.14, "-"),
        (("binary", "SR", "0.15", "del", "test"), 41.45, "*"),
        (("binary", "MD", "0.15", "svm", "train"), 79.28, "-"),
        (("multiclass", "IW", "0", "svm", "train"), 100.0, "-"),
        (("multiclass", "YD", "0", "svm", "test"), 78.33, "+"),
        (("multiclass", "HD", "0", "oec-cmaes", "test"), 94.99, ""),
        (("near-optimal", "PD", "0", "svm-tuned", "seconds"), 44.5, "*"),
        (("near-optimal", "IS", "0", "sla", "test"), 83.53, "+"),
        (("near-optimal", "BC", "0", "oec-cmaes", "seconds"), 0.2, ""),
        (("outliers", "synthetic", "0", "svm", "train"), 43.6, ""),
    ],
)
def test_entries_checked_by_hand(key, value, mark):
    found = published_values()[key]
    assert found.value == pytest.approx(value)
    assert found.mark == mark


def test_everything_is_there():
    tables = [key[0] for key in published_values()]
    # 12 sets of 6 methods with times and without; 7 of 5; 6 of 3 with times; 4 of the figure.
    assert tables.count("binary") == 12 * 6 * 3 + 12 * 6 * 2
    assert tables.count("multiclass") == 7 * 5 * 2
    assert tables.count("near-optimal") == 6 * 3 * 3
    assert tables.count("outliers") == 4
    assert {key[3] for key in published_values()} <= set(METHODS)


def test_marks_add_up_to_the_printed_counts():
    values = published_values()
    for (table, noise, measure, method), printed in published_counts().items():
        marks = [
            entry.mark
            for key, entry in values.items()
            if (key[0], key[2], key[3], key[4]) == (table, noise, method, measure)
        ]
        assert (marks.count("*"), marks.count("+")) == (printed.wins, printed.losses)
