"""``optimargin inspect``: what a model file holds."""

from pathlib import Path
from typing import Annotated, Any

import typer


def inspect(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")],
    top: Annotated[int, typer.Option(help="How many of the largest weights to list.", min=1)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show a model: its equation, largest weights, threshold, margin and training.

    The influence of a weight is the weight times the spread of its column in training.
    """
    from optimargin.cli.output import show_json, show_rows
    from optimargin.cli.stored import load
    from optimargin.cli.text import equation_lines, preparation_lines, training_lines

    stored = load(model)
    about = stored.about
    separators = _separators(stored.pipeline.named_steps["classifier"], about)
    if as_json:
        show_json(
            {
                "model": str(model),
                "kind": stored.kind,
                "versions": stored.versions,
                **about,
                "separators": separators,
            }
        )
        return
    print(f"{model}: {stored.kind}, optimargin {stored.versions.get('optimargin', '?')}")
    for line in [*preparation_lines(about), *training_lines(about)]:
        print(line)
    for separator in separators:
        print()
        weights = [(weight["input"], weight["weight"]) for weight in separator["weights"]]
        second, first = separator["above"], separator["below"]
        for line in equation_lines(weights, -separator["threshold"], str(second)):
            print(line)
        print(f"otherwise {first}  (margin {separator['margin']:.4g})")
        print()
        rows = [["largest weights", "weight", "influence"]]
        for weight in separator["weights"][:top]:
            rows.append([weight["input"], f"{weight['weight']:.5g}", f"{weight['influence']:.3g}"])
        show_rows(rows)


def _separators(classifier: Any, about: dict[str, Any]) -> list[dict[str, Any]]:
    """Each pair's rule, its weights ordered by their influence."""
    from itertools import combinations

    separators = []
    for pair, (below, above) in enumerate(combinations(about["classes"], 2)):
        terms = [
            {"input": name, "weight": float(weight), "influence": float(weight) * spread}
            for name, weight, spread in zip(
                about["inputs"], classifier.coef_[pair], about["spread"], strict=True
            )
        ]
        terms.sort(key=lambda term: -abs(term["influence"]))
        separators.append(
            {
                "above": above,
                "below": below,
                "threshold": -float(classifier.intercept_[pair]),
                "margin": float(classifier.margin_[pair]),
                "weights": terms,
            }
        )
    return separators
