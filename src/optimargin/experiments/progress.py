"""What a long run says while it runs: one line with the time left, and a line a finished set."""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TextIO

from optimargin.experiments.cells import Cell, Outcome

_BAR = 24
_REFRESH_SECONDS = 0.2


class Progress(Protocol):
    """What a run tells of itself."""

    def start(self, cells: Sequence[Cell], missing: Sequence[Cell], jobs: int) -> None:
        """All cells of the run, and those that have to be computed."""
        ...

    def advance(self, cell: Cell, outcome: Outcome | None) -> None:
        """A cell has ended, here (outcome) or in another run (None)."""
        ...

    def close(self, interrupted: bool) -> None:
        """The run is over."""
        ...


class Silent:
    """Say nothing."""

    def start(self, cells: Sequence[Cell], missing: Sequence[Cell], jobs: int) -> None:
        """Nothing."""

    def advance(self, cell: Cell, outcome: Outcome | None) -> None:
        """Nothing."""

    def close(self, interrupted: bool) -> None:
        """Nothing."""


class Bar:
    """A bar on one line of a terminal; elsewhere only the lines of finished data sets."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self._live = self.stream.isatty()
        self._drawn = 0.0
        self._width = 0

    def start(self, cells: Sequence[Cell], missing: Sequence[Cell], jobs: int) -> None:
        """Count what is to be done."""
        self._total = len(cells)
        self._done = len(cells) - len(missing)
        self._jobs = jobs
        self._time = TimeLeft(missing)
        self._left_of_data = Counter(cell.data for cell in missing)
        self._problems: Counter[str] = Counter()
        self._since = {cell.data: 0.0 for cell in missing}
        if self._done and missing:
            self._say(f"{self._done} of {self._total} cells are in the store already")
        if missing:
            self._draw(force=True)

    def advance(self, cell: Cell, outcome: Outcome | None) -> None:
        """One more; a line when it was the last of its data set."""
        self._done += 1
        self._time.ended(cell)
        if outcome is not None and outcome.status != "ok":
            self._problems[cell.data] += 1
        self._left_of_data[cell.data] -= 1
        if self._left_of_data[cell.data] == 0:
            bad = self._problems[cell.data]
            remark = f", {bad} without a result" if bad else ""
            self._say(f"{cell.data} finished{remark}")
        self._draw(force=self._done == self._total)

    def close(self, interrupted: bool) -> None:
        """Leave the terminal in order."""
        self._clear()
        if interrupted:
            self._say("Interrupted. Run the same command again to go on from here.")

    def _draw(self, force: bool = False) -> None:
        now = time.monotonic()
        if not self._live or (now - self._drawn < _REFRESH_SECONDS and not force):
            return
        self._drawn = now
        filled = round(_BAR * self._done / max(self._total, 1))
        left = in_words(self._time.seconds(self._jobs))
        text = f"[{'=' * filled}{' ' * (_BAR - filled)}] {self._done}/{self._total} cells, {left}"
        self.stream.write("\r" + text.ljust(self._width))
        self.stream.flush()
        self._width = len(text)

    def _clear(self) -> None:
        if self._live and self._width:
            self.stream.write("\r" + " " * self._width + "\r")
            self.stream.flush()

    def _say(self, text: str) -> None:
        self._clear()
        self.stream.write(text + "\n")
        self.stream.flush()


class TimeLeft:
    """An estimate of the time left: what each method took on each data set, else on the others."""

    def __init__(self, missing: Sequence[Cell]) -> None:
        self._left = Counter((cell.data, cell.method.name, cell.noise.name) for cell in missing)
        self._seen: dict[tuple[str, str, str], tuple[int, float]] = {}
        self._ended = 0
        self._begin = time.monotonic()
        self._last: float = self._begin

    def ended(self, cell: Cell) -> None:
        """A cell has ended now."""
        now = time.monotonic()
        kind = (cell.data, cell.method.name, cell.noise.name)
        self._left[kind] -= 1
        count, seconds = self._seen.get(kind, (0, 0.0))
        # The time between two endings already has the number of workers in it.
        self._seen[kind] = (count + 1, seconds + now - self._last)
        self._last = now
        self._ended += 1

    def seconds(self, jobs: int) -> float | None:
        """Seconds left, or None before anything is known."""
        if not self._ended:
            return None
        overall = (self._last - self._begin) / self._ended
        by_method: dict[str, tuple[int, float]] = {}
        for (_, method, _), (count, seconds) in self._seen.items():
            old = by_method.get(method, (0, 0.0))
            by_method[method] = (old[0] + count, old[1] + seconds)
        total = 0.0
        for kind, left in self._left.items():
            if left:
                count, seconds = self._seen.get(kind) or by_method.get(kind[1]) or (1, overall)
                total += left * seconds / count
        return total


def in_words(seconds: float | None) -> str:
    """A duration as one would say it.

    Examples
    --------
    >>> from optimargin.experiments.progress import in_words
    >>> in_words(42), in_words(600), in_words(9000)
    ('42 s left', '10 min left', '2 h 30 min left')
    """
    if seconds is None:
        return "starting"
    if seconds < 90:
        return f"{seconds:.0f} s left"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min left"
    return f"{minutes // 60} h {minutes % 60} min left"
