"""How results are told: to people as text, to programs as JSON."""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def show_json(result: dict[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not know become null."""
    print(json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """The same value in types that JSON knows."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value


def show_rows(rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Print rows in columns: the first ``left`` columns to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())


def note(message: str) -> None:
    """Tell something on the side, without disturbing what is piped on."""
    print(f"note: {' '.join(message.split())}", file=sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Warnings become one line each, without the place in the code that people cannot change."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        note(message)
