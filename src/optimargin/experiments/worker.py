"""A process that computes cells for the runner: tasks in by standard input, outcomes out.

A process of its own is what makes a time limit possible: it can be ended from outside, whatever
compiled code it is in. It is started as a plain interpreter, so that the caller's script is not
run again in it, as the spawning of multiprocessing would.
"""

import os
import pickle
import platform
import sys
import threading
import time
from typing import Any, BinaryIO

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.sources import Problem, Source

# One benchmark set of this size is kept; many small ones are.
_KEPT_BYTES = 1_000_000_000


def main() -> None:
    """Serve until the input ends."""
    tasks, answers = _take_standard_streams()
    _end_with_parent()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        serve(tasks, answers)


def serve(tasks: BinaryIO, answers: BinaryIO) -> None:
    """Compute the cells of a stream of pickled tasks (cell, source)."""
    # Imported here so that the parent's mistakes in the stream are not hidden by slow imports.
    from optimargin.experiments.protocol import compute, warm_up

    problems: dict[str, Problem] = {}
    broken: dict[str, str] = {}
    warm: set[tuple[str, bool]] = set()
    environment = describe_environment()
    while True:
        try:
            kind, content = pickle.load(tasks)
        except EOFError:
            return
        if kind == "source":
            source: Source = content
            try:
                _make_room(problems)
                problems[source.name] = source.load()
            except Exception as error:
                broken[source.name] = f"{type(error).__name__}: {error}"
            continue
        cell: Cell = content
        problem = problems.get(cell.data)
        if problem is None:
            reason = broken.get(cell.data, "they were not sent")
            _answer(answers, ("done", Outcome("failed", f"The data could not be loaded: {reason}")))
            continue
        many = len(problem.classes) > 2
        if (cell.method.name, many) not in warm:
            warm_up(cell.method, len(problem.classes))
            warm.add((cell.method.name, many))
        outcome = compute(problem, cell, lambda: _answer(answers, ("started", None)))
        _answer(answers, ("done", _with_environment(outcome, environment)))


def describe_environment() -> str:
    """Versions and machine in one line."""
    from importlib.metadata import version

    from optimargin import __version__

    # Not from the packages themselves: importing them takes longer than many cells.
    parts = [f"optimargin {__version__}", f"Python {platform.python_version()}"]
    parts += [f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    parts.append(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    processor = _processor()
    if processor:
        parts.append(processor)
    return "; ".join(parts)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()


def _with_environment(outcome: Outcome, environment: str) -> Outcome:
    from dataclasses import replace

    return replace(outcome, environment=environment)


def _make_room(problems: dict[str, Problem]) -> None:
    while problems and sum(problem.X.nbytes for problem in problems.values()) > _KEPT_BYTES:
        problems.pop(next(iter(problems)))


def _answer(answers: BinaryIO, message: tuple[str, Any]) -> None:
    pickle.dump(message, answers)
    answers.flush()


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of reach of whatever a method prints."""
    tasks = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (for the life of the process)
    return tasks, answers


def _end_with_parent() -> None:
    """End this process soon after its parent is gone, even in the middle of a long fit."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
