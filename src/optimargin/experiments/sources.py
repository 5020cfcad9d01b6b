"""Where the rows of an experiment come from, and the form in which the engine sees them."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from optimargin.datasets import load, make_two_classes
from optimargin.experiments.splits import Stratified, seed_of


@dataclass(frozen=True, eq=False)
class Problem:
    """A classification problem: features, class codes 0..c-1, the classes' names, and groups."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    classes: tuple[str, ...]
    groups: NDArray[np.int64] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything; a changed value is another problem."""
        digest = hashlib.blake2b(digest_size=8)
        digest.update(repr((self.X.shape, self.classes)).encode())
        digest.update(np.ascontiguousarray(self.X).data)
        digest.update(np.ascontiguousarray(self.y).data)
        if self.groups is not None:
            digest.update(np.ascontiguousarray(self.groups).data)
        return digest.hexdigest()


_GROUPED = ("BC", "SR")


class Source(Protocol):
    """A name, and how to get the rows; small enough to be sent to another process."""

    @property
    def name(self) -> str:
        """What the data are called in tables and seeds."""
        ...

    def load(self) -> Problem:
        """The rows themselves."""
        ...


@dataclass(frozen=True)
class Benchmark:
    """One of the nineteen sets; ``rows`` takes a stratified part of a large one.

    Two sets have groups: pieces of one recording (SR), and equal rows (BC).
    """

    key: str
    rows: int | None = None
    folder: str | None = None

    @property
    def name(self) -> str:
        """The paper's name, with the number of rows if not all are taken."""
        return self.key if self.rows is None else f"{self.key}-{self.rows}"

    def load(self) -> Problem:
        """Load the set, and take the part."""
        record = load(self.key, self.folder)
        classes, codes = np.unique(record.y, return_inverse=True)
        groups = record.groups if self.key in _GROUPED else None
        problem = Problem(record.X, codes.astype(np.int64), tuple(map(str, classes)), groups)
        if self.rows is None or self.rows >= record.y.size:
            return problem
        rng = np.random.default_rng(seed_of("part", self.name))
        part, _ = Stratified(self.rows / record.y.size).rows(problem.y, None, rng)
        return Problem(
            problem.X[part],
            problem.y[part],
            problem.classes,
            groups[part] if groups is not None else None,
        )


@dataclass(frozen=True)
class Synthetic:
    """The paper's two normal classes, with outliers or overlap; the name fixes the rows."""

    name: str
    n_negative: int
    n_positive: int
    n_outliers: int = 0
    outlier_label: int = 1
    overlapping: bool = False

    def load(self) -> Problem:
        """Draw the rows."""
        X, y = make_two_classes(
            self.n_negative,
            self.n_positive,
            n_outliers=self.n_outliers,
            outlier_label=self.outlier_label,
            overlapping=self.overlapping,
            random_state=seed_of("synthetic", self.name),
        )
        return Problem(X, y, ("-1", "+1"))


@dataclass(frozen=True, eq=False)
class Given:
    """Rows that are already here."""

    name: str
    problem: Problem

    def load(self) -> Problem:
        """Nothing to do."""
        return self.problem


def problem_from_arrays(X: Any, y: Any, groups: Any = None) -> Problem:
    """Check a user's data once, with messages that say where they are not fit for use."""
    features = np.asarray(X)
    if features.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features; it has {features.ndim}.")
    try:
        features = features.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X holds something that is not a number ({error}). Encode text columns first, "
            "for example with pandas.get_dummies."
        ) from error
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise ValueError(
            f"X has a missing or infinite value in row {row}, column {column} (counted from 0). "
            "Fill or drop such rows first."
        )
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        raise ValueError(
            f"y must have one label for each of the {features.shape[0]} rows of X; "
            f"its shape is {labels.shape}."
        )
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise ValueError("y holds one class only; there is nothing to tell apart.")
    if classes.size > max(20, labels.size // 4):
        raise ValueError(
            f"y has {classes.size} different values in {labels.size} rows: that looks like a "
            "number to predict, not a class."
        )
    numbers = None
    if groups is not None:
        given = np.asarray(groups)
        if given.shape != labels.shape:
            raise ValueError(
                f"groups must have one entry for each of the {labels.size} rows; "
                f"its shape is {given.shape}."
            )
        numbers = np.unique(given, return_inverse=True)[1].astype(np.int64)
    return Problem(
        np.ascontiguousarray(features), codes.astype(np.int64), tuple(map(str, classes)), numbers
    )
