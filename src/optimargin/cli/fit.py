"""``optimargin fit``: from a table to a model file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from optimargin.files import Columns


def fit(
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="CSV or Parquet file, or - for standard input."),
    ],
    target: Annotated[str, typer.Option("--target", "-t", help="Column that holds the classes.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out, such as an identifier; repeat.")
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="Column of numbers that are codes of categories; repeat."),
    ] = None,
    optimizer: Annotated[
        str | None,
        typer.Option(
            help="memetic (default), coordinate, cma_es, separable_cma_es, evolution_strategy, "
            "particle_swarm."
        ),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="best, or average: the mean of many that are nearly as good.")
    ] = None,
    l1: Annotated[float, typer.Option(help="Weight of the L1 penalty.", min=0.0)] = 0.0,
    class_weight: Annotated[
        str, typer.Option(help='balanced, none, or costs such as "yes=5,no=1".')
    ] = "balanced",
    scaling: Annotated[str, typer.Option(help="standardize, whiten or none.")] = "standardize",
    start: Annotated[str, typer.Option(help="Where the search begins.")] = "auto",
    population_size: Annotated[
        int | None, typer.Option(help="Candidates in a generation.", min=1)
    ] = None,
    max_generations: Annotated[int | None, typer.Option(help="Generations.", min=1)] = None,
    max_time: Annotated[
        float | None, typer.Option(help="Seconds for the whole fit.", min=0.0)
    ] = None,
    patience: Annotated[
        int | None, typer.Option(help="Generations without progress before stopping.", min=1)
    ] = None,
    restarts: Annotated[int, typer.Option(help="Independent searches.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same model.", min=0)] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Processes for pairs of classes and restarts; -1 is all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Report as JSON.")] = False,
) -> None:
    """Train a classifier on a table and store it.

    Text columns are taken as categories, missing numbers become the median of their column.
    """
    import sys
    from time import perf_counter

    from optimargin.cli.output import warnings_as_notes
    from optimargin.files import read_table, save_model, sort_columns, table_pipeline
    from optimargin.files.columns import labels_of

    name = "standard input" if table == "-" else table
    codes = categorical or []
    frame = read_table(table, without=drop or (), text=codes)
    labels, labelled = labels_of(_column(frame, target, name), target, name)
    features = frame.drop(columns=target)[labelled]
    for code in codes:
        _column(features, code, name)
    columns = sort_columns(features, name, categorical=codes)

    # Not before the table is known to be one: this loads the compiled search.
    from optimargin import OptimalMarginClassifier

    given = {"optimizer": optimizer, "separator": separator}
    choice: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    classifier = OptimalMarginClassifier(
        **choice,
        l1=l1,
        class_weight=_class_weight(class_weight, labels, target),
        scaling=None if scaling == "none" else scaling,
        start=start,
        population_size=population_size,
        max_generations=max_generations,
        max_time=max_time,
        patience=patience,
        restarts=restarts,
        n_jobs=jobs,
        random_state=seed,
        verbose=int(sys.stderr.isatty()),
    )
    pipeline = table_pipeline(columns, classifier)
    values = columns.select(features, name)
    began = perf_counter()
    with warnings_as_notes():
        pipeline.fit(values, labels)
    seconds = perf_counter() - began
    classifier.set_params(verbose=0)

    about = _about(pipeline, columns, target, values, labels)
    about["training"] |= {
        "table": name if table == "-" else Path(table).name,
        "rows_without_label": len(frame) - len(labels),
        "seconds": seconds,
    }
    save_model(output, pipeline, about)
    _report(about, output, as_json)


def _column(frame: "pd.DataFrame", column: str, name: str) -> "pd.Series":
    from optimargin.files.tables import require_column

    require_column(column, frame.columns, name)
    return frame[column]


def _class_weight(text: str, labels: "NDArray[Any]", target: str) -> str | dict[Any, float] | None:
    if text in ("balanced", "none"):
        return None if text == "none" else text
    by_text = {str(label): label for label in labels.tolist()}
    costs = {}
    for part in text.split(","):
        label, separator, cost = part.rpartition("=")
        if not separator or label.strip() not in by_text:
            raise ValueError(
                f"--class-weight {text!r}: write balanced, none, or a cost for each class of "
                f"{target!r}, as in " + ",".join(f"{known}=1" for known in sorted(by_text)[:3])
            )
        try:
            costs[by_text[label.strip()]] = float(cost)
        except ValueError:
            raise ValueError(f"--class-weight {text!r}: {cost!r} is not a number") from None
    return costs


def _about(
    pipeline: Any, columns: "Columns", target: str, values: Any, labels: "NDArray[Any]"
) -> dict[str, Any]:
    """What the model file tells about itself."""
    from datetime import UTC, datetime

    import numpy as np

    from optimargin.cli.output import plain
    from optimargin.files.columns import input_names

    classifier = pipeline.named_steps["classifier"]
    classes, counts = np.unique(labels, return_counts=True)
    about: dict[str, Any] = plain(
        {
            "target": target,
            "numeric": columns.numeric,
            "categorical": columns.categorical,
            "left_out": columns.left_out,
            "missing": columns.missing,
            "inputs": input_names(pipeline),
            "spread": pipeline.named_steps["columns"].transform(values).std(axis=0),
            "classes": classes,
            "training": {
                "rows": len(labels),
                "rows_of_class": counts,
                "balanced_accuracy": classifier.score_,
                "margin": classifier.margin_,
                "generations": classifier.n_iter_,
                "evaluations": classifier.n_evaluations_,
                "stop_reason": classifier.stop_reason_,
                "parameters": classifier.get_params(),
                "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            },
        }
    )
    return about


def _report(about: dict[str, Any], output: Path, as_json: bool) -> None:
    from optimargin.cli.output import show_json
    from optimargin.cli.text import preparation_lines, training_lines

    if as_json:
        show_json({"model": str(output), **about})
        return
    for line in [*preparation_lines(about), *training_lines(about)]:
        print(line)
    print(f"Saved {output}")
