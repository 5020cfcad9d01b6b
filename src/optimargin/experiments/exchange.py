"""Cells out of a store and into one again, as CSV (also gzipped) or Parquet."""

import csv
import gzip
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optimargin.experiments.store import COLUMNS, Store

_NUMBERS = {"split", "n_train", "n_test"}
_REALS = {
    column
    for column in COLUMNS
    if column.startswith(("train_", "test_")) or column.endswith("_seconds")
} | {"time_limit"}


def export_cells(store: Store, path: str | os.PathLike[str]) -> int:
    """Write all cells; the ending decides: .csv, .csv.gz or .parquet. Returns how many."""
    target = Path(path)
    rows = store.rows()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        if target.suffix == ".parquet":
            import pyarrow as arrow
            from pyarrow import parquet

            parquet.write_table(arrow.Table.from_pylist(rows, schema=_schema(arrow)), partial)
        else:
            _check_ending(target)
            data = _to_csv(rows).encode()
            # No time stamp inside: the same cells give the same file.
            partial.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return len(rows)


def import_cells(store: Store, path: str | os.PathLike[str]) -> int:
    """Add exported cells to a store; those already there stay. Returns how many were new."""
    source = Path(path)
    if source.suffix == ".parquet":
        from pyarrow import parquet

        return store.add_rows(parquet.read_table(source).to_pylist())
    _check_ending(source)
    data = source.read_bytes()
    text = (gzip.decompress(data) if source.suffix == ".gz" else data).decode()
    reader = csv.DictReader(io.StringIO(text))
    missing = set(COLUMNS) - set(reader.fieldnames or ())
    if missing:
        raise ValueError(
            f"{source} is not an export of cells: it has no column {', '.join(sorted(missing))}."
        )
    return store.add_rows(_from_csv(row) for row in reader)


def _check_ending(path: Path) -> None:
    if not path.name.endswith((".csv", ".csv.gz")):
        raise ValueError(f"{path} must end in .csv, .csv.gz or .parquet.")


def _to_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _from_csv(row: Mapping[str, str]) -> dict[str, Any]:
    converted: dict[str, Any] = dict(row)
    for name in _NUMBERS:
        converted[name] = int(row[name])
    for name in _REALS:
        converted[name] = float(row[name]) if row[name] else None
    return converted


def _schema(arrow: Any) -> Any:
    kinds = {
        **dict.fromkeys(COLUMNS, arrow.string()),
        **dict.fromkeys(_NUMBERS, arrow.int64()),
        **dict.fromkeys(_REALS, arrow.float64()),
    }
    return arrow.schema(list(kinds.items()))
