"""Tables: CSV and Parquet, plain or compressed with gzip, from a file or from standard input.

What a file holds is seen from its content, not from its name. pyarrow reads it, because unlike
pandas' own reader it refuses a row that is too short instead of filling it up in silence.
"""

import gzip
import io
import sys
import zlib
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from optimargin.files.errors import FileError
from optimargin.files.whole import written_whole

# Beside pyarrow's own list (empty, NA, NaN, null, ...): the mark of the UCI repository.
MISSING_MARKS = [*pyarrow.csv.ConvertOptions().null_values, "?"]
DELIMITERS = (",", ";", "\t")


def read_table(
    source: str | Path,
    *,
    columns: Collection[str] | None = None,
    without: Collection[str] = (),
    text: Collection[str] = (),
) -> pd.DataFrame:
    r"""Read a table as a frame of numbers, truth values and text.

    Parameters
    ----------
    source : str or Path
        A CSV or Parquet file, which may be compressed with gzip; ``"-"`` is standard input. A CSV
        file has a header line; commas, semicolons or tabs separate its values.
    columns : collection of str, optional
        The columns to read; all when left out.
    without : collection of str
        Columns to leave out.
    text : collection of str
        Columns to read as text even if they look like numbers.

    Returns
    -------
    DataFrame
        Whole numbers and truth values keep their type unless some are missing; other numbers are
        float64 with NaN for missing values; text is ``object`` with None for missing values.

    Raises
    ------
    FileError
        If there is no table in the file or a column cannot be used; the message says what is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from optimargin.files import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "flowers.csv"
    ...     _ = table.write_text("petal,kind\n1.4,setosa\n?,virginica\n")
    ...     print(read_table(table).to_dict("list"))
    {'petal': [1.4, nan], 'kind': ['setosa', 'virginica']}
    """
    name = "standard input" if str(source) == "-" else str(source)
    content = _content(source, name)
    is_parquet = content[:4] == b"PAR1"
    table = _parquet(content, name) if is_parquet else _csv(content, name, without, text)
    for column in without:
        require_column(column, table.column_names, name)
    table = table.drop_columns(list(dict.fromkeys(without)))
    if columns is not None:
        for column in columns:
            require_column(column, table.column_names, name)
        table = table.select(list(columns))
    if table.num_rows == 0:
        raise FileError(f"{name} has a header but no rows")
    data = {
        column: _values(table.column(column), column, name, as_text=column in text)
        for column in table.column_names
    }
    return pd.DataFrame(data, index=pd.RangeIndex(table.num_rows))


def write_table(frame: pd.DataFrame, target: str | Path) -> None:
    """Write a table whole or not at all; the ending of the name says how.

    Parameters
    ----------
    frame : DataFrame
        The rows to write. The index is not written.
    target : str or Path
        A name that ends in ``.csv``, ``.csv.gz`` or ``.parquet``, or ``"-"`` for CSV on standard
        output.

    Raises
    ------
    FileError
        If the ending is another one or the file cannot be written.

    Examples
    --------
    >>> import pandas as pd
    >>> from optimargin.files import write_table
    >>> write_table(pd.DataFrame({"label": ["a", "b"], "score": [-0.5, 2.0]}), "-")
    label,score
    a,-0.5
    b,2.0
    """
    name = str(target).lower()
    if name == "-":
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    if not name.endswith((".csv", ".csv.gz", ".parquet")):
        raise FileError(
            f"cannot tell the format of {target}: end the name in .csv, .csv.gz or .parquet"
        )
    with written_whole(target) as file:
        if name.endswith(".parquet"):
            frame.to_parquet(file, index=False)
            return
        text = frame.to_csv(index=False, lineterminator="\n").encode()
        # Without a time stamp the same predictions give the same file.
        file.write(gzip.compress(text, mtime=0) if name.endswith(".gz") else text)


def _content(source: str | Path, name: str) -> bytes:
    try:
        content = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
    except IsADirectoryError:
        raise FileError(f"{name} is a folder, not a table") from None
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from error
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise FileError(f"{name} is a damaged gzip file: {error}") from error
    if not content.strip():
        raise FileError(f"{name} is empty")
    return content


def _parquet(content: bytes, name: str) -> pa.Table:
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        raise FileError(f"{name} is a damaged Parquet file: {_first_line(error)}") from error
    stored_indexes = [column for column in table.column_names if column.startswith("__index_level")]
    return table.drop_columns(stored_indexes)


def _csv(content: bytes, name: str, without: Collection[str], text: Collection[str]) -> pa.Table:
    no_table = f"{name} is not a table: it is neither CSV in UTF-8 nor Parquet"
    if b"\0" in content[:65536]:
        raise FileError(no_table)
    header = content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n", 1)[0]
    delimiter = max(DELIMITERS, key=lambda mark: header.count(mark.encode()))
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(content),
            # One thread: the number of a bad row is known only then.
            read_options=pyarrow.csv.ReadOptions(use_threads=False),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                null_values=MISSING_MARKS,
                strings_can_be_null=True,
                # A column that is not used may hold anything.
                column_types=dict.fromkeys([*text, *without], pa.string()),
            ),
        )
    except pa.ArrowException as error:
        raise FileError(f"{name} is not a whole CSV table: {_first_line(error)}") from error
    try:
        names = table.column_names
    except UnicodeDecodeError:
        raise FileError(no_table) from None
    for position, column in enumerate(names, start=1):
        if not column.strip():
            raise FileError(
                f"column {position} of {name} has no name; give it one, or write the table "
                "without row numbers (pandas: to_csv(..., index=False))"
            )
    repeated = sorted({column for column in names if names.count(column) > 1})
    if repeated:
        raise FileError(f"{name} has more than one column called {', '.join(map(repr, repeated))}")
    return table


def _values(array: pa.ChunkedArray, column: str, name: str, *, as_text: bool) -> Any:
    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if as_text and not (pa.types.is_nested(kind) or pa.types.is_binary(kind)):
        array = array.cast(pa.string())
        kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), np.nan)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        # pandas 3 would make another type of it, with another kind of missing value.
        return pd.Series(array.to_pylist(), dtype=object)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        if array.null_count == 0:
            return array.to_numpy()
        return array.cast(pa.int8() if pa.types.is_boolean(kind) else kind).to_numpy().astype(float)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return np.asarray(array.cast(pa.float64()).to_numpy(), dtype=np.float64)
    if pa.types.is_temporal(kind):
        what = "dates or times"
    else:
        what = "bytes that are no UTF-8 text" if pa.types.is_binary(kind) else f"{kind} values"
    raise FileError(
        f"column {column!r} of {name} holds {what}, which are neither numbers nor categories: "
        "leave it out or turn it into numbers"
    )


def require_column(column: str, names: Iterable[str], name: str) -> None:
    """Refuse a column that a table does not have, and say which it may have been."""
    known = list(names)
    if column in known:
        return
    close = get_close_matches(column, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {_listed(known)}"
    raise FileError(f"{name} has no column {column!r}; {hint}")


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
