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


class _Stops:
    """What this process knows of signals that asked it to stop."""

    received = False
    lost: signal.Signals | None = None  # Python has dropped its exception
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
    code = exit_code()
    _stops.leaving = True
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
        if _stops.lost is not None:
            # It is the lost stop that broke what was running.
            _stops.leaving = True
            return _stopped() if _stops.lost == signal.SIGINT else TERMINATED
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
    _stops.leaving = True
    return _say("stopped; no file was left half-written", INTERRUPTED)


def _say(message: str, code: int) -> int:
    print(f"optimargin: {message}", file=sys.stderr)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split()) or "no further explanation"


def _stop(number: int, _frame: FrameType | None) -> None:
    if _stops.leaving:
        return
    _stops.received = True
    _stops.lost = None
    # As an exception, so that temporary files are removed on the way out.
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(TERMINATED)


def _stop_again(_alarm: int, frame: FrameType | None) -> None:
    if _stops.lost is not None:
        _stop(_stops.lost, frame)


def _keep_stops(unraisable: "sys.UnraisableHookArgs") -> None:
    """See to it that a stop comes again where Python has dropped it.

    It drops what is raised in a callback from C, such as the compiler of the kernels makes, and in
    a finalizer.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _stops.lost = signal.SIGINT
    elif issubclass(unraisable.exc_type, SystemExit):
        _stops.lost = signal.SIGTERM
    elif _stops.received:
        return  # what a stop has left half made complains when it is thrown away
    else:
        sys.__unraisablehook__(unraisable)
        return
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, _SOON)
