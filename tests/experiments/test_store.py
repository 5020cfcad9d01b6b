"""The store: what is written is read again, and what cannot be written is told in a sentence."""

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from pretend_methods import Nothing

from optimargin.experiments.cells import Outcome
from optimargin.experiments.exchange import export_cells, import_cells
from optimargin.experiments.measures import Measures
from optimargin.experiments.store import SCHEMA_VERSION, Store, StoreError


@pytest.fixture
def cells(plan):
    return plan({"one": Nothing(), "two": Nothing(tag="2")}, splits=3)[0]


@pytest.fixture
def outcome():
    nan = float("nan")
    return Outcome(
        "ok",
        "a remark, with a comma\nand a line",
        70,
        30,
        "yes",
        Measures(0.1 + 0.2, 0.5, nan, 1 / 3, 0.9),
        Measures(0.7, 0.7, 0.8, 0.9, 1.0),
        1e-3 / 3,
        2e-5,
        60.0,
        "budget",
        {"weights": [1.5, -2.0]},
        "versions",
    )


def test_round_trip(tmp_path, cells, outcome):
    with Store(tmp_path / "s.sqlite") as store:
        store.put(cells[0], outcome)
        store.put(cells[1], Outcome("timeout", "late", time_limit=3.0))
        assert store.status(cells[1].key) == ("timeout", 3.0)
        assert store.status(cells[2].key) is None
    with Store(tmp_path / "s.sqlite") as store:
        assert len(store) == 2
        found = store.outcomes(cell.key for cell in cells)
        np.testing.assert_equal(vars(found[cells[0].key].train), vars(outcome.train))
        same = replace(outcome, train=found[cells[0].key].train)
        assert found[cells[0].key] == same
        assert np.isnan(found[cells[1].key].fit_seconds)
        assert set(store.statuses([cells[0].key])) == {cells[0].key}


def test_a_second_outcome_replaces_the_first(cells, outcome):
    with Store(":memory:") as store:
        store.put(cells[0], Outcome("unavailable"))
        store.put(cells[0], outcome)
        assert len(store) == 1
        assert store.status(cells[0].key) == ("ok", 60.0)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_export_and_import(tmp_path, cells, outcome, ending):
    path = tmp_path / f"cells.{ending}"
    with Store(":memory:") as store:
        for cell in cells:
            store.put(cell, outcome)
        assert export_cells(store, path) == 6
        rows = store.rows()
    with Store(":memory:") as other:
        other.put(cells[0], outcome)
        assert import_cells(other, path) == 5
        assert import_cells(other, path) == 0
        assert [{**row, "created": ""} for row in other.rows()] == [
            {**row, "created": ""} for row in rows
        ]
    assert not list(tmp_path.glob(".*partial"))


def test_files_of_something_else_are_refused(tmp_path, cells):
    with Store(":memory:") as store:
        with pytest.raises(ValueError, match=r"must end in \.csv"):
            export_cells(store, tmp_path / "cells.xlsx")
        (tmp_path / "a.csv").write_text("x,y\n1,2\n")
        with pytest.raises(ValueError, match="not an export of cells"):
            import_cells(store, tmp_path / "a.csv")
    (tmp_path / "text").write_text("not a database at all, but long enough to look at" * 40)
    with pytest.raises(StoreError, match="not a store but some other file"):
        Store(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="database of something else"):
        Store(tmp_path / "other")


def test_newer_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "s.sqlite"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer optimargin.*Update"):
        Store(path)
    assert path.read_bytes() == before


def test_full_disk_is_a_sentence_and_nothing_is_lost(tmp_path, cells, outcome):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.put(cells[0], outcome)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        big = replace(outcome, message="x" * 100_000)
        with pytest.raises(StoreError, match=r"disk is full. Make room and run the same command"):
            store.put(cells[1], big)
    with Store(path) as store:
        assert list(store.outcomes(cell.key for cell in cells)) == [cells[0].key]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users as Unix has them")
def test_read_only_folder_is_a_sentence_and_can_be_read(tmp_path, cells, outcome):
    folder = tmp_path / "locked"
    folder.mkdir()
    with Store(folder / "s.sqlite") as store:
        store.put(cells[0], outcome)
    folder.chmod(0o555)
    (folder / "s.sqlite").chmod(0o444)
    for parent in (tmp_path, *tmp_path.parents[:3]):
        if parent.owner() == tmp_path.owner():
            parent.chmod(parent.stat().st_mode | 0o755)
    superuser = os.geteuid() == 0
    if superuser:  # Who may write everywhere: somebody else tries.
        os.seteuid(65534)
    try:
        for name in ("new.sqlite", "s.sqlite"):
            with pytest.raises(StoreError, match=r"Name (another file|a file in a folder)"):
                Store(folder / name).put(cells[1], outcome)
        with Store(folder / "s.sqlite", read_only=True) as store:
            assert len(store) == 1
    finally:
        if superuser:
            os.seteuid(0)
        folder.chmod(0o755)


def test_reading_what_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="There is no store"):
        Store(tmp_path / "none.sqlite", read_only=True)


def test_claims_are_for_one_run_and_end_with_it(tmp_path, cells):
    path = tmp_path / "s.sqlite"
    with Store(path) as first, Store(path) as second:
        second._owner = first._owner.rpartition(":")[0] + ":1"  # A process that is always there.
        assert first.claim(cells[0])
        assert first.claim(cells[0])
        second_sees = second._connection.execute("SELECT owner FROM claims").fetchall()
        assert second_sees == [(first._owner,)]
        assert not second.claim(cells[0])
        first.release(cells[0])
        assert second.claim(cells[0])
        # A claim of a process that has ended counts for nothing.
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                              capture_output=True, text=True)  # fmt: skip
        second._owner = first._owner.rpartition(":")[0] + ":" + gone.stdout.strip()
        assert second.claim(cells[1])
        assert first.claim(cells[1])


def test_forget(cells, outcome):
    with Store(":memory:") as store:
        for cell in cells:
            store.put(cell, outcome)
        assert store.forget(method="one", data="other") == 0
        assert store.forget(method="one") == 3
        assert len(store) == 3
        with pytest.raises(ValueError, match="Say which"):
            store.forget()
