"""The store: a SQLite file with one row a cell, which survives what happens to the run.

A row is written in one transaction when its cell ends. Write-ahead logging lets several processes
write and read at once; a table of claims keeps them from computing the same cell twice.
"""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.measures import Measures

#: Version of the tables below; a file of a greater one is refused.
SCHEMA_VERSION = 1

_MEASURES = ("balanced", "one_vs_rest", "auc", "accuracy", "f1")
_IDENTITY = ("data", "fingerprint", "noise", "method", "identity", "rule", "split")
_RESULT = (
    "status",
    "message",
    "n_train",
    "n_test",
    "positive_class",
    *(f"{part}_{name}" for part in ("train", "test") for name in _MEASURES),
    "fit_seconds",
    "predict_seconds",
    "time_limit",
    "stop_reason",
    "extra",
    "environment",
    "created",
)
#: The columns of a cell, in the order of the exported files.
COLUMNS = ("key", *_IDENTITY, *_RESULT)
_TEXT = {"key", *_IDENTITY, "status", "message", "positive_class", "stop_reason", "extra"}
_TEXT |= {"environment", "created"}
_WHOLE = {"split", "n_train", "n_test"}

# A claim of another machine cannot be checked; after this long it is taken to be dead.
_CLAIM_SECONDS = 24 * 3600.0
_BUSY_SECONDS = 60.0


class StoreError(OSError):
    """The store cannot be read or written; the message says why and what to do."""


