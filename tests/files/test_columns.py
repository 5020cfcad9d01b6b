"""What columns are taken for, and what the pipeline makes of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from optimargin.files import FileError, sort_columns, table_pipeline
from optimargin.files.columns import MOST_CATEGORIES, input_names, labels_of


def text(*values):
    return pd.Series(values, dtype=object)


def test_kinds_of_columns():
    frame = pd.DataFrame(
        {
            "age": [1.0, np.nan, 3.0],
            "flag": [True, False, True],
            "city": text("Bonn", None, "Rome"),
            "code": [1, 2, 1],
            "empty": [np.nan] * 3,
        }
    )
    columns = sort_columns(frame, "t", categorical=["code"])
    assert columns.numeric == ("age", "flag")
    assert columns.categorical == ("city", "code")
    assert columns.left_out == {"empty": "no values"}
    assert columns.missing == {"age": 1, "city": 1}


def test_names_and_identifiers_are_left_out_unless_asked_for():
    names = text(*(f"person {number}" for number in range(120)))
    frame = pd.DataFrame({"name": names, "x": np.arange(120.0)})
    assert sort_columns(frame, "t").left_out == {"name": "120 different texts in 120 rows"}
    assert sort_columns(frame, "t", categorical=["name"]).categorical == ("name",)


def test_a_table_without_features_is_refused():
    with pytest.raises(FileError, match=r"no column to learn from \('a': no values\)"):
        sort_columns(pd.DataFrame({"a": [np.nan, np.nan]}), "t")
    with pytest.raises(FileError, match="only the target"):
        sort_columns(pd.DataFrame(index=range(3)), "t")


def test_pipeline_fills_encodes_and_names():
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0], "c": text("red", "blue", "red", None)})
    columns = sort_columns(frame, "t")
    pipeline = table_pipeline(columns, LogisticRegression())
    pipeline.fit(columns.select(frame, "t"), [0, 1, 0, 1])
    assert input_names(pipeline) == ["x", "c = (missing)", "c = blue", "c = red"]
    encoder = pipeline.named_steps["columns"]
    np.testing.assert_array_equal(
        encoder.transform(columns.select(frame, "t")),
        [[1, 0, 0, 1], [2, 0, 1, 0], [2, 0, 0, 1], [4, 1, 0, 0]],
    )
    unseen = pd.DataFrame({"x": text("7", None), "c": text("green", "red")})
    np.testing.assert_array_equal(
        encoder.transform(columns.select(unseen, "t")), [[7, 0, 0, 0], [2, 0, 0, 1]]
    )


def test_rare_categories_are_pooled():
    values = [f"c{number:03}" for number in range(MOST_CATEGORIES + 30) for _ in range(3)]
    frame = pd.DataFrame({"c": text(*values)})
    columns = sort_columns(frame, "t")
    pipeline = table_pipeline(columns, LogisticRegression())
    pipeline.fit(columns.select(frame, "t"), np.arange(len(frame)) % 2)
    names = input_names(pipeline)
    assert len(names) == MOST_CATEGORIES
    assert names[-1] == "c = (others)"
    unseen = columns.select(pd.DataFrame({"c": text("new")}), "t")
    encoded = pipeline.named_steps["columns"].transform(unseen)
    assert encoded[0, -1] == 1
    assert encoded.sum() == 1


def test_text_and_infinity_in_a_numeric_column_are_refused():
    columns = sort_columns(pd.DataFrame({"x": [1.0, 2.0]}), "t")
    with pytest.raises(FileError, match=r"'x' of new must hold numbers.* row 2 says 'tall'"):
        columns.select(pd.DataFrame({"x": text("1", "tall")}), "new")
    with pytest.raises(FileError, match="'x' of new is infinite in row 1"):
        columns.select(pd.DataFrame({"x": [-np.inf, 1.0]}), "new")


def test_labels():
    labels, present = labels_of(pd.Series([1.0, np.nan, 0.0]), "y", "t")
    assert labels.dtype == np.int64
    assert labels.tolist() == [1, 0]
    assert present.tolist() == [True, False, True]
    labels, _ = labels_of(text("b", "a"), "y", "t")
    assert labels.tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (text(None, None), "every label is missing"),
        (text("a", "a", None), "only one class, 'a'"),
        (pd.Series([0.5, 1.0]), "fractional numbers such as 0.5"),
        (text(*map(str, range(10_000))), "10,000 different values in 10,000 rows"),
    ],
)
def test_what_is_no_target(values, message):
    with pytest.raises(FileError, match=message):
        labels_of(values, "y", "t")
