"""``optimargin evaluate``: how well a model does on a table with known classes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from optimargin.cli.stored import StoredModel


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")],
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="CSV or Parquet file, or - for standard input."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Compare a model's predictions with the true classes of a table."""
    from optimargin.cli.output import show_json, show_rows
    from optimargin.cli.stored import load

    stored = load(model)
    target = stored.about["target"]
    name = "standard input" if table == "-" else table
    frame = stored.read(table, target)
    truth, labelled = _true_labels(frame[target], stored, name)
    values = stored.columns.select(frame[labelled], name)
    result = _measures(stored, values, truth)
    result["rows_without_label"] = int((~labelled).sum())
    if as_json:
        show_json({"model": str(model), "table": name, **result})
        return
    print(f"{name}: {result['rows']:,} rows", end="")
    skipped = result["rows_without_label"]
    print(f" ({skipped:,} without a label left out)" if skipped else "")
    for measure in ("balanced_accuracy", "accuracy", "macro_f1", "roc_auc"):
        if result.get(measure) is not None:
            print(f"  {measure.replace('_', ' '):18}{100 * result[measure]:7.2f} %")
    print()
    classes = [str(label) for label in stored.about["classes"]]
    rows = [["true \\ predicted", *classes, "found"]]
    for label, counts in zip(classes, result["confusion"], strict=True):
        found = f"{100 * counts[classes.index(label)] / sum(counts):.1f} %" if sum(counts) else "-"
        rows.append([label, *(f"{count:,}" for count in counts), found])
    show_rows(rows)


def _true_labels(
    values: Any, stored: "StoredModel", name: str
) -> tuple["NDArray[Any]", "NDArray[Any]"]:
    from optimargin.files import FileError

    classes, target = stored.about["classes"], stored.about["target"]
    labelled = values.notna().to_numpy()
    labels = values[labelled]
    if len(labels) == 0:
        raise FileError(f"column {target!r} of {name} has no values: every label is missing")
    unknown = labels[~labels.isin(classes)]
    if len(unknown):
        known = ", ".join(map(repr, classes[:8]))
        raise FileError(
            f"column {target!r} of {name} says {unknown.iloc[0]!r} in row {unknown.index[0] + 1}; "
            f"the classes of the model are {known}"
        )
    # Numbers with missing values among them have become float.
    return labels.astype(type(classes[0])).to_numpy(), labelled


def _measures(stored: "StoredModel", values: Any, truth: "NDArray[Any]") -> dict[str, Any]:
    import numpy as np
    from sklearn import metrics

    classes = stored.about["classes"]
    predicted = stored.pipeline.predict(values)
    confusion = metrics.confusion_matrix(truth, predicted, labels=classes)
    present = confusion.sum(axis=1) > 0
    found = np.diag(confusion)[present] / confusion.sum(axis=1)[present]
    result = {
        "rows": len(truth),
        "balanced_accuracy": found.mean(),
        "accuracy": np.diag(confusion).sum() / len(truth),
        "macro_f1": metrics.f1_score(
            truth, predicted, labels=classes, average="macro", zero_division=0.0
        ),
        "roc_auc": None,
        "classes": classes,
        "confusion": confusion.tolist(),
    }
    if len(classes) == 2 and present.all():
        scores = stored.pipeline.decision_function(values)
        result["roc_auc"] = metrics.roc_auc_score(truth == classes[1], scores)
    return result
