"""Ways to spoil training data: small named objects with parameters.

In the paper the noise of Nguyen and Sanner is used for class +1: with labels in sorted order that
is the greater of two labels, and with more classes every class but the first.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float64]
Labels = NDArray[Any]


class Noise(Protocol):
    """What an experiment needs to know of a kind of noise."""

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        ...

    def apply(self, X: Features, y: Labels, random_state: Any) -> tuple[Features, Labels]:
        """New training rows; the given ones are left as they are."""
        ...


def noisy_classes(y: Labels) -> Labels:
    """The labels that get noise: all but the first in sorted order."""
    labels: Labels = np.unique(y)[1:]
    return labels


def _uniform_rows(X: Features, count: int, spread: float, rng: np.random.Generator) -> Features:
    low, high = X.min(axis=0), X.max(axis=0)
    reach = spread * (high - low)
    return rng.uniform(low - reach, high + reach, size=(count, X.shape[1]))


def _check_rate(rate: float) -> None:
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"The share of noisy samples must lie in [0, 1], got {rate}.")


@dataclass(frozen=True)
class NoNoise:
    """Leave the data alone."""

    name: ClassVar[str] = "none"

    def apply(self, X: Features, y: Labels, random_state: Any) -> tuple[Features, Labels]:
        """New training rows with this noise; the given ones are left as they are."""
        return X, y


@dataclass(frozen=True)
class Replace:
    """Replace a share of the samples of the noisy classes by uniform draws (the paper's noise).

    Each feature is drawn from the range of the data widened by ``spread`` times the range on
    either side; the label stays. ``spared`` is the class without noise, the "first" or the "last"
    in sorted order.

    Examples
    --------
    >>> import numpy as np
    >>> from optimargin.datasets import Replace
    >>> X, y = np.zeros((10, 2)), np.repeat([0, 1], 5)
    >>> X[:, 0] = np.arange(10)
    >>> noisy, _ = Replace(0.4).apply(X, y, random_state=0)
    >>> int((noisy != X).any(axis=1).sum())
    2
    """

    rate: float = 0.15
    spread: float = 0.5
    spared: str = "first"

    def __post_init__(self) -> None:
        _check_rate(self.rate)
        if self.spared not in ("first", "last"):
            raise ValueError(f'The class spared is the "first" or the "last", got {self.spared!r}.')

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        spared = "" if self.spared == "first" else f", spared={self.spared}"
        return f"replace(rate={self.rate:g}, spread={self.spread:g}{spared})"

    def apply(self, X: Features, y: Labels, random_state: Any) -> tuple[Features, Labels]:
        """New training rows with this noise; the given ones are left as they are."""
        rng = np.random.default_rng(random_state)
        noisy = X.copy()
        for label in noisy_classes(y) if self.spared == "first" else np.unique(y)[:-1]:
            rows = np.flatnonzero(y == label)
            chosen = rng.choice(rows, size=round(self.rate * rows.size), replace=False)
            # The range is that of the data as given, not of what other classes have become.
            noisy[chosen] = _uniform_rows(X, chosen.size, self.spread, rng)
        return noisy, y


@dataclass(frozen=True)
class Append:
    """Add uniform draws, labelled as the noisy classes, as many as ``Replace`` would replace."""

    rate: float = 0.15
    spread: float = 0.5

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        return f"append(rate={self.rate:g}, spread={self.spread:g})"

    def apply(self, X: Features, y: Labels, random_state: Any) -> tuple[Features, Labels]:
        """New training rows with this noise; the given ones are left as they are."""
        rng = np.random.default_rng(random_state)
        rows, labels = [X], [y]
        for label in noisy_classes(y):
            count = round(self.rate * np.count_nonzero(y == label))
            rows.append(_uniform_rows(X, count, self.spread, rng))
            labels.append(np.full(count, label, dtype=y.dtype))
        return np.vstack(rows), np.concatenate(labels)


@dataclass(frozen=True)
class Flip:
    """Give a share of all samples the label of another class, each other class alike."""

    rate: float = 0.15

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    @property
    def name(self) -> str:
        """The kind and all its parameters."""
        return f"flip(rate={self.rate:g})"

    def apply(self, X: Features, y: Labels, random_state: Any) -> tuple[Features, Labels]:
        """New training rows with this noise; the given ones are left as they are."""
        rng = np.random.default_rng(random_state)
        classes, codes = np.unique(y, return_inverse=True)
        if classes.size < 2:
            return X, y
        chosen = rng.choice(y.size, size=round(self.rate * y.size), replace=False)
        shift = rng.integers(1, classes.size, size=chosen.size)
        codes = codes.copy()
        codes[chosen] = (codes[chosen] + shift) % classes.size
        return X, classes[codes]


_KINDS = {"replace": Replace, "append": Append, "flip": Flip}


def make_noise(rate: float, kind: str = "replace") -> Noise:
    """The noise of a kind ("replace", "append", "flip") at a rate; none at rate 0."""
    if kind not in _KINDS:
        raise ValueError(f"There is no noise {kind!r}. The kinds are: {', '.join(_KINDS)}.")
    if rate == 0:
        return NoNoise()
    noise: Noise = _KINDS[kind](rate)
    return noise
