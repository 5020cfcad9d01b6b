"""What the README shows is what happens."""

import io
import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from optimargin.cli import main
from optimargin.experiments.demonstration import demonstrate

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_example_prints_what_is_said():
    (program,) = blocks("python")
    (expected,) = blocks("text")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(program, {"__name__": "__main__"})
    assert printed.getvalue() == expected


def test_the_commands_run_as_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = load_breast_cancer(as_frame=True)
    patients = data.data.iloc[:, :4].assign(outcome=data.target_names[data.target])
    patients.to_csv("patients.csv", index=False)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("optimargin ")]
    assert len(commands) == 4
    for command in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        assert main.exit_code() == 0, capsys.readouterr().err
    assert len(pd.read_csv("predicted.csv")) == len(patients)


def test_all_commands_and_make_targets_exist(monkeypatch, capsys):
    commands = set(re.findall(r"`optimargin (\w+)", README))
    monkeypatch.setattr(sys, "argv", ["optimargin", "--help"])
    assert main.exit_code() == 0
    listed = capsys.readouterr().out.split("Commands:")[1]
    assert commands == set(re.findall(r"^  (\w+) ", listed, flags=re.MULTILINE))
    targets = set(re.findall(r"make (\w+)", "\n".join(blocks("sh"))))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert targets <= set(re.findall(r"^(\w+):", makefile, flags=re.MULTILINE))


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_what_is_said_of_the_demonstration_holds():
    result = demonstrate(20, lambda done, total: None)
    rows = {row.method.name: row for row in result.rows}
    for noise in (0, 1):
        test = {name: row.test[noise].mean for name, row in rows.items()}
        assert max(rows, key=lambda name: rows[name].train[noise].mean) == "oec-cmaes"
        assert rows["omc"].train[noise].mean < rows["lr"].train[noise].mean
        assert test["oec-cmaes"] < test["lr"] - rows["lr"].test[noise].error
        assert abs(test["omc"] - test["lr"]) < 0.005
    lost = {name: row.test[0].mean - row.test[1].mean for name, row in rows.items()}
    assert max(lost, key=lambda name: lost[name]) == "lda"
    assert lost["lda"] > 2 * rows["lda"].test[1].error
    assert all(loss < 0.01 for name, loss in lost.items() if name != "lda")
