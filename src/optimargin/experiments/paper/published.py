"""The values that the paper prints, transcribed once (percent and seconds; marks as printed)."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: The paper's names of methods, and ours.
METHOD_NAMES = {
    "OEC": "oec-cmaes",
    "SLA": "sla",
    "SVM": "svm",
    "SVM-tuned": "svm-tuned",
    "SMP": "smp",
    "DEL": "del",
    "WSV": "wsv",
    "MBA": "mba",
}


@dataclass(frozen=True)
class Published:
    """A printed value. ``mark`` as printed: "*" OEC is better, "+" OEC is worse, "-" neither."""

    value: float
    mark: str


@dataclass(frozen=True)
class PublishedCount:
    """On how many sets OEC is printed to be significantly better and worse than a method."""

    wins: int
    losses: int


@cache
def published_values() -> dict[tuple[str, str, str, str, str], Published]:
    """By table, data set, noise ("0", "0.15"), our name of the method, and measure.

    Tables are "near-optimal", "binary", "multiclass" and "outliers"; measures "train" and "test" in
    percent, and "seconds".
    """
    return {
        (
            row["table"],
            row["data"],
            row["noise"],
            METHOD_NAMES[row["method"]],
            row["measure"],
        ): Published(float(row["value"]), row["mark"])
        for row in _rows("published.csv")
    }


@cache
def published_counts() -> dict[tuple[str, str, str, str], PublishedCount]:
    """By table, noise, measure, and our name of the method that OEC is compared with."""
    return {
        (
            row["table"],
            row["noise"],
            row["measure"],
            METHOD_NAMES[row["method"]],
        ): PublishedCount(int(row["wins"]), int(row["losses"]))
        for row in _rows("published_counts.csv")
    }


def _rows(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
