"""What a model says about itself, in lines of text."""

from typing import Any

MOST_TERMS = 12


def preparation_lines(about: dict[str, Any]) -> list[str]:
    """What was done to the columns of the table."""
    lines = [
        f"Target {about['target']!r}: {_counted(about['classes'], about['training'])}",
        f"Features: {len(about['numeric'])} numeric, {len(about['categorical'])} categorical",
    ]
    if about["training"].get("rows_without_label"):
        lines.append(f"  rows without a label, left out: {about['training']['rows_without_label']}")
    for column, reason in about["left_out"].items():
        lines.append(f"  left out {column!r}: {reason}")
    for column, count in about["missing"].items():
        how = "the median" if column in about["numeric"] else "a category of their own"
        lines.append(f"  {column!r}: {count} missing values became {how}")
    return lines


def training_lines(about: dict[str, Any]) -> list[str]:
    """How the training went, one line for each pair of classes."""
    training = about["training"]
    lines = [f"Trained on {training['rows']:,} rows in {training['seconds']:.2f} s"]
    names = pair_names(about["classes"])
    for pair, name in enumerate(names):
        begin = "" if len(names) == 1 else f"{name}: "
        accuracy = 100 * training["balanced_accuracy"][pair]
        lines.append(
            f"  {begin}training balanced accuracy {accuracy:.2f} %, "
            f"margin {training['margin'][pair]:.4g}, {training['generations'][pair]} generations, "
            f"stopped by: {training['stop_reason'][pair]}"
        )
    return lines


def pair_names(classes: list[Any]) -> list[str]:
    """The pairs of classes in the order of the classifier's attributes."""
    return [
        f"{first} or {second}"
        for index, first in enumerate(classes)
        for second in classes[index + 1 :]
    ]


def equation_lines(weights: list[tuple[str, float]], intercept: float, label: str) -> list[str]:
    """The rule of one separator in the units of the table.

    Parameters
    ----------
    weights : list of (name, weight)
        In the order in which they are shown.
    intercept : float
        What is added to the weighted sum.
    label : str
        The class that a sum above the threshold stands for.
    """
    shown = [(name, weight) for name, weight in weights if weight != 0]
    lines = [f"{label} if"]
    for place, (name, weight) in enumerate(shown[:MOST_TERMS]):
        sign = "-" if weight < 0 else " " if place == 0 else "+"
        term = f"({name})" if " = " in name else name
        lines.append(f"  {sign} {abs(weight):.5g} * {term}")
    if len(shown) > MOST_TERMS:
        lines.append(f"    ... and {len(shown) - MOST_TERMS} smaller terms (all with --json)")
    lines.append(f"  > {-intercept:.5g}")
    return lines


def _counted(classes: list[Any], training: dict[str, Any]) -> str:
    counts = zip(classes, training["rows_of_class"], strict=True)
    return ", ".join(f"{label} ({count:,})" for label, count in counts)
