"""Which rows are for training and which for testing: small named rules."""

import hashlib
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class SplitRule(Protocol):
    """What the protocol needs to know of a way to split."""

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        ...

    @property
    def seed_name(self) -> str:
        """What of the name takes part in the seed: rules with the same one draw the same rows."""
        ...

    def rows(
        self, y: NDArray[np.int64], groups: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Training and test rows, both in random order."""
        ...


def seed_of(*parts: object) -> int:
    """A seed below 2**32 made from names: the same names, the same seed, on any machine.

    Examples
    --------
    >>> from optimargin.experiments.splits import seed_of
    >>> seed_of("BC", 0) == seed_of("BC", 0), seed_of("BC", 0) == seed_of("BC", 1)
    (True, False)
    """
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


@dataclass(frozen=True)
class Stratified:
    """The same share of every class for training (the paper's 70 %)."""

    train: float = 0.7

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        return f"stratified(train={self.train:g})"

    @property
    def seed_name(self) -> str:
        """All of it."""
        return self.name

    def rows(
        self, y: NDArray[np.int64], groups: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """A class of one sample is trained on; larger ones leave at least one on either side."""
        train, test = [], []
        for label in np.unique(y):
            shuffled = rng.permutation(np.flatnonzero(y == label))
            cut = _cut(shuffled.size, self.train)
            train.append(shuffled[:cut])
            test.append(shuffled[cut:])
        return _shuffled(train, rng), _shuffled(test, rng)


@dataclass(frozen=True)
class Grouped:
    """As ``Stratified``, but the rows of a group stay together on one side."""

    train: float = 0.7

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        return f"grouped(train={self.train:g})"

    @property
    def seed_name(self) -> str:
        """All of it."""
        return self.name

    def rows(
        self, y: NDArray[np.int64], groups: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Groups are dealt by their commonest class until its share of rows is reached."""
        if groups is None:
            raise ValueError("A grouped split needs groups; none were given.")
        numbers, codes = np.unique(groups, return_inverse=True)
        labels = np.unique(y)
        counts = np.zeros((numbers.size, labels.size), dtype=np.int64)
        np.add.at(counts, (codes, np.searchsorted(labels, y)), 1)
        sizes, commonest = counts.sum(axis=1), counts.argmax(axis=1)
        in_train = np.zeros(numbers.size, dtype=bool)
        for label in range(labels.size):
            shuffled = rng.permutation(np.flatnonzero(commonest == label))
            if shuffled.size == 0:
                continue
            reached = np.cumsum(sizes[shuffled]) - sizes[shuffled] / 2.0
            cut = int(np.searchsorted(reached, self.train * sizes[shuffled].sum()))
            cut = min(max(cut, 1), max(shuffled.size - 1, 1))
            in_train[shuffled[:cut]] = True
        train = np.flatnonzero(in_train[codes])
        test = np.flatnonzero(~in_train[codes])
        if test.size == 0:
            raise ValueError(
                "A grouped split needs at least two groups in some class; every row would be "
                "trained on."
            )
        return rng.permutation(train), rng.permutation(test)


@dataclass(frozen=True)
class Imbalanced:
    """The paper's imbalance test: a fixed share of the first class, ``positive`` of the second.

    The shares are nested, and whatever they are the test rows are the same: what is left of both
    classes after a stratified split.
    """

    positive: float
    train: float = 0.7

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        return f"imbalanced(positive={self.positive:g}, train={self.train:g})"

    @property
    def seed_name(self) -> str:
        """Without the share of the second class."""
        return f"imbalanced(train={self.train:g})"

    def rows(
        self, y: NDArray[np.int64], groups: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Two classes only."""
        first, second = (rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y))
        cuts = _cut(first.size, self.train), _cut(second.size, self.train)
        used = max(1, round(self.positive * second.size))
        train = [first[: cuts[0]], second[: min(used, cuts[1])]]
        return _shuffled(train, rng), np.concatenate([first[cuts[0] :], second[cuts[1] :]])


@dataclass(frozen=True)
class Whole:
    """Every row is trained on and tested on: for pictures and training scores."""

    name: ClassVar[str] = "whole"
    seed_name: ClassVar[str] = "whole"

    def rows(
        self, y: NDArray[np.int64], groups: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """All rows, twice."""
        everything = np.arange(y.size)
        return everything, everything


def _cut(size: int, share: float) -> int:
    return min(max(round(share * size), 1), max(size - 1, 1))


def _shuffled(parts: list[Rows], rng: np.random.Generator) -> Rows:
    return rng.permutation(np.concatenate(parts))
