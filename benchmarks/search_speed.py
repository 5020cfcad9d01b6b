"""The paper's search and what it is made of: speed, start-up, memory, and the paper's scores.

One thread; ratios are of medians measured in the same run, alternating. Times are of the processor
(on Windows, where its clock is too coarse, of the clock on the wall), so that other work on the
machine does not count. Every line says its aim and whether it was met.
"""

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from optimargin import OptimalMarginClassifier
from optimargin.datasets import DatasetNotFoundError, load
from optimargin.objective import Objective
from optimargin.problem import make_problem
from optimargin.search.cma_es import CmaEs
from optimargin.search.loop import run_search
from optimargin.search.population import (
    PopulationSearcher,
    default_max_generations,
    default_population_size,
)
from optimargin.search.stopping import Stopping
from optimargin.threshold import cut_projections, cutting_space

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import reference

# Training balanced accuracy of CMA-ES in the paper's table, in per cent.
PAPER_SCORES = {"BC": 98.4, "CG": 98.4, "GC": 97.0, "PR": 92.4, "IS": 95.2, "PD": 79.3}
SPLITS = 20
HALF_A_POINT = 0.5

now = time.perf_counter if os.name == "nt" else time.process_time


def seconds(action: Callable[[], Any]) -> float:
    began = now()
    action()
    return now() - began


def alternate(actions: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Median time of each action, the actions taking turns."""
    times = [[seconds(action) for action in actions] for _ in range(rounds)]
    return [float(median) for median in np.median(times, axis=0)]


def report(what: str, value: str, aim: str, met: bool) -> None:
    print(f"  {what:<58} {value:>28}   aim: {aim:<22} {'met' if met else 'MISSED'}", flush=True)


def standardised(X: np.ndarray) -> np.ndarray:
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def training_part(name: str, split: int) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    X, _, y, _ = train_test_split(
        data.X, data.y, train_size=0.7, stratify=data.y, random_state=split
    )
    return X, y == np.unique(y)[1]


def paper_fits() -> None:
    print("Paper-budget CMA-ES from a random start, against the same in plain NumPy")
    for name, aim in (("BC", 8.0), ("IS", 6.0), ("HV", 4.0)):
        X, positive = training_part(name, 0)
        n = X.shape[1]
        scaled = standardised(X)
        model = OptimalMarginClassifier(optimizer="cma_es", start="random", random_state=0)
        postponed = CmaEs(np.ones(n), default_population_size(n), np.random.default_rng()).postponed

        def ours(model: Any = model, X: Any = X, positive: Any = positive) -> None:
            model.fit(X, positive)

        def plain(scaled: Any = scaled, positive: Any = positive, gap: Any = postponed) -> None:
            reference.numpy_cma_es(
                scaled,
                positive,
                np.random.default_rng(0),
                default_max_generations(scaled.shape[1]),
                postponed=gap,
            )

        ours()
        mine, theirs = alternate([ours, plain], 5 if n < 50 else 3)
        report(
            f"{name}: m={len(X)} n={n}, {1e3 * mine:.1f} ms against {1e3 * theirs:.0f} ms",
            f"{theirs / mine:.1f} times faster",
            f"{aim:g} times",
            theirs / mine >= aim,
        )


def sweeps() -> None:
    print("Sweeps of a population (without the matrix product), against np.sort of the same arrays")
    for m, aim in ((500, 1.5), (100_000, 1.3)):
        for kind in ("apart", "noise"):
            rng = np.random.default_rng(m)
            k = default_population_size(10)
            projections = rng.standard_normal((k, m))
            if kind == "apart":
                projections[:, m // 2 :] += 2.0
            units = make_problem(np.zeros((1, m)), m // 2, None, "balanced").units
            copy = np.empty_like(projections)

            def sort(copy: Any = copy, projections: Any = projections) -> None:
                np.copyto(copy, projections)
                copy.sort(axis=1)

            space = cutting_space(m, projections.dtype)

            def sweep(
                projections: Any = projections, m: int = m, units: Any = units, space: Any = space
            ) -> None:
                cut_projections(projections, m // 2, units, space)

            sweep()
            rounds = 400 if m < 1000 else 15
            ours, theirs = alternate([sweep, sort], rounds)
            report(
                f"m={m:,}, classes {kind}: {1e6 * ours / k:.1f} us a direction",
                f"{ours / theirs:.2f}",
                f"at most {aim:g}",
                ours / theirs <= aim,
            )


def overhead() -> None:
    print("Python side of a generation (ask, tell, loop), against its scoring, m=500 n=10")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10, 500))
    X[:, 250:] += 0.5
    objective = Objective(make_problem(X, 250, None, "balanced"))
    generations = 400
    scoring = 0.0
    score = objective.score

    def timed(directions: Any) -> Any:
        nonlocal scoring
        began = now()
        scores = score(directions)
        scoring += now() - began
        return scores

    objective.score = timed  # type: ignore[method-assign]
    ratios = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        first = score(rng.standard_normal((1, 10)))
        search = PopulationSearcher(CmaEs(first.directions[0], default_population_size(10), rng))
        scoring = 0.0
        total = seconds(
            lambda search=search, first=first: run_search(
                search, objective, first.separator(0), Stopping(generations)
            )
        )
        ratios.append((total - scoring) / scoring)
    ratio = float(np.median(ratios[1:]))
    report(
        f"scoring {1e6 * scoring / generations:.0f} us a generation",
        f"{ratio:.2f}",
        "at most 1",
        ratio <= 1.0,
    )


def in_new_process(script: str, **environment: str) -> str:
    """What a script prints, run by the same interpreter."""
    finished = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout.strip()


_CLOCK = """
    import os, time
    now = time.perf_counter if os.name == "nt" else time.process_time
"""
_FIRST_FIT = f"""{_CLOCK}
    import numpy as np
    from optimargin import OptimalMarginClassifier
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 10)), np.arange(300) % 2
    model = OptimalMarginClassifier(random_state=0)
    began = now()
    model.fit(X, y)
    print(now() - began)
