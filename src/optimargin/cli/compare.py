"""``optimargin compare``: several methods on the same splits of a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd


def compare(
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="CSV or Parquet file, or - for standard input."),
    ],
    target: Annotated[str, typer.Option("--target", "-t", help="Column that holds the classes.")],
    methods: Annotated[
        str | None,
        typer.Option(help="Names with commas between; the others are compared with the first."),
    ] = None,
    splits: Annotated[int, typer.Option(help="Random splits.", min=1)] = 30,
    noise: Annotated[
        str, typer.Option(help="Shares of noisy training rows, such as 0,0.15.")
    ] = "0",
    noise_kind: Annotated[str, typer.Option(help="replace, append or flip.")] = "replace",
    group: Annotated[
        str | None, typer.Option(help="Column whose equal entries stay on one side of a split.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out, such as an identifier; repeat.")
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="Column of numbers that are codes of categories; repeat."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes; 0 is one a core.", min=0)] = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for one fit and its predictions.", min=0.01)
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="File that keeps the results; resumes from it.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="HTML page to write.")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for every single result.")] = None,
) -> None:
    """Compare methods on a table: means, standard errors, significance, and what it means."""
    import numpy as np

    from optimargin.experiments.comparison import compare as compare_arrays
    from optimargin.experiments.methods import DEFAULT_METHODS
    from optimargin.experiments.paper.reproduce import default_jobs
    from optimargin.files import FileError, read_table, sort_columns, table_pipeline
    from optimargin.files.columns import labels_of

    name = "standard input" if table == "-" else table
    codes = categorical or []
    frame = read_table(table, without=drop or (), text=codes)
    labels, labelled = labels_of(_column(frame, target, name), target, name)
    groups = None
    unused = [target]
    if group is not None:
        entries = _column(frame, group, name)[labelled]
        if entries.isna().any():
            row = int(np.flatnonzero(entries.isna().to_numpy())[0]) + 1
            raise FileError(f"column {group!r} of {name} has no entry in row {row}")
        groups = entries.astype(str).to_numpy()
        unused.append(group)
    features = frame.drop(columns=unused)[labelled]
    for code in codes:
        _column(features, code, name)
    columns = sort_columns(features, name, categorical=codes)
    prepared: Any = table_pipeline(columns, "passthrough").fit_transform(
        columns.select(features, name)
    )
    _tell_preparation(columns, int((~labelled).sum()))

    result = compare_arrays(
        prepared,
        labels,
        methods=DEFAULT_METHODS if methods is None else methods,
        splits=splits,
        noise=_shares(noise),
        noise_kind=noise_kind,
        groups=groups,
        jobs=jobs or default_jobs(),
        time_limit=time_limit,
        store=store,
        name=Path(table).name.partition(".")[0] if table != "-" else "table",
        verbose=1,
    )
    if result.run.computed or not result.run.interrupted:
        print(result)
    if report is not None:
        print(f"\nWrote {result.report(report)}")
    if csv is not None:
        result.to_csv(csv)
        print(f"\nWrote {csv}")
    if result.run.interrupted:
        raise typer.Exit(130)


def _column(frame: "pd.DataFrame", column: str, name: str) -> "pd.Series":
    from optimargin.files.tables import require_column

    require_column(column, frame.columns, name)
    return frame[column]


def _shares(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a list of shares such as 0,0.15", param_hint="--noise"
        ) from None


def _tell_preparation(columns: Any, without_label: int) -> None:
    from optimargin.cli.output import note

    if without_label:
        note(f"{without_label} rows without a label are left out")
    for column, reason in columns.left_out.items():
        note(f"left out {column!r}: {reason}")
    if columns.missing:
        note(
            f"missing values in {', '.join(columns.missing)} became the median of the whole "
            "column, or a category of their own"
        )
