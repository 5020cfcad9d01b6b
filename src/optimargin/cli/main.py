"""The entry point, and what becomes of errors: one line and an exit code, never a traceback."""

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

FAILED = 1
MISUSED = 2
INTERRUPTED = 130
TERMINATED = 143
TRACEBACK = "OPTIMARGIN_TRACEBACK"

_SOON = 0.05  # seconds

_stops: list[int] = []  # signals that asked to stop
_lost_stops: list[signal.Signals] = []


def run() -> None:
    """Run the command line and leave with its exit code."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # not where it is ignored
        signal.signal(signal.SIGINT, _stop)
    sys.unraisablehook = _keep_stops
    for stream in (sys.stdout, sys.stderr):
        # A label that the terminal cannot show is no reason to fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    code = exit_code()
    if _lost_stops:
        # What was sent again must not disturb the way out.
        signal.signal(_lost_stops[-1], signal.SIG_IGN)
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
        if _lost_stops:
            # It is the lost stop that broke what was running.
            return _stopped() if _lost_stops[-1] == signal.SIGINT else TERMINATED
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
    return _say("stopped; no file was changed", INTERRUPTED)


def _say(message: str, code: int) -> int:
    print(f"optimargin: {message}", file=sys.stderr)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split()) or "no further explanation"


def _stop(number: int, _frame: FrameType | None) -> None:
    # As an exception, so that temporary files are removed on the way out.
    _stops.append(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(TERMINATED)


def _keep_stops(unraisable: "sys.UnraisableHookArgs") -> None:
    """Send a stop again that Python has dropped.

    It drops what is raised in a callback from C, such as the compiler of the kernels makes, and in
    a finalizer.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        lost = signal.SIGINT
    elif issubclass(unraisable.exc_type, SystemExit):
        lost = signal.SIGTERM
    else:
        # What a stop has left half made may complain when it is thrown away.
        if not _stops:
            sys.__unraisablehook__(unraisable)
        return
    _lost_stops.append(lost)
    again = threading.Timer(_SOON, _stop_again, [lost])
    again.daemon = True
    again.start()


def _stop_again(lost: signal.Signals) -> None:
    if hasattr(signal, "pthread_kill"):
        # To the main thread, so that one that waits is woken.
        signal.pthread_kill(threading.main_thread().ident, lost)  # type: ignore[arg-type]
    else:
        signal.raise_signal(lost)
