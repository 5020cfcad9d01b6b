"""Run cells on worker processes: time limits, failures as results, resuming, Ctrl-C.

Written here rather than with joblib because a worker that exceeds its time limit must be ended
from outside while its siblings go on.
"""

import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.progress import Progress, Silent
from optimargin.experiments.sources import Source
from optimargin.experiments.store import Store

try:
    import cloudpickle
except ImportError:
    # joblib carried its own copy until it made it a requirement.
    from joblib.externals import cloudpickle

# Starting an interpreter, loading the data and a warm-up are not part of a cell's time limit, but
# they must end as well.
_START_SECONDS = 300.0
# How long to wait before looking whether another run has finished the cells that it claimed.
_POLL_SECONDS = 1.0
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass
class RunReport:
    """How a run went: cells computed now, found in the store, by status, and whether it ended."""

    computed: int = 0
    found: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


def run(
    cells: Sequence[Cell],
    sources: Mapping[str, Source],
    store: Store,
    *,
    jobs: int = 1,
    time_limit: float | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> RunReport:
    """Compute the cells that the store does not have, and write each as it ends.

    ``sources`` gives the data of each ``cell.data``. With a time limit (seconds, fit and
    prediction of one cell) a cell that exceeds it is ended and stored as "timeout". Interrupted by
    Ctrl-C the function ends its workers and returns; what is stored stays.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}.")
    progress = progress or Silent()
    report = RunReport()
    begin = time.perf_counter()
    stored = store.statuses(cell.key for cell in cells)
    missing = [
        cell for cell in cells if _is_missing(stored.get(cell.key), time_limit, retry_failed)
    ]
    report.found = len(cells) - len(missing)
    progress.start(cells, missing, jobs)
    try:
        if missing:
            _Run(missing, sources, store, jobs, time_limit, retry_failed, progress, report).go()
    except KeyboardInterrupt:
        report.interrupted = True
    finally:
        report.seconds = time.perf_counter() - begin
        progress.close(report.interrupted)
    return report


def _is_missing(
    status: tuple[str, float | None] | None, time_limit: float | None, retry_failed: bool
) -> bool:
    if status is None:
        return True
    kind, limit = status
    if kind == "ok":
        return False
    if kind == "timeout":
        # Given more time than it had, it may end now.
        more = limit is not None and (time_limit is None or time_limit > limit)
        return more or retry_failed
    return kind == "unavailable" or retry_failed


class _Run:
    """The state of one run: which worker is at which cell until when."""

    def __init__(
        self,
        missing: Sequence[Cell],
        sources: Mapping[str, Source],
        store: Store,
        jobs: int,
        time_limit: float | None,
        retry_failed: bool,
        progress: Progress,
        report: RunReport,
    ) -> None:
        self.waiting = deque(missing)
        self.elsewhere: list[Cell] = []
        self.sources = sources
        self.store = store
        self.jobs = min(jobs, len(missing))
        self.time_limit = time_limit
        self.retry_failed = retry_failed
        self.progress = progress
        self.report = report
        self.messages: queue.SimpleQueue[tuple[Worker, tuple[str, Any]]] = queue.SimpleQueue()
        self.busy: dict[Worker, Cell] = {}
        self.idle: list[Worker] = []

    def go(self) -> None:
        """Until every cell is done, here or by another run that shares the store."""
        try:
            while self.waiting or self.busy or self.elsewhere:
                self._hand_out()
                if self.busy:
                    self._listen()
                elif self.elsewhere and not self.waiting:
                    time.sleep(_POLL_SECONDS)
                    self.waiting.extend(self.elsewhere)
                    self.elsewhere.clear()
        finally:
            for worker in (*self.busy, *self.idle):
                worker.end()

    def _hand_out(self) -> None:
        while self.waiting and len(self.busy) < self.jobs:
            cell = self.waiting.popleft()
            if not _is_missing(self.store.status(cell.key), self.time_limit, self.retry_failed):
                self.report.found += 1
                self.progress.advance(cell, None)
            elif not self.store.claim(cell):
                self.elsewhere.append(cell)
            else:
                worker = self.idle.pop() if self.idle else Worker(self.messages)
                self.busy[worker] = cell
                worker.give(cell, self.sources[cell.data])

    def _listen(self) -> None:
        now = time.monotonic()
        late = min(worker.deadline for worker in self.busy) - now
        try:
            worker, (kind, content) = self.messages.get(timeout=max(min(late, 3600.0), 0.001))
        except queue.Empty:
            self._end_late_workers()
            return
        if worker not in self.busy:
            return  # The last words of a worker that was ended.
        cell = self.busy[worker]
        if kind == "started":
            limit = float("inf") if self.time_limit is None else self.time_limit
            worker.begun = True
            worker.deadline = time.monotonic() + limit
        elif kind == "done":
            del self.busy[worker]
            self.idle.append(worker)
            self._record(cell, content)
        else:
            del self.busy[worker]
            worker.end()
            self._record(cell, Outcome("failed", worker.last_words))

    def _end_late_workers(self) -> None:
        now = time.monotonic()
        for worker in [worker for worker in self.busy if worker.deadline <= now]:
            cell = self.busy.pop(worker)
            worker.end()
            if worker.begun:
                text = f"ended after its time limit of {self.time_limit:g} s"
                self._record(cell, Outcome("timeout", text))
            else:
                text = f"loading and warm-up did not end within {_START_SECONDS:g} s"
                self._record(cell, Outcome("timeout", text))

    def _record(self, cell: Cell, outcome: Outcome) -> None:
        outcome = replace(outcome, time_limit=self.time_limit)
        self.store.put(cell, outcome)
        self.report.computed += 1
        statuses = self.report.statuses
        statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
        self.progress.advance(cell, outcome)


class Worker:
    """A process that computes cells one after the other, and the thread that hears it."""

    def __init__(self, messages: "queue.SimpleQueue[tuple[Worker, tuple[str, Any]]]") -> None:
        self.deadline = float("inf")
        self.begun = False
        self._known: set[int] = set()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            "from optimargin.experiments.worker import main; main()"
        )
        # A group of its own: Ctrl-C in the terminal is for the parent, which ends its workers.
        apart: dict[str, Any] = (
            {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
            if os.name == "nt"
            else {"start_new_session": True}
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1")},
            **apart,
        )
        threading.Thread(target=self._hear, args=(messages,), daemon=True).start()

    def give(self, cell: Cell, source: Source) -> None:
        """Send a cell, and its data if the worker has not had them."""
        self.begun = False
        self.deadline = time.monotonic() + _START_SECONDS
        # Should the worker be gone, the thread that hears it says so.
        with suppress(OSError):
            if id(source) not in self._known:
                self._send(("source", source))
                self._known.add(id(source))
            self._send(("cell", cell))

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._errors.closed:
            return
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        reason = f": {lines[-1]}" if lines else " (out of memory, perhaps)"
        #: Why a process that ended by itself did so, as far as can be known.
        self.last_words = f"the worker process ended unexpectedly, exit code {code}{reason}"
        self._errors.close()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def _send(self, message: tuple[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        # Methods given by the caller may come from the script itself, which only cloudpickle sends.
        stream.write(cloudpickle.dumps(message))
        stream.flush()

    def _hear(self, messages: "queue.SimpleQueue[tuple[Worker, tuple[str, Any]]]") -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            try:
                messages.put((self, pickle.load(stream)))
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                messages.put((self, ("gone", None)))
                return
