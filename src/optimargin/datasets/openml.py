"""Benchmark sets from OpenML, converted to the same values and checked against a checksum."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray

from optimargin.datasets.registry import Description

Arrays = tuple[NDArray[np.float64], NDArray[np.int64], tuple[str, ...]]

_YEAST_ORDER = ("CYT", "NUC", "MIT", "ME3", "ME2", "ME1", "EXC", "VAC", "POX", "ERL")
# Where the labels there are not the labels here in sorted order. Two classes need no entry: both
# orders are tried and the checksum decides.
_LABEL_MAPS: dict[str, Callable[[str], int]] = {
    "GC": lambda label: int("wind" in label),
    "YD": lambda label: _YEAST_ORDER.index(label.strip("'\" ")),
}
_MISSING = {"BC": 3.5}


def fetch(description: Description, fetcher: Callable[..., Any] | None = None) -> Arrays | None:
    """Fetch one set, or None when OpenML cannot be reached.

    A copy with other values is refused with a ValueError. ``fetcher`` stands in for
    :func:`sklearn.datasets.fetch_openml`.
    """
    if fetcher is None:
        from sklearn.datasets import fetch_openml

        fetcher = fetch_openml
    try:
        with warnings.catch_warnings():
            # Of a copy in scikit-learn's own cache that has to be fetched again.
            warnings.simplefilter("ignore")
            bunch: Mapping[str, Any] = fetcher(
                data_id=description.openml_id, as_frame=False, parser="liac-arff"
            )
    except (URLError, OSError):
        return None
    X = np.asarray(bunch["data"], dtype=np.float64)
    missing = _MISSING.get(description.name)
    if missing is not None:
        X = np.where(np.isnan(X), missing, X)
    names = tuple(str(entry) for entry in bunch["feature_names"])
    return X, _matching_labels(description, X, np.asarray(bunch["target"])), names


def _matching_labels(
    description: Description, X: NDArray[np.float64], target: NDArray[Any]
) -> NDArray[np.int64]:
    from optimargin.datasets.loading import values_checksum

    for labels in _candidate_labels(description, target):
        if values_checksum(X, labels) == description.checksum:
            return labels
    raise ValueError(
        f"The data set {description.openml_id} of OpenML does not hold the values of "
        f"{description.name} ({description.title}); it was not used. Name a folder with the right "
        "file by `data=` or OPTIMARGIN_DATA."
    )


def _candidate_labels(description: Description, target: NDArray[Any]) -> list[NDArray[np.int64]]:
    own_map = _LABEL_MAPS.get(description.name)
    if own_map is not None:
        return [np.array([own_map(str(entry)) for entry in target], dtype=np.int64)]
    found = sorted(set(target.tolist()), key=_label_order)
    if len(found) != description.n_classes:
        return []
    candidates = []
    for order in (found, found[::-1]):
        mapping = dict(zip(order, description.labels, strict=True))
        candidates.append(np.array([mapping[entry] for entry in target.tolist()], dtype=np.int64))
    return candidates


def _label_order(label: object) -> tuple[float, str]:
    try:
        return float(str(label)), ""
    except ValueError:
        return float("inf"), str(label)
