"""The commands, and what becomes of errors: one line and an exit code, never a traceback.

Nothing heavy is imported here or at the top of the commands' modules, so that ``--help`` is quick.
"""

import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer

from optimargin import __version__
from optimargin.cli.demo import demo
from optimargin.cli.evaluate import evaluate
from optimargin.cli.fit import fit
from optimargin.cli.inspect import inspect
from optimargin.cli.predict import predict

FAILED = 1
MISUSED = 2
INTERRUPTED = 130
TERMINATED = 143
TRACEBACK = "OPTIMARGIN_TRACEBACK"

app = typer.Typer(
    name="optimargin",
    help="Linear classification by direct optimisation of the balanced 0-1 loss.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, fit, predict, evaluate, inspect):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"optimargin {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Linear classification by direct optimisation of the balanced 0-1 loss."""


def run() -> None:
    """Run the command line and leave with its exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except KeyboardInterrupt:
        return _say("stopped; no file was changed", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has left, as in `optimargin ... | head`. Python would complain
        # once more when it closes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        return _report(error)


def _report(error: Exception) -> int:
    # Typer brings its own click since 0.26 and uses the installed one before: what its errors have
    # in common is how they speak.
    speak: Any = getattr(error, "format_message", None)
    if speak is not None:
        context: Any = getattr(error, "ctx", None)
        name = context.command_path if context is not None else "optimargin"
        return _say(f"{_one_line(speak())} (see {name} --help)", MISUSED)
    if type(error).__name__ == "Abort":
        return _say("stopped; no file was changed", INTERRUPTED)
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("optimargin"):
        return _say(f'{error.name} is missing: pip install "optimargin[cli]"', FAILED)
    if isinstance(error, ValueError):
        return _say(_one_line(str(error)), FAILED)
    if isinstance(error, MemoryError):
        return _say("the table does not fit into memory", FAILED)
    return _say(
        f"unexpected {type(error).__name__}: {_one_line(str(error))} "
        f"(set {TRACEBACK}=1 to see where, and please report it)",
        FAILED,
    )


def _say(message: str, code: int) -> int:
    print(f"optimargin: {message}", file=sys.stderr)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split()) or "no further explanation"


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    # As an exception, so that temporary files are removed on the way out.
    raise SystemExit(TERMINATED)
