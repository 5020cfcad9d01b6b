"""The outcomes of a plan's cells, arranged for tables: by data set, noise, method and split."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.statistics import PairedTest, mean_and_error, paired_tests
from optimargin.experiments.store import Store

#: One row of a table: data set, noise, split rule, method.
Group = tuple[str, str, str, str]


@dataclass(frozen=True)
class Summary:
    """Mean, standard error and number of splits of one measure; the splits without a result."""

    mean: float
    error: float
    n_splits: int
    missing: Mapping[str, int]

    @property
    def problem(self) -> str:
        """What became of the splits without a result, in words; empty when there are none."""
        return ", ".join(f"{count} {status}" for status, count in sorted(self.missing.items()))


class Results:
    """Read once from a store; cells that are not there yet count as "not run"."""

    def __init__(self, cells: Iterable[Cell], outcomes: Mapping[str, Outcome]) -> None:
        self._groups: dict[Group, dict[int, Outcome | None]] = {}
        for cell in cells:
            group = (cell.data, cell.noise.name, cell.rule.name, cell.method.name)
            self._groups.setdefault(group, {})[cell.split] = outcomes.get(cell.key)
        names = list(self._groups)
        self.data = tuple(dict.fromkeys(group[0] for group in names))
        self.noises = tuple(dict.fromkeys(group[1] for group in names))
        self.rules = tuple(dict.fromkeys(group[2] for group in names))
        self.methods = tuple(dict.fromkeys(group[3] for group in names))

    @classmethod
    def read(cls, cells: Iterable[Cell], store: Store) -> "Results":
        """The outcomes that the store has of these cells."""
        listed = list(cells)
        return cls(listed, store.outcomes(cell.key for cell in listed))

    def outcomes(self, group: Group) -> dict[int, Outcome]:
        """The outcomes of a group by split, without the splits that were not run."""
        found = self._groups.get(group, {})
        return {split: outcome for split, outcome in found.items() if outcome is not None}

    def has(self, group: Group) -> bool:
        """Whether the plan has this group."""
        return group in self._groups

    def values(self, group: Group, measure: str) -> dict[int, float]:
        """One measure of the successful splits; "test balanced", "train auc", "fit_seconds"."""
        return {
            split: read_measure(outcome, measure)
            for split, outcome in self.outcomes(group).items()
            if outcome.status == "ok"
        }

    def summary(self, group: Group, measure: str) -> Summary:
        """Mean and standard error over the splits that have a result."""
        values = list(self.values(group, measure).values())
        missing = Counter(
            "not run" if outcome is None else outcome.status
            for outcome in self._groups.get(group, {}).values()
            if outcome is None or outcome.status != "ok"
        )
        mean, error = mean_and_error(values)
        return Summary(mean, error, len(values), missing)

    def median_seconds(self, group: Group) -> float:
        """Median fit time."""
        values = list(self.values(group, "fit_seconds").values())
        return float(np.median(values)) if values else float("nan")

    def paired(self, first: Group, second: Group, measure: str) -> PairedTest:
        """Two methods on the splits where both have a result."""
        a, b = self.values(first, measure), self.values(second, measure)
        common = sorted(a.keys() & b.keys())
        sizes = self.outcomes(first)
        ratios = [sizes[split].n_test / sizes[split].n_train for split in common]
        return paired_tests(
            [a[split] for split in common],
            [b[split] for split in common],
            float(np.mean(ratios)) if ratios else float("nan"),
        )

    def mean_table(
        self, noise: str, rule: str, methods: Iterable[str], measure: str
    ) -> NDArray[np.float64]:
        """Means, one row a data set and one column a method; nan where there is none."""
        return np.array(
            [
                [self.summary((data, noise, rule, method), measure).mean for method in methods]
                for data in self.data
            ]
        )


def complete_block(table: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows and columns of a table with holes to compare: a full block of most of it.

    Rows (data sets) with fewer than half of the columns (methods) are left out, then columns that
    still have holes.
    """
    known = ~np.isnan(table)
    columns = known.any(axis=0)
    # A method that has nothing at all does not count.
    rows = np.asarray(2 * known.sum(axis=1) >= max(int(columns.sum()), 1))
    return rows, np.asarray(columns & known[rows].all(axis=0))


def read_measure(outcome: Outcome, measure: str) -> float:
    """A measure of an outcome by the name that tables use."""
    part, _, name = measure.partition(" ")
    if not name:
        return float(getattr(outcome, part))
    return float(getattr(getattr(outcome, part), name))
