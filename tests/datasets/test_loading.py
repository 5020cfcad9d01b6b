"""Where the benchmark sets come from, and what is checked on the way."""

import gzip

import numpy as np
import pytest

from optimargin.datasets import DESCRIPTIONS, DatasetNotFoundError, describe, load, loading, openml
from optimargin.datasets.loading import duplicate_groups, values_checksum


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder, an empty cache, no network."""
    monkeypatch.delenv("OPTIMARGIN_DATA", raising=False)
    monkeypatch.setenv("OPTIMARGIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(openml, "fetch", lambda description: None)
    return tmp_path


def write_iris(folder, change=None):
    record = loading._from_scikit_learn(describe("IR"))
    table = np.column_stack([record.X, record.y])
    if change is not None:
        change(table)
    folder.mkdir(exist_ok=True)
    lines = ["a,b,c,d,y", *(",".join(f"{value:g}" for value in row) for row in table)]
    (folder / "IR.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))


def test_nineteen_sets_in_the_papers_order():
    assert " ".join(DESCRIPTIONS) == "BC CG GC PR IS PD GR VT MD HV HN SR IR IW TF YD RQ WQ HD"
    disagreeing = [name for name, entry in DESCRIPTIONS.items() if not entry.agrees_with_paper]
    assert disagreeing == ["IS", "VT", "HV"]


def test_names_are_forgiving_and_unknown_ones_are_named():
    assert describe("ww").name == "WQ"
    with pytest.raises(ValueError, match=r"no data set 'XX'.*BC, CG"):
        describe("XX")


@pytest.mark.parametrize("name", ["IR", "IW"])
def test_bundled_sets_are_the_same_values(nowhere, name):
    record = load(name)
    assert record.source == "scikit-learn"
    assert values_checksum(record.X, record.y) == describe(name).checksum
    assert not record.X.flags.writeable
    assert not record.y.flags.writeable


def test_folder_argument_comes_before_the_environment(nowhere, monkeypatch):
    write_iris(nowhere / "one", lambda table: table.__setitem__((0, 0), 42.0))
    write_iris(nowhere / "two")
    monkeypatch.setenv("OPTIMARGIN_DATA", str(nowhere / "two"))
    assert load("IR", nowhere / "one").X[0, 0] == 42.0
    record = load("IR")
    assert record.X[0, 0] == 5.1
    assert record.feature_names == ("a", "b", "c", "d")
    assert str(nowhere / "two") in record.source


def test_missing_folder_and_wrong_file_are_explained(nowhere):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        load("IR", nowhere / "absent")
    write_iris(nowhere / "bad", lambda table: table.__setitem__((0, 4), 2.0))
    with pytest.raises(ValueError, match=r"not the data set IR.*expected.*found"):
        load("IR", nowhere / "bad")


def test_not_a_number_is_located(nowhere):
    write_iris(nowhere / "holes", lambda table: table.__setitem__((3, 1), np.nan))
    with pytest.raises(ValueError, match="row 4, feature 2"):
        load("IR", nowhere / "holes")


def test_error_names_the_three_ways(nowhere):
    with pytest.raises(DatasetNotFoundError) as caught:
        load("BC")
    message = str(caught.value)
    assert "OPTIMARGIN_DATA" in message
    assert str(nowhere / "cache") in message
    assert "OpenML (id 15)" in message
    with pytest.raises(DatasetNotFoundError, match="no copy known to be the same"):
        load("SR")


def test_openml_is_checked_and_cached(nowhere, monkeypatch):
    iris = loading._from_scikit_learn(describe("IR"))
    description = DESCRIPTIONS["IR"].__class__(
        **{**vars(DESCRIPTIONS["IR"]), "name": "QQ", "openml_id": 61}
    )
    monkeypatch.setitem(DESCRIPTIONS, "QQ", description)
    words = np.array(["a", "b", "c"])[iris.y]
    shuffled = np.random.default_rng(0).permutation(150)
    bunch = {
        "data": iris.X[shuffled],
        "target": words[shuffled],
        "feature_names": iris.feature_names,
    }
    asked = []

    def fetcher(**options):
        asked.append(options["data_id"])
        return bunch

    monkeypatch.setattr(openml, "fetch", lambda entry: FETCH(entry, fetcher))
    assert load("QQ").source == "OpenML 61"
    assert str(nowhere / "cache") in load("QQ").source
    assert asked == [61]
    bunch["data"] = iris.X[shuffled] + 0.1
    with pytest.raises(ValueError, match="does not hold the values"):
        FETCH(description, fetcher)


FETCH = openml.fetch


def test_without_network_openml_is_passed_over():
    def fetcher(**options):
        raise OSError("no route")

    assert openml.fetch(describe("BC"), fetcher) is None


def test_two_classes_in_either_order_of_labels():
    X = np.array([[0.0], [1.0], [2.0]])
    y = np.array([1, 0, 0])
    description = DESCRIPTIONS["CG"].__class__(
        "QQ", "", 1, (0, 1), (2, 1), "", 1, (2, 1), values_checksum(X, y), openml_id=1
    )
    bunch = {"data": X, "target": np.array(["1", "2", "2"]), "feature_names": ["x"]}
    _, labels, _ = openml.fetch(description, lambda **options: bunch)
    assert labels.tolist() == [1, 0, 0]


def test_groups_are_equal_rows():
    X = np.array([[3.0, 1.0], [2.0, 2.0], [3.0, 1.0], [0.0, 0.0]])
    assert duplicate_groups(X).tolist() == [0, 1, 0, 2]


def test_checksum_ignores_the_order_of_rows_only():
    X = np.arange(6.0).reshape(3, 2)
    y = np.array([0, 1, 1])
    order = [2, 0, 1]
    assert values_checksum(X, y) == values_checksum(X[order], y[order])
    assert values_checksum(X, y) != values_checksum(X, y[order])
