"""``optimargin datasets``: what the benchmark sets are, and where they come from."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="List, fetch or describe the nineteen benchmark sets.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DATA = typer.Option(help="Folder of the data files; else OPTIMARGIN_DATA.")


@app.command("list")
def list_sets(data: Annotated[Path | None, _DATA] = None) -> None:
    """One line a set: sizes, what it is, and whether it is here."""
    from optimargin.cli.output import show_rows
    from optimargin.datasets import DESCRIPTIONS
    from optimargin.datasets.loading import is_at_hand

    rows = [["set", "what", "here", "rows", "features", "classes", "as in the paper"]]
    for name, entry in DESCRIPTIONS.items():
        here = "yes" if is_at_hand(name, data) else "no"
        sizes = [f"{entry.n_rows:,}", str(entry.n_features), str(entry.n_classes)]
        agrees = "yes" if entry.agrees_with_paper else "no"
        rows.append([name, entry.title, here, *sizes, agrees])
    show_rows(rows, left=3)


@app.command()
def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Sets; all if left out.")
    ] = None,
    data: Annotated[Path | None, _DATA] = None,
) -> None:
    """Get sets from OpenML into the cache, unless they are here already."""
    from optimargin.datasets import DESCRIPTIONS, DatasetNotFoundError, load

    missing = []
    for name in names or list(DESCRIPTIONS):
        try:
            record = load(name, data)
        except DatasetNotFoundError as error:
            missing.append(str(error))
            print(f"{name}: not found")
        else:
            rows, features = record.X.shape
            print(f"{record.name}: {rows:,} rows, {features} features, from {record.source}")
    if missing:
        more = f" ({len(missing)} sets are missing)" if len(missing) > 1 else ""
        raise DatasetNotFoundError(missing[0] + more)


@app.command()
def describe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A set, such as BC.")],
    data: Annotated[Path | None, _DATA] = None,
) -> None:
    """What a set is, beside the paper's row of it."""
    from optimargin.datasets import describe as describe_set
    from optimargin.datasets.loading import is_at_hand

    entry = describe_set(name)
    print(f"{entry.name}: {entry.title}")
    print(f"  rows      {entry.n_rows:,}")
    print(f"  features  {entry.n_features} (paper: {entry.paper_n_features})")
    counts = zip(entry.labels, entry.counts, strict=True)
    print(f"  classes   {', '.join(f'{label}: {count:,}' for label, count in counts)}")
    print(f"  paper     {', '.join(f'{count:,}' for count in entry.paper_counts)}")
    print(f"  labels    {entry.meaning}")
    print(f"  OpenML    {entry.openml_id if entry.openml_id is not None else 'no known copy'}")
    print(f"  here      {'yes' if is_at_hand(name, data) else 'no'}")
    if entry.notes:
        print(f"  note      {entry.notes}")