"""
_IMPORT = f"""{_CLOCK}
    import sklearn.base, sklearn.linear_model, sklearn.utils.multiclass, sklearn.utils.validation
    began = now()
    from optimargin import OptimalMarginClassifier
    print(now() - began)
"""


def command_seconds(*command: str, **environment: str) -> float:
    """Of the processor, by a command of this interpreter and the processes that it starts."""
    before = os.times()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    after = os.times()
    if os.name == "nt":  # tells nothing of child processes
        return time.perf_counter() - began
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def commands() -> None:
    print("The command line, in new processes")
    times = [
        (
            command_seconds("-m", "optimargin", "--help"),
            command_seconds("-c", "import typer, rich"),
        )
        for _ in range(9)
    ]
    ours, toolkit = np.median(times, axis=0)
    report(
        f"optimargin --help, {1e3 * ours:.0f} ms, to importing typer and rich",
        f"{ours / toolkit:.2f}",
        "at most 1.5",
        ours / toolkit <= 1.5,
    )
    with tempfile.TemporaryDirectory() as folder:
        demo = command_seconds("-m", "optimargin", "demo", NUMBA_CACHE_DIR=folder)
    report("optimargin demo, nothing compiled before", f"{demo:.1f} s", "under 20 s", demo < 20.0)


def start_up() -> None:
    print("Start-up, in new processes")
    in_new_process(_IMPORT)
    imports = float(np.median([float(in_new_process(_IMPORT)) for _ in range(5)]))
    report("import beyond scikit-learn's", f"{imports:.2f} s", "under 1.0 s", imports < 1.0)
    with tempfile.TemporaryDirectory() as folder:
        first = float(in_new_process(_FIRST_FIT, NUMBA_CACHE_DIR=folder))
        report("first fit ever, default settings", f"{first:.1f} s", "under 8 s", first < 8.0)
        warm = float(
            np.median([float(in_new_process(_FIRST_FIT, NUMBA_CACHE_DIR=folder)) for _ in range(5)])
        )
        report("first fit, compiled before", f"{warm:.3f} s", "under 0.1 s", warm < 0.1)


_MEMORY = """
    import resource
    import sys
    import numpy as np
    from optimargin import OptimalMarginClassifier
    settings = dict(random_state=0, {settings})
    def fit(rows):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((rows, 20))
        y = X[:, 0] + rng.standard_normal(rows) > 0
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        OptimalMarginClassifier(**settings).fit(X, y)
        return X.nbytes, peak
    fit(10_000)
    size, before = fit(1_000_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    print((after - before) * unit / size)
"""


def memory() -> None:
    print("Memory that a fit takes at its peak, beside X and y, 1,000,000 x 20")
    if os.name == "nt":
        print("  skipped: peak memory is not known on Windows")
        return
    for what, settings in (
        ("default settings", ""),
        ("CMA-ES, 5 generations", "optimizer='cma_es', start='logistic', max_generations=5"),
    ):
        share = float(in_new_process(_MEMORY.format(settings=settings)))
        report(what, f"{share:.2f} times X", "below 3 times X", share < 3.0)


def paper_scores() -> None:
    print(
        f"Training balanced accuracy of paper-budget CMA-ES, {SPLITS} splits of 70 %, in per cent"
    )
    for name, paper in PAPER_SCORES.items():
        scores = []
        for split in range(SPLITS):
            X, positive = training_part(name, split)
            model = OptimalMarginClassifier(optimizer="cma_es", start="random", random_state=split)
            scores.append(100 * model.fit(X, positive).score_[0])
        mean, error = np.mean(scores), np.std(scores, ddof=1) / np.sqrt(SPLITS)
        report(
            f"{name}: the paper has {paper}",
            f"{mean:.1f} +- {error:.1f}",
            f"at least {paper - HALF_A_POINT:.1f}",
            bool(mean >= paper - HALF_A_POINT),
        )


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        sweeps()
        overhead()
        start_up()
        commands()
        memory()
        try:
            load("BC")
        except DatasetNotFoundError as error:
            print(f"skipped: fits and scores on the paper's data, which are not here ({error})")
            return
        paper_fits()
        paper_scores()


if __name__ == "__main__":
    main()
