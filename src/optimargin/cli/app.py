"""The commands, gathered. What they need is imported when one of them runs."""

from typing import Annotated

import typer

from optimargin import __version__
from optimargin.cli import datasets
from optimargin.cli.compare import compare
from optimargin.cli.demo import demo
from optimargin.cli.evaluate import evaluate
from optimargin.cli.fit import fit
from optimargin.cli.inspect import inspect
from optimargin.cli.predict import predict
from optimargin.cli.reproduce import reproduce

app = typer.Typer(
    name="optimargin",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Rendering help with rich takes longer than everything else together.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, fit, predict, evaluate, inspect, compare, reproduce):
    app.command()(command)
app.add_typer(datasets.app, name="datasets")


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
