"""What the experiment engine costs, and what fifty kills do to its store.

A cell of a method that does nothing, 10,000 cells tabulated, and a run that is ended with SIGKILL
at random moments and continued, compared cell by cell with an undisturbed one.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyClassifier

from optimargin.datasets import NoNoise
from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.measures import Measures
from optimargin.experiments.methods import METHODS, method_from_estimator
from optimargin.experiments.paper import tables
from optimargin.experiments.results import Results
from optimargin.experiments.runner import run
from optimargin.experiments.sources import Given, Problem
from optimargin.experiments.splits import Stratified
from optimargin.experiments.store import Store

KILLS = 50


def main() -> None:
    print(f"a cell of a method that does nothing: {1000 * cell_seconds():.2f} ms")
    print(f"10,000 stored cells tabulated: {table_seconds():.2f} s")
    kills, cells, same = killed()
    print(f"{kills} kills of a run of {cells} cells: ", end="")
    print("the same cells as undisturbed" if same else "THE CELLS DIFFER")
    if kills < KILLS:
        print(f"the run was over before {KILLS} kills: give it more splits")
    if not same or kills < KILLS:
        sys.exit(1)


def small_run(seconds: float, splits: int) -> tuple[list[Cell], Given]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [350, 350])
    problem = Problem(rng.standard_normal((700, 9)), y, ("no", "yes"))
    methods = [
        method_from_estimator(name, Slow(seconds, strategy="stratified")) for name in ("a", "b")
    ]
    cells = [
        Cell("small", problem.fingerprint, NoNoise(), method, Stratified(), split)
        for split in range(splits)
        for method in methods
    ]
    return cells, Given("small", problem)


class Slow(DummyClassifier):
    """Sleep, then do nothing."""

    def __init__(self, seconds: float = 0.0, *, strategy: str = "prior", random_state=None) -> None:
        super().__init__(strategy=strategy, random_state=random_state)
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] != 3:
            time.sleep(self.seconds)
        return super().fit(X, y)


def cell_seconds() -> float:
    cells, source = small_run(0.0, 250)
    with Store(":memory:") as store:
        times = []
        # Starting a worker costs the same both times.
        for part in (cells[:2], cells[2:]):
            begin = time.perf_counter()
            run(part, {"small": source}, store)
            times.append(time.perf_counter() - begin)
    return (times[1] - times[0]) / (len(cells) - 4)


def table_seconds() -> float:
    rng = np.random.default_rng(0)
    names = list(METHODS)[:20]
    rule = Stratified()
    cells = [
        Cell(data, "f", NoNoise(), METHODS[method], rule, split)
        for data in ("BC", "CG", "GC", "PR", "IS", "PD", "GR", "VT", "MD", "HV")
        for method in names
        for split in range(50)
    ]
    with Store(":memory:") as store:
        for cell in cells:
            score = Measures(*rng.random(5).tolist())
            store.put(cell, Outcome("ok", "", 70, 30, "1", score, score, 0.1, 0.001))
        begin = time.perf_counter()
        view = tables.View(Results.read(cells, store), "none", rule.name, "binary", "0")
        str(tables.levels(view, names, ""))
        str(tables.wins_and_losses(view, "omc", names, ""))
        return time.perf_counter() - begin


def killed() -> tuple[int, int, bool]:
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        undisturbed, disturbed = Path(folder) / "a.sqlite", Path(folder) / "b.sqlite"
        cells, source = small_run(SECONDS, SPLITS)
        with Store(undisturbed) as store:
            run(cells, {"small": source}, store, jobs=2)
        kills, ended = 0, False
        while kills < KILLS and not ended:
            process = start(disturbed)
            try:
                process.wait(dice.uniform(0.5, 3.0))
                ended = True
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        start(disturbed).wait()
        return kills, len(cells), outcomes(undisturbed) == outcomes(disturbed)


# Long enough that every kill hits a run that is not over.
SECONDS, SPLITS = 0.4, 150


def start(path: Path) -> subprocess.Popen:
    code = f"import experiment_store as me; me.part({str(path)!r})"
    return subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ))


def part(path: str) -> None:
    cells, source = small_run(SECONDS, SPLITS)
    with Store(path) as store:
        run(cells, {"small": source}, store, jobs=2)


def outcomes(path: Path) -> list[tuple[object, ...]]:
    kept = ("key", "status", "test_accuracy", "train_accuracy", "test_f1", "n_train", "n_test")
    with Store(path) as store:
        return [tuple(row[name] for name in kept) for row in store.rows()]
