"""The commands compare, reproduce and datasets, as a user types them."""

import csv

import numpy as np
import pytest

pytest.importorskip("typer")

from optimargin.cli import main


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run a command line in an empty folder; exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["optimargin", *map(str, words)])
        code = main.exit_code()
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "patients.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["age", "city", "clinic", "ill"])
        for row in range(120):
            ill = row % 3 == 0
            age = "" if row == 7 else round(40 + 20 * ill + 10 * rng.standard_normal(), 1)
            writer.writerow([age, "Bonn" if rng.random() < 0.5 else "Rome", row // 4, ill])
    return path


def test_compare_prints_a_table_and_a_sentence(command, table, tmp_path):
    code, out, err = command(
        "compare", table, "--target", "ill", "--methods", "lr-balanced,lda,lr", "--splits", 4,
        "--noise", "0,0.15", "--jobs", 2, "--store", "s.sqlite", "--report", "r.html",
        "--csv", "cells.csv", "--drop", "clinic",
    )  # fmt: skip
    assert code == 0, err
    assert "patients, no noise" in out
    assert "patients, 15 % noise (replace)" in out
    assert out.count("On these data") == 2
    assert "missing values in age became the median" in err
    assert "patients finished" in err
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert len((tmp_path / "cells.csv").read_text().splitlines()) == 25
    again = command("compare", table, "-t", "ill", "--methods", "lr-balanced", "--splits", 4,
                    "--store", "s.sqlite", "--drop", "clinic")  # fmt: skip
    assert again[0] == 0
    assert "finished" not in again[2]


def test_compare_keeps_groups_together(command, table):
    code, out, err = command("compare", table, "-t", "ill", "--group", "clinic", "--methods",
                             "lda", "--splits", 2)  # fmt: skip
    assert code == 0, err
    assert "patients, no noise" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "sick"], "sick"),
        (["--target", "ill", "--methods", "nonsense"], "no method 'nonsense'"),
        (["--target", "ill", "--noise", "much"], "not a list of shares"),
        (["--target", "ill", "--group", "nowhere"], "nowhere"),
    ],
)
def test_compare_tells_mistakes_in_one_line(command, table, words, message):
    code, out, err = command("compare", table, *words)
    assert code in (1, 2)
    assert out == ""
    assert message in err.splitlines()[-1]


def test_reproduce_writes_report_page_and_cells(command, tmp_path):
    words = ["reproduce", "datasets", "overview", "--splits", 1, "--jobs", 1]
    code, out, err = command(*words, "--page", "results.md", "--export", "cells.csv.gz")
    assert code == 0, err
    assert "1 cells computed (1 ok), 0 found" in out
    assert "Table 1" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "results" / "fig4-projections.svg").exists()
    assert (tmp_path / "optimargin-report.html").exists()
    (tmp_path / "optimargin-results.sqlite").unlink()
    code, out, _ = command(*words, "--cells", "cells.csv.gz")
    assert "1 results read from cells.csv.gz" in out
    assert "0 cells computed (none), 1 found" in out
    code, out, _ = command(*words, "--forget", "oec-cmaes", "--show")
    assert "1 results of oec-cmaes discarded" in out
    assert "computed" not in out


def test_reproduce_tells_mistakes(command, tmp_path, monkeypatch):
    code, _, err = command("reproduce", "everything")
    assert code == 1
    assert "no part 'everything'" in err
    assert command("reproduce", "datasets", "--digits", "some")[0] == 2
    monkeypatch.delenv("OPTIMARGIN_DATA", raising=False)
    monkeypatch.setenv("OPTIMARGIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("optimargin.datasets.openml.fetch", lambda description: None)
    code, _, err = command("reproduce", "grouped")
    assert code == 1
    assert "OPTIMARGIN_DATA" in err
    (tmp_path / "s.sqlite").write_text("something else " * 100)
    code, _, err = command("reproduce", "datasets", "--store", "s.sqlite")
    assert code == 1
    assert "not a store but some other file" in err


def test_datasets(command, monkeypatch, tmp_path):
    monkeypatch.delenv("OPTIMARGIN_DATA", raising=False)
    monkeypatch.setenv("OPTIMARGIN_CACHE", str(tmp_path / "cache"))
    code, out, _ = command("datasets", "list")
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 20
    assert lines[13].split()[:3] == ["IR", "Iris", "yes"]
    code, out, _ = command("datasets", "describe", "vt")
    assert "paper     192, 242" in out
    code, out, _ = command("datasets", "fetch", "IR", "IW")
    assert code == 0
    assert "IW: 178 rows, 13 features, from scikit-learn" in out
    code, out, err = command("datasets", "fetch", "IR", "SR")
    assert code == 1
    assert "SR: not found" in out
    assert "Three ways to get it" in err
    assert command("datasets", "describe", "XX")[0] == 1
