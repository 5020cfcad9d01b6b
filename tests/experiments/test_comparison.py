"""Comparisons: the table, the sentence, the report."""

import numpy as np
import pytest
from pretend_methods import Failing, Nothing
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from optimargin.experiments import compare


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [90, 60])
    return rng.standard_normal((150, 3)) + 1.5 * (y == "yes")[:, None], y


@pytest.fixture(scope="module")
def result(data):
    methods = {
        "lr": "lr",
        "same": LogisticRegression(max_iter=2000),
        "nothing": Nothing(),
        "failing": Failing(),
    }
    return compare(*data, methods=methods, splits=6, noise=[0, 0.2], jobs=2, name="toy")


def test_table_has_every_method_and_both_marks(result):
    table = result.table()
    rows = {row[0].text: row for row in table.rows}
    assert list(rows) == ["lr", "same", "nothing", "failing"]
    assert rows["lr"][1].strong
    assert rows["nothing"][1].text == "50.0"
    assert rows["nothing"][3].text.endswith("**")
    assert rows["nothing"][3].value < -0.2
    assert rows["same"][3].text == "0.0"
    assert rows["failing"][1].text == "-"
    assert table.columns[6] == "ROC AUC"
    assert any("failing: 6 failed. ValueError" in note for note in table.notes)


def test_sentence_in_plain_words(result):
    clean, noisy = (result.conclusion(noise.name) for noise in result.noises)
    assert clean.startswith("On these data, lr is significantly better than nothing (by ")
    assert "no difference between lr and same could be shown" in clean
    assert "No statement on failing: too few results." in clean
    assert noisy.startswith("On these data with 20 % noise (replace), lr is")
    assert str(result).count("On these data") == 2


def test_better_is_said_of_the_other_one(data):
    found = compare(*data, methods={"nothing": Nothing(), "lr": "lr"}, splits=4)
    assert "nothing is significantly worse than lr (by" in found.conclusion()
    single = compare(*data, methods=["lr"], splits=2)
    assert "nothing to compare with" in single.conclusion()
    broken = compare(*data, methods={"failing": Failing(), "lr": "lr"}, splits=2)
    assert broken.conclusion().startswith("failing has no result")


def test_report_and_cells(result, tmp_path):
    page = result.report(tmp_path / "report.html").read_text()
    assert "Comparison on toy" in page
    assert page.count("<svg") == 4
    assert "scikit-learn" in page
    result.to_csv(tmp_path / "cells.csv")
    assert len((tmp_path / "cells.csv").read_text().splitlines()) == 1 + 2 * 6 * 4


def test_store_is_resumed(data, tmp_path):
    store = tmp_path / "s.sqlite"
    first = compare(*data, methods=["lr", "lda"], splits=3, store=store)
    second = compare(*data, methods=["lr", "lda", "svm"], splits=3, store=store)
    assert (first.run.computed, second.run.computed, second.run.found) == (6, 3, 6)
    other = compare(data[0] + 1, data[1], methods=["lr"], splits=3, store=store)
    assert other.run.computed == 3


def test_groups_and_more_than_two_classes():
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 2)) + 2 * np.column_stack([y == 0, y == 1])
    found = compare(X, y, methods=["lda", "svm"], splits=3, groups=np.arange(90) // 6)
    assert found.rule.name == "grouped(train=0.7)"
    assert found.table().columns[6] == "F1"
    assert all(row[1].value > 0.6 for row in found.table().rows)


def test_methods_of_a_script_without_a_main_guard(data):
    class Own(LinearDiscriminantAnalysis):
        """Defined where no other process can import it."""

    Own.__module__ = "__main__"
    found = compare(*data, methods={"own": Own(), "lda": "lda-plain"}, splits=2)
    assert found.table().rows[0][1].text == found.table().rows[1][1].text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": 0}, "splits must be at least 1"),
        ({"train": 1.0}, "between 0 and 1"),
        ({"noise": 1.5}, "must lie in"),
        ({"noise": 0.1, "noise_kind": "salt"}, "no noise 'salt'"),
        ({"methods": "nonsense"}, "no method 'nonsense'"),
    ],
)
def test_mistakes_are_told(data, options, message):
    with pytest.raises(ValueError, match=message):
        compare(*data, **options)
