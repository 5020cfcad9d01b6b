"""``optimargin demo``: five classifiers compared in a few seconds, without a network."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from optimargin.experiments.demonstration import Demonstration


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write.")] = Path(
        "optimargin-demo.html"
    ),
    splits: Annotated[int, typer.Option(help="Random splits to average over.", min=2)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Compare with logistic regression, linear SVM and LDA on scikit-learn's breast cancer data.

    Prints a table and writes it with three figures to a page that needs nothing else.
    """
    from optimargin.cli.output import show_json
    from optimargin.experiments.demonstration import demonstrate
    from optimargin.experiments.demonstration_page import demonstration_page, summary_sentence
    from optimargin.files import written_whole

    if not as_json:
        print("Compiling (the first time only) and fitting ...", file=sys.stderr)
    result = demonstrate(splits, _advance)
    with written_whole(output) as file:
        file.write(demonstration_page(result).encode())
    if as_json:
        show_json(_as_json(result, output))
        return
    _show(result)
    print(f"\n{summary_sentence(result)}")
    print(f"\nWrote {output}: the table and three figures")


def _advance(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\r" + " " * 24 + "\r" if done == total else ""
        print(f"\r{done} of {total} fits{end}", end="", file=sys.stderr, flush=True)


def _show(result: "Demonstration") -> None:
    from optimargin.cli.output import show_rows
    from optimargin.experiments.demonstration_page import in_percent, in_seconds

    print(
        f"Balanced accuracy in %, mean and standard error over {result.n_splits} splits of the "
        "breast cancer data.\nNoise: 15 % of the malignant training rows replaced at random.\n"
    )
    rows = [["", "clean train", "clean test", "noise train", "noise test", "time of a fit"]]
    for row in result.rows:
        scores = [row.train[0], row.test[0], row.train[1], row.test[1]]
        rows.append([row.method.title, *map(in_percent, scores), in_seconds(row.seconds)])
    show_rows(rows)


def _as_json(result: "Demonstration", output: Path) -> dict[str, object]:
    return {
        "page": str(output),
        "splits": result.n_splits,
        "rows": [
            {
                "method": row.method.name,
                "title": row.method.title,
                "clean": {"train": asdict(row.train[0]), "test": asdict(row.test[0])},
                "noise": {"train": asdict(row.train[1]), "test": asdict(row.test[1])},
                "seconds": asdict(row.seconds),
            }
            for row in result.rows
        ],
    }
