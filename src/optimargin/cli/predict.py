"""``optimargin predict``: labels and scores for the rows of a table."""

from pathlib import Path
from typing import Annotated

import typer


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")],
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="CSV or Parquet file, or - for standard input."),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="Table to write: .csv, .csv.gz or .parquet, or - for standard output.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Report as JSON.")] = False,
) -> None:
    """Write a table with a label and its score for each row of another table.

    With two classes the score is the signed distance from the separator, positive for the second
    class; with more there is a column for each class, and the greatest wins.
    """
    import numpy as np
    import pandas as pd

    from optimargin.cli.output import show_json
    from optimargin.cli.stored import load, score_columns
    from optimargin.files import write_table

    if as_json and output == "-":
        raise ValueError("--json and -o - would both write to standard output: choose one")
    stored = load(model)
    frame = stored.read(table)
    values = stored.columns.select(frame, "standard input" if table == "-" else table)
    scores = np.asarray(stored.pipeline.decision_function(values))
    labels = stored.pipeline.predict(values)
    result = pd.DataFrame({"label": labels})
    by_class = scores.reshape(len(frame), -1).T
    for name, score in zip(score_columns(stored.about["classes"]), by_class, strict=True):
        result[name] = score
    write_table(result, output)
    counts = result["label"].value_counts().to_dict()
    rows_of_class = {str(label): counts.get(label, 0) for label in stored.about["classes"]}
    if as_json:
        show_json({"output": output, "rows": len(result), "rows_of_class": rows_of_class})
    elif output != "-":
        found = ", ".join(f"{label} ({count:,})" for label, count in rows_of_class.items())
        print(f"Wrote {output}: {len(result):,} rows, predicted {found}")