class Store:
    """Cells and their outcomes in one file; ``:memory:`` keeps them for this process only.

    Examples
    --------
    >>> from optimargin.experiments.store import Store
    >>> with Store(":memory:") as store:
    ...     len(store)
    0
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = str(path)
        self.read_only = read_only
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        with self._explained():
            self._connection = self._connect()
            self._prepare()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._explained():
            return int(self._connection.execute("SELECT count(*) FROM cells").fetchone()[0])

    def close(self) -> None:
        """Give back this process's claims and close the file."""
        if not self.read_only:
            # The claims of a process that has ended count for nothing anyway.
            with suppress(sqlite3.Error):
                self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))
        self._connection.close()

    def claim(self, cell: Cell) -> bool:
        """Whether this process may compute the cell: nobody who is alive is at it."""
        with self._explained(), self._transaction():
            row = self._connection.execute(
                "SELECT owner, since FROM claims WHERE key = ?", (cell.key,)
            ).fetchone()
            if row is not None and row[0] != self._owner and _is_alive(row[0], row[1]):
                return False
            self._connection.execute(
                "INSERT OR REPLACE INTO claims (key, owner, since) VALUES (?, ?, ?)",
                (cell.key, self._owner, time.time()),
            )
            return True

    def release(self, cell: Cell) -> None:
        """Give a claim back without a result."""
        with self._explained():
            self._connection.execute(
                "DELETE FROM claims WHERE key = ? AND owner = ?", (cell.key, self._owner)
            )

    def put(self, cell: Cell, outcome: Outcome) -> None:
        """Write the outcome of a cell; an earlier one of the same cell is replaced."""
        values = (*_identity_values(cell), *_outcome_values(outcome))
        with self._explained(), self._transaction():
            self._insert(values)
            self._connection.execute("DELETE FROM claims WHERE key = ?", (cell.key,))

    def statuses(self, keys: Iterable[str]) -> dict[str, tuple[str, float | None]]:
        """Status and time limit of those of the cells that are here."""
        wanted = set(keys)
        with self._explained():
            rows = self._connection.execute("SELECT key, status, time_limit FROM cells")
            return {key: (status, limit) for key, status, limit in rows if key in wanted}

    def status(self, key: str) -> tuple[str, float | None] | None:
        """Status and time limit of one cell, None when it is not here."""
        with self._explained():
            row = self._connection.execute(
                "SELECT status, time_limit FROM cells WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else (row[0], row[1])

    def outcomes(self, keys: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes of those of the cells that are here."""
        wanted = set(keys)
        columns = ", ".join(("key", *_RESULT))
        with self._explained():
            rows = self._connection.execute(f"SELECT {columns} FROM cells").fetchall()
        return {row[0]: _outcome(row[1:]) for row in rows if row[0] in wanted}

    def rows(self) -> list[dict[str, Any]]:
        """Every cell as a dictionary of the exported columns, in a stable order."""
        with self._explained():
            found = self._connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM cells ORDER BY data, noise, method, split, key"
            ).fetchall()
        return [dict(zip(COLUMNS, row, strict=True)) for row in found]

    def add_rows(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add exported cells; those already here stay as they are. Returns how many were new."""
        with self._explained(), self._transaction():
            before = self._connection.total_changes
            for row in rows:
                self._insert(tuple(row[column] for column in COLUMNS), "INSERT OR IGNORE")
            return self._connection.total_changes - before

    def forget(self, method: str | None = None, data: str | None = None) -> int:
        """Delete the cells of a method, of a data set, or of both together; returns how many."""
        if method is None and data is None:
            raise ValueError("Say which cells to forget: a method, a data set, or both.")
        with self._explained():
            return self._connection.execute(
                "DELETE FROM cells WHERE method = coalesce(?, method) AND data = coalesce(?, data)",
                (method, data),
            ).rowcount

    def _insert(self, values: tuple[Any, ...], verb: str = "INSERT OR REPLACE") -> None:
        marks = ", ".join("?" * len(COLUMNS))
        self._connection.execute(
            f"{verb} INTO cells ({', '.join(COLUMNS)}) VALUES ({marks})", values
        )

    def _connect(self) -> sqlite3.Connection:
        if self.path == ":memory:":
            return _open(self.path)
        path = Path(self.path)
        if not self.read_only:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _open(str(path))
        if not path.is_file():
            raise StoreError(f"There is no store {path}.")
        address = path.resolve().as_uri()
        try:
            connection = _open(f"{address}?mode=ro")
            connection.execute("PRAGMA user_version").fetchone()
            return connection
        except sqlite3.OperationalError:
            # In a folder that cannot be written the log file cannot be made either.
            return _open(f"{address}?mode=ro&immutable=1")

    def _prepare(self) -> None:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            self._connection.close()
            raise StoreError(
                f"The store {self.path} was written by a newer optimargin (its format is "
                f"{version}; this one reads up to {SCHEMA_VERSION}). Update optimargin, or name "
                "another file."
            )
        if version == SCHEMA_VERSION or self.read_only:
            if version == 0:
                raise StoreError(f"{self.path} holds no results yet.")
            return
        tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables:
            raise StoreError(
                f"{self.path} is a database of something else; name another file for the store."
            )
        # Synchronous NORMAL: with the log, a commit survives the end of the process.
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        columns = ", ".join(_column(name) for name in COLUMNS)
        with self._transaction():
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS cells ({columns})")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT, since REAL)"
            )
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except sqlite3.Error as error:
            raise StoreError(_explanation(self.path, str(error))) from error
        except OSError as error:
            raise StoreError(_explanation(self.path, str(error))) from error


def _open(address: str) -> sqlite3.Connection:
    uri = address.startswith("file:")
    return sqlite3.connect(address, uri=uri, timeout=_BUSY_SECONDS, isolation_level=None)


def _explanation(path: str, reason: str) -> str:
    known = {
        "full": "the disk is full. Make room and run the same command again; nothing is lost",
        "readonly": "it cannot be written. Name a file in a folder that you may write to",
        "read-only": "it cannot be written. Name a file in a folder that you may write to",
        "Permission denied": "you may not write there. Name a file in another folder",
        "unable to open": "its folder cannot be written, or does not exist. Name another file",
        "locked": "another program holds it. Run the same command again when that has ended",
        "not a database": "it is not a store but some other file. Name another one",
        "malformed": "it is damaged. Start a new one; exported cells can be imported into it",
    }
    for sign, sentence in known.items():
        if sign in reason:
            return f"The store {path} cannot be used: {sentence}. ({reason})"
    return f"The store {path} cannot be used: {reason}."


def _column(name: str) -> str:
    if name == "key":
        return "key TEXT PRIMARY KEY"
    if name == "split" or name in _WHOLE:
        return f"{name} INTEGER"
    return f"{name} {'TEXT' if name in _TEXT else 'REAL'}"


def _identity_values(cell: Cell) -> tuple[Any, ...]:
    return (
        cell.key,
        cell.data,
        cell.fingerprint,
        cell.noise.name,
        cell.method.name,
        cell.method.identity,
        cell.rule.name,
        cell.split,
    )


def _outcome_values(outcome: Outcome) -> tuple[Any, ...]:
    measures = [getattr(part, name) for part in (outcome.train, outcome.test) for name in _MEASURES]
    return (
        outcome.status,
        outcome.message,
        outcome.n_train,
        outcome.n_test,
        outcome.positive_class,
        *measures,
        outcome.fit_seconds,
        outcome.predict_seconds,
        outcome.time_limit,
        outcome.stop_reason,
        json.dumps(outcome.extra) if outcome.extra else "",
        outcome.environment,
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def _outcome(row: tuple[Any, ...]) -> Outcome:
    status, message, n_train, n_test, positive, *rest = row
    # SQLite has no NaN: it stores NULL.
    numbers = [float("nan") if value is None else value for value in rest[:12]]
    return Outcome(
        status,
        message,
        n_train,
        n_test,
        positive,
        Measures(*numbers[:5]),
        Measures(*numbers[5:10]),
        numbers[10],
        numbers[11],
        rest[12],
        rest[13],
        json.loads(rest[14]) if rest[14] else {},
        rest[15],
    )


def _is_alive(owner: str, since: float) -> bool:
    host, _, number = owner.rpartition(":")
    if host != socket.gethostname():
        return time.time() - since < _CLAIM_SECONDS
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):
        return True
    except OSError:
        return False
    return True
