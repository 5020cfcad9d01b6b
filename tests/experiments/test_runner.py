"""Runs: failures and time limits are results, what is stored is not run again, kills do no harm."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from pretend_methods import Crashing, Failing, Nothing, Seeded, Talking
from sklearn.linear_model import LogisticRegression

from optimargin.experiments.progress import Bar, Silent
from optimargin.experiments.runner import run
from optimargin.experiments.store import Store

# A run as a program of its own, to be killed. The seconds make a cell last; the answers of the
# method depend on its seed only.
PROGRAM = """
import sys
sys.path[:0] = [{support!r}]
import numpy as np
from pretend_methods import Seeded
from optimargin.datasets import NoNoise
from optimargin.experiments.cells import Cell
from optimargin.experiments.methods import method_from_estimator
from optimargin.experiments.runner import run
from optimargin.experiments.sources import Given, Problem
from optimargin.experiments.splits import Stratified
from optimargin.experiments.store import Store

if __name__ == "__main__":
    y = np.repeat([0, 1], [60, 40])
    problem = Problem(np.random.default_rng(0).standard_normal((100, 2)), y, ("no", "yes"))
    methods = [method_from_estimator(f"m{{i}}", Seeded(seconds={seconds})) for i in range(3)]
    cells = [
        Cell("small", problem.fingerprint, NoNoise(), method, Stratified(), split)
        for split in range({splits})
        for method in methods
    ]
    with Store(sys.argv[1]) as store:
        report = run(cells, {{"small": Given("small", problem)}}, store, jobs=2)
        print(report.computed, report.found, report.interrupted, flush=True)
"""


@pytest.fixture
def program(tmp_path, support):
    def write(seconds, splits):
        path = tmp_path / "program.py"
        path.write_text(PROGRAM.format(support=str(support), seconds=seconds, splits=splits))
        return path

    return write


def start(program, store):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, str(program), str(store)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def results(path):
    kept = ("key", "status", "test_accuracy", "train_accuracy", "test_f1", "n_train")
    with Store(path) as store:
        return [tuple(row[name] for name in kept) for row in store.rows()]


def statuses(store, cells):
    found = store.outcomes(cell.key for cell in cells)
    return {cell.method.name: found[cell.key].status for cell in cells if cell.key in found}


def test_failures_crashes_and_time_outs_are_shown(plan):
    cells, sources = plan(
        {
            "slow": Nothing(seconds=30),
            "crashing": Crashing(),
            "failing": Failing(),
            "fine": Nothing(),
            "talking": Talking(),
        },
        splits=1,
    )
    with Store(":memory:") as store:
        begin = time.perf_counter()
        report = run(cells, sources, store, jobs=2, time_limit=0.5)
        assert time.perf_counter() - begin < 20
        assert statuses(store, cells) == {
            "slow": "timeout",
            "crashing": "failed",
            "failing": "failed",
            "fine": "ok",
            "talking": "ok",
        }
        outcomes = store.outcomes(cell.key for cell in cells)
        assert "time limit of 0.5 s" in outcomes[cells[0].key].message
        assert "exit code 3" in outcomes[cells[1].key].message
        assert report.statuses == {"timeout": 1, "failed": 2, "ok": 2}


def test_only_what_is_missing_is_run(plan):
    cells, sources = plan({"slow": Nothing(seconds=0.4), "failing": Failing(), "fine": Nothing()})
    with Store(":memory:") as store:
        assert run(cells[:3], sources, store, time_limit=0.1).computed == 3
        report = run(cells, sources, store, time_limit=0.1)
        assert (report.computed, report.found) == (3, 3)
        assert run(cells, sources, store, time_limit=0.05).computed == 0
        # More time is another chance, for those that ran out of it.
        report = run(cells, sources, store, time_limit=20)
        assert report.statuses == {"ok": 2}
        report = run(cells, sources, store, time_limit=20, retry_failed=True)
        assert report.statuses == {"failed": 2}


def test_any_number_of_jobs_gives_the_same(plan):
    cells, sources = plan({"seeded": Seeded(), "lr": LogisticRegression()}, splits=5)
    found = []
    for jobs in (1, 2):
        with Store(":memory:") as store:
            run(cells, sources, store, jobs=jobs)
            found.append([store.outcomes([c.key])[c.key].test.accuracy for c in cells])
    assert found[0] == found[1]
    with pytest.raises(ValueError, match="at least 1"):
        run(cells, sources, Store(":memory:"), jobs=0)


def test_killed_five_times_and_continued_is_the_undisturbed_run(tmp_path, program):
    path = program(seconds=0.05, splits=8)
    undisturbed, disturbed = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    whole = start(path, undisturbed)
    dice = random.Random(4)
    kills = 0
    while kills < 5:
        victim = start(path, disturbed)
        time.sleep(dice.uniform(0.8, 2.0))
        if victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
        victim.communicate()
        kills += 1
    last = start(path, disturbed)
    output, errors = last.communicate(timeout=60)
    assert last.returncode == 0, errors
    assert whole.communicate(timeout=60)[0].split() == ["24", "0", "False"]
    computed, found, _ = output.split()
    assert int(computed) + int(found) == 24
    assert results(disturbed) == results(undisturbed)


def test_two_processes_share_one_store(tmp_path, program):
    path = program(seconds=0.1, splits=8)
    store = tmp_path / "s.sqlite"
    pair = [start(path, store) for _ in range(2)]
    outputs = [one.communicate(timeout=60) for one in pair]
    assert [one.returncode for one in pair] == [0, 0], outputs
    computed = [int(output.split()[0]) for output, _ in outputs]
    assert sum(computed) == 24
    assert min(computed) > 0
    assert len(results(store)) == 24


def test_ctrl_c_ends_workers_and_keeps_what_is_stored(tmp_path, program):
    path = program(seconds=0.3, splits=40)
    store = tmp_path / "s.sqlite"
    one = start(path, store)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if store.exists() and len(results(store)) >= 2:
            break
        time.sleep(0.1)
    one.send_signal(signal.SIGINT)
    output, errors = one.communicate(timeout=20)
    assert output.split()[2] == "True", errors
    assert int(output.split()[0]) == len(results(store)) < 120
    with Store(store) as opened:
        assert opened._connection.execute("SELECT count(*) FROM claims").fetchone()[0] == 0


def test_bar_tells_progress_and_finished_sets(plan, capsys):
    class Terminal:
        text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    cells, sources = plan({"fine": Nothing(), "failing": Failing()})
    terminal = Terminal()
    with Store(":memory:") as store:
        run(cells, sources, store, progress=Bar(terminal))
        assert "small finished, 2 without a result\n" in terminal.text
        assert "4/4 cells" in terminal.text
        assert "left" in terminal.text
        run(cells, sources, store, progress=Bar())  # Not a terminal: nothing to tell.
    assert capsys.readouterr().err == ""


def test_the_engine_costs_little(plan):
    class Clock(Silent):
        ended = []  # noqa: RUF012

        def advance(self, cell, outcome):
            self.ended.append(time.perf_counter())

    cells, sources = plan({"nothing": Nothing()}, splits=150)
    with Store(":memory:") as store:
        run(cells, sources, store, progress=Clock())
    # A quarter of the cells at least is not disturbed by whatever else the machine does.
    assert np.quantile(np.diff(Clock.ended), 0.25) < 0.005
