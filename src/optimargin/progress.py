"""One bar for a long fit, on the terminal's error stream."""

import sys
import time

_WIDTH = 24
_EVERY = 0.2  # seconds between two drawings
_PATIENCE = 0.5  # fits shorter than this show nothing


class ProgressBar:
    """Counts steps of a known total and says how long the rest will take."""

    def __init__(self, total: int, label: str) -> None:
        self._total = max(total, 1)
        self._label = label
        self._done = 0.0
        self._started = time.perf_counter()
        self._drawn = self._started + _PATIENCE - _EVERY
        self._visible = False

    def reach(self, done: float) -> None:
        """`done` of the total is finished."""
        self._done = max(self._done, min(done, self._total))
        now = time.perf_counter()
        if now - self._drawn >= _EVERY:
            self._drawn = now
            self._draw(now)

    def close(self) -> None:
        """Leave the last state of the bar on a line of its own."""
        if self._visible:
            self._draw(time.perf_counter())
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _draw(self, now: float) -> None:
        share = self._done / self._total
        elapsed = now - self._started
        rest = f", {elapsed * (1 / share - 1):.0f} s left" if 0 < share < 1 else ""
        filled = round(share * _WIDTH)
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{self._label} [{bar}] {share:4.0%} {elapsed:.0f} s{rest}   ")
        sys.stderr.flush()
        self._visible = True
