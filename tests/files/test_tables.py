"""What is read from tables, and what is refused with which words."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from optimargin.files import FileError, read_table, write_table


@pytest.fixture
def read(tmp_path):
    def from_content(content, **options):
        path = tmp_path / "table"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return from_content


def parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def test_types_of_columns(read):
    frame = read("n,x,b,t,h\n1,2.5,true,red,\n2,?,false,,\n3,,true,a b,NA\n")
    assert frame["n"].dtype == np.int64
    assert frame["x"].dtype == np.float64
    assert frame["b"].dtype == bool
    assert frame["t"].dtype == object
    np.testing.assert_array_equal(frame["x"], [2.5, np.nan, np.nan])
    assert frame["t"].tolist() == ["red", None, "a b"]
    assert frame["h"].isna().all()


def test_missing_values_make_whole_numbers_and_truth_values_float(read):
    frame = read("n,b\n1,true\n,\n3,false\n")
    np.testing.assert_array_equal(frame["n"], [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(frame["b"], [1.0, np.nan, 0.0])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_byte_order_mark_and_line_ends(read, delimiter):
    content = delimiter.join("ab") + "\r\n" + delimiter.join("12") + "\r\n"
    frame = read(b"\xef\xbb\xbf" + content.encode())
    assert frame.to_dict("list") == {"a": [1], "b": [2]}


def test_quotes_and_line_ends_in_values(read):
    frame = read('é,"b, c"\n"one\ntwo","say ""so"""\n')
    assert frame.to_dict("list") == {"é": ["one\ntwo"], "b, c": ['say "so"']}


def test_text_columns_keep_their_digits(read):
    assert read("code,x\n007,1\n", text=["code"])["code"].tolist() == ["007"]
    frame = pd.DataFrame({"code": [7, 8], "x": [1.0, 2.0]})
    assert read(parquet(frame), text=["code"])["code"].tolist() == ["7", "8"]


def test_a_late_text_makes_the_whole_column_text(read):
    frame = read("a\n" + "1\n" * 600_000 + "x\n")
    assert frame["a"].iloc[0] == "1"
    assert frame["a"].iloc[-1] == "x"


def test_parquet_and_gzip_are_seen_from_the_content(read):
    frame = pd.DataFrame(
        {
            "n": [1, 2],
            "x": [0.5, np.nan],
            "t": ["a", None],
            "c": pd.Categorical(["u", "v"]),
            "b": [True, False],
        },
        index=[5, 7],
    )
    expected = {"n": [1, 2], "t": ["a", None], "c": ["u", "v"], "b": [True, False]}
    for content in (parquet(frame), gzip.compress(parquet(frame))):
        found = read(content)
        assert found.drop(columns="x").to_dict("list") == expected
        np.testing.assert_array_equal(found["x"], frame["x"])
    assert read(gzip.compress(b"a\n1\n"))["a"].tolist() == [1]


def test_columns_that_are_not_used_may_hold_anything(read):
    content = "when,a,b\n2020-01-01,1,2\n"
    with pytest.raises(FileError, match=r"column 'when' .* dates or times"):
        read(content)
    assert read(content, without=["when"]).columns.tolist() == ["a", "b"]
    assert read(content, columns=["b"]).columns.tolist() == ["b"]
    nested = pd.DataFrame({"a": [1], "list": [[1, 2]]})
    assert read(parquet(nested), columns=["a"]).columns.tolist() == ["a"]
    with pytest.raises(FileError, match="column 'list'"):
        read(parquet(nested))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"a,b\n", "has a header but no rows"),
        (b"a,b\n1,2\n3\n", r"Row #3: Expected 2 columns, got 1"),
        (b"a,b\n1,2\n3,4,5\n", r"Row #3: Expected 2 columns, got 3"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "neither CSV in UTF-8 nor Parquet"),
        ("a,b\n1,2\n".encode("utf-16"), "neither CSV in UTF-8 nor Parquet"),
        ("a,b\nä,1\n".encode("latin-1"), "column 'a' .* no UTF-8 text"),
        ("ä,b\n1,1\n".encode("latin-1"), "neither CSV in UTF-8 nor Parquet"),
        (b"a,b,a\n1,2,3\n", "more than one column called 'a'"),
        (b",a\n0,1\n", "column 1 .* has no name"),
        (b"PAR1 and then nothing", "damaged Parquet file"),
        (gzip.compress(b"a\n1\n", mtime=0)[:-6], "damaged gzip file"),
    ],
)
def test_what_is_no_table(read, content, message):
    with pytest.raises(FileError, match=message):
        read(content)


def test_missing_files_and_columns(tmp_path, read):
    with pytest.raises(FileError, match=r"cannot read .*none\.csv: No such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileError, match="folder"):
        read_table(tmp_path)
    with pytest.raises(FileError, match="no column 'colour'; did you mean 'color'"):
        read("color,b\nred,1\n", columns=["colour"])
    with pytest.raises(FileError, match="no column 'z'; it has 'a', 'b'"):
        read("a,b\n1,2\n", without=["z"])


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_tables_round_trip(tmp_path, ending):
    frame = pd.DataFrame({"label": ["a", "b"], "score": [0.1 + 0.2, -1e-300]})
    target = tmp_path / f"out{ending}"
    write_table(frame, target)
    again = read_table(target)
    assert again["label"].tolist() == ["a", "b"]
    np.testing.assert_array_equal(again["score"], frame["score"])
    first = target.read_bytes()
    write_table(frame, target)
    assert target.read_bytes() == first


def test_unknown_endings_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(FileError, match=r"end the name in \.csv, \.csv\.gz or \.parquet"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / "out.xls")
    assert list(tmp_path.iterdir()) == []
