"""The entry point, and what becomes of errors: one line and an exit code, never a traceback."""

import os
import signal
import sys
from types import FrameType
from typing import Any

FAILED = 1
MISUSED = 2
INTERRUPTED = 130
TERMINATED = 143
TRACEBACK = "OPTIMARGIN_TRACEBACK"

_SOON = 0.05  # seconds
_COMPILER = ("numba.", "llvmlite.")


class _Stops:
    """What this process knows of signals that asked it to stop."""

    received = False
    waiting: int | None = None  # to be raised again in a moment
    leaving = False  # on the way out already


_stops = _Stops()


def run() -> None:
    """Run the command line and leave with its exit code."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # not where it is ignored
        signal.signal(signal.SIGINT, _stop)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _stop_again)
    sys.unraisablehook = _keep_stops
    for stream in (sys.stdout, sys.stderr):
        # A label that the terminal cannot show is no reason to fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = exit_code()
    finally:
        _leave()
    sys.exit(code)


def exit_code() -> int:
    """Run the command that ``sys.argv`` names; every error has become a line and a code."""
    try:
        # Here, because typer may be missing.
        from optimargin.cli.app import app

        code = app(standalone_mode=False, prog_name="optimargin")
        sys.stdout.flush()
        # Typer has made this code of an interrupt, in silence.
        return _stopped() if code == INTERRUPTED else code if isinstance(code, int) else 0
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        # The reader of our output has left, as in `optimargin ... | head`. Python would complain
        # once more when it closes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if _stops.waiting is not None:
            # It is the stop that broke what was running.
            return _stopped() if _stops.waiting == signal.SIGINT else TERMINATED
        if os.environ.get(TRACEBACK):
            raise
        return _report(error)


def _report(error: Exception) -> int:
    # Typer brings its own click since 0.26 and uses the installed one before: what its errors have
    # in common is how they speak.
    speak: Any = getattr(error, "format_message", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(speak(), file=sys.stderr)
        return MISUSED
    if speak is not None:
        context: Any = getattr(error, "ctx", None)
        name = context.command_path if context is not None else "optimargin"
        return _say(f"{_one_line(speak())} (see {name} --help)", MISUSED)
    if type(error).__name__ == "Abort":
        return _stopped()
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("optimargin"):
        return _say(f'{error.name} is missing: pip install "optimargin[cli]"', FAILED)
    if isinstance(error, ValueError | OSError):
        return _say(_one_line(str(error)), FAILED)
    if isinstance(error, MemoryError):
        return _say("the table does not fit into memory", FAILED)
    return _say(
        f"unexpected {type(error).__name__}: {_one_line(str(error))} "
        f"(set {TRACEBACK}=1 to see where, and please report it)",
        FAILED,
    )


def _stopped() -> int:
    _leave()
    return _say("stopped; no file was left half-written", INTERRUPTED)


def _say(message: str, code: int) -> int:
    print(f"optimargin: {message}", file=sys.stderr)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split()) or "no further explanation"


def _leave() -> None:
    """From here on nothing stops this process but its own end."""
    _stops.leaving = True
    if sys.platform != "win32":
        # an alarm that rings when Python has put its handlers away would kill
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _stop(number: int, frame: FrameType | None) -> None:
    if _stops.leaving:
        return
    _stops.received = True
    if sys.platform != "win32" and _is_compiling(frame):
        # the compiler of the kernels drops exceptions, or breaks down: after it
        _wait(number)
        return
    _stops.waiting = None
    # As an exception, so that temporary files are removed on the way out.
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(TERMINATED)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(_COMPILER):
            return True
        frame = frame.f_back
    return False


def _wait(number: int) -> None:
    _stops.waiting = number
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, _SOON)


def _stop_again(_alarm: int, frame: FrameType | None) -> None:
    if _stops.waiting is not None:
        _stop(_stops.waiting, frame)


def _keep_stops(unraisable: "sys.UnraisableHookArgs") -> None:
    """See to it that a stop comes again where Python has dropped it.

    It drops what is raised in a finalizer or in a callback from C.
    """
    stops = {KeyboardInterrupt: signal.SIGINT, SystemExit: signal.SIGTERM}
    if _stops.leaving:
        return
    if unraisable.exc_type in stops:
        _wait(stops[unraisable.exc_type])
    elif not _stops.received:  # what a stop has left half made complains when it is thrown away
        sys.__unraisablehook__(unraisable)
