"""Compare methods on one's own data: the same splits for all, a table, a sentence, a report."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimargin.datasets.noise import Noise, make_noise
from optimargin.experiments.cells import Cell
from optimargin.experiments.document import Document
from optimargin.experiments.exchange import export_cells
from optimargin.experiments.figures import (
    Picture,
    accuracy_against_time,
    noise_in_words,
    scores_of_methods,
)
from optimargin.experiments.methods import DEFAULT_METHODS, Method, find_methods
from optimargin.experiments.progress import Bar, Progress, Silent
from optimargin.experiments.results import Results
from optimargin.experiments.runner import RunReport, run
from optimargin.experiments.sources import Given, problem_from_arrays
from optimargin.experiments.splits import Grouped, SplitRule, Stratified
from optimargin.experiments.statistics import LEVEL, holm
from optimargin.experiments.store import Store
from optimargin.experiments.tables import Entry, Table, percent, points, seconds

_MEASURE = "test balanced"


def compare(
    X: Any,
    y: Any,
    *,
    methods: Sequence[str] | Mapping[str, Any] | str = DEFAULT_METHODS,
    splits: int = 30,
    train: float = 0.7,
    noise: float | Sequence[float] = 0.0,
    noise_kind: str = "replace",
    groups: Any = None,
    jobs: int = 1,
    time_limit: float | None = None,
    store: str | os.PathLike[str] | None = None,
    name: str = "data",
    verbose: int = 0,
) -> "Comparison":
    """Compare methods on the same random splits of one data set.

    Parameters
    ----------
    X, y : array-like
        Numeric features and class labels.
    methods : names, or a mapping of names to names or scikit-learn classifiers
        The first one is what the others are compared with.
    splits : int
        Number of random splits, stratified, ``train`` of each class for training.
    noise : float or several
        Shares of noisy training samples, put into the raw training features.
    noise_kind : {"replace", "append", "flip"}
        What noise does; see :mod:`optimargin.datasets`.
    groups : array-like, optional
        Rows with the same entry stay together on one side of a split.
    jobs : int
        Number of worker processes. Each uses one thread.
    time_limit : float, optional
        Seconds for one fit and prediction; what exceeds it is shown as a time-out.
    store : path, optional
        A file that keeps the results: an interrupted comparison goes on from there.
    name : str
        What the data are called; part of the seeds of the splits.
    verbose : int
        1 shows a progress bar.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from optimargin.experiments import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> result = compare(X, y, methods=["lda", "lr-balanced"], splits=3)
    >>> [row[0].text for row in result.table().rows]
    ['lda', 'lr-balanced']
    """
    if splits < 1:
        raise ValueError(f"splits must be at least 1, got {splits}.")
    if not 0.0 < train < 1.0:
        raise ValueError(f"train must lie between 0 and 1, got {train}.")
    source = Given(name, problem_from_arrays(X, y, groups))
    rates = [noise] if isinstance(noise, int | float) else list(noise)
    noises = tuple(make_noise(float(rate), noise_kind) for rate in rates)
    chosen = find_methods(methods)
    rule: SplitRule = Stratified(train) if groups is None else Grouped(train)
    cells = [
        Cell(name, source.problem.fingerprint, kind, method, rule, split)
        for kind in noises
        for split in range(splits)
        for method in chosen
    ]
    progress: Progress = Bar() if verbose else Silent()
    with Store(":memory:" if store is None else store) as opened:
        report = run(
            cells,
            {name: source},
            opened,
            jobs=jobs,
            time_limit=time_limit,
            progress=progress,
        )
        results = Results.read(cells, opened)
    return Comparison(name, tuple(cells), results, chosen, noises, rule, splits, report)


@dataclass(frozen=True)
class Comparison:
    """What came of a comparison; printing it shows the tables and what they say in words."""

    name: str
    cells: tuple[Cell, ...]
    results: Results
    methods: tuple[Method, ...]
    noises: tuple[Noise, ...]
    rule: SplitRule
    splits: int
    run: RunReport

    def __str__(self) -> str:
        parts = []
        for noise in self.noises:
            parts += [str(self.table(noise.name)), "", self.conclusion(noise.name), ""]
        return "\n".join(parts).rstrip()

    def table(self, noise: str | None = None) -> Table:
        """Scores, differences to the first method and times; "*" and "+" mark both tests."""
        noise = self.noises[0].name if noise is None else noise
        reference = self._group(noise, self.methods[0].name)
        many = self.results.values(reference, "test auc")
        two_classes = any(value == value for value in many.values())
        columns = ["method", "test", "s.e.", "difference", "train", "accuracy"]
        columns += ["ROC AUC"] if two_classes else ["F1"]
        columns += ["fit"]
        means = {
            method.name: self.results.summary(self._group(noise, method.name), _MEASURE).mean
            for method in self.methods
        }
        best = max((value for value in means.values() if value == value), default=None)
        rows, notes = [], []
        for method in self.methods:
            group = self._group(noise, method.name)
            test = self.results.summary(group, _MEASURE)
            third = "test auc" if two_classes else "test f1"
            others = [
                self.results.summary(group, measure).mean
                for measure in ("train balanced", "test accuracy", third)
            ]
            median = self.results.median_seconds(group)
            rows.append(
                (
                    Entry(method.name),
                    Entry(percent(test.mean), _sortable(test.mean), test.mean == best),
                    Entry(percent(test.error, 2), _sortable(test.error)),
                    self._difference(noise, method),
                    *(Entry(percent(value), _sortable(value)) for value in others),
                    Entry(seconds(median), _sortable(median)),
                )
            )
            if test.missing:
                notes.append(f"{method.name}: {test.problem}. {self._message(group)}")
        notes.append(
            f"Balanced accuracy in %, mean over {self.splits} splits; difference: to "
            f"{self.methods[0].name}, in points. * significant in the paired t-test, ** also in "
            "the corrected resampled t-test, which allows for the overlap of the splits (5 %)."
        )
        title = f"{self.name}, {noise_in_words(noise)}"
        return Table(title, tuple(columns), tuple(rows), tuple(notes))

    def conclusion(self, noise: str | None = None) -> str:
        """What the table says, in plain words."""
        noise = self.noises[0].name if noise is None else noise
        first = self.methods[0].name
        tests = {
            method.name: self.results.paired(
                self._group(noise, first), self._group(noise, method.name), _MEASURE
            )
            for method in self.methods[1:]
        }
        usable = {name: test for name, test in tests.items() if test.n_splits >= 2}
        if not self.results.values(self._group(noise, first), _MEASURE):
            return f"{first} has no result on these data; nothing can be said of it."
        if not usable:
            return (
                "There is nothing to compare with: at least two methods and two splits are needed."
            )
        corrected = dict(
            zip(usable, holm([test.p_corrected for test in usable.values()]), strict=True)
        )
        better: list[str] = []
        worse: list[str] = []
        level: list[str] = []
        for name, test in usable.items():
            if corrected[name] >= LEVEL:
                level.append(name)
            else:
                text = f"{name} (by {100 * abs(test.difference):.1f} points)"
                (better if test.difference > 0 else worse).append(text)
        called = f"the optimal-margin classifier ({first})" if first == "omc" else first
        clauses = []
        if better:
            clauses.append(f"{called} is significantly better than {_listed(better)}")
        if worse:
            clauses.append(f"{called} is significantly worse than {_listed(worse)}")
        if level:
            clauses.append(f"no difference between {called} and {_listed(level)} could be shown")
        where = (
            "On these data" if noise == "none" else f"On these data with {noise_in_words(noise)}"
        )
        sentence = f"{where}, {'; '.join(clauses)}."
        left_out = [name for name in tests if name not in usable]
        if left_out:
            sentence += f" No statement on {_listed(left_out)}: too few results."
        return sentence + (
            f" (Test balanced accuracy, {self.splits} splits, corrected resampled t-test, "
            "Holm's correction, 5 %.)"
        )

    def pictures(self) -> list[Picture]:
        """Scores of the methods, and accuracy against time, for each noise."""
        drawn: list[Picture | None] = []
        for noise in self.noises:
            drawn.append(scores_of_methods(self.results, self.name, noise.name, self.rule.name))
            drawn.append(accuracy_against_time(self.results, noise.name, self.rule.name))
        return [picture for picture in drawn if picture is not None]

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML file."""
        report = Document(f"Comparison on {self.name}")
        for noise in self.noises:
            report.section(noise_in_words(noise.name).capitalize())
            report.lead(self.conclusion(noise.name))
            report.add(self.table(noise.name))
        report.section("Figures")
        report.add(*self.pictures())
        report.section("How it was made")
        outcomes = [
            outcome
            for noise in self.noises
            for method in self.methods
            for outcome in self.results.outcomes(self._group(noise.name, method.name)).values()
        ]
        report.facts(
            {
                "Rows": str(outcomes[0].n_train + outcomes[0].n_test) if outcomes else "-",
                "Splits": f"{self.splits}, {self.rule.name}",
                "Noise": ", ".join(noise.name for noise in self.noises),
                "Positive class": (outcomes[0].positive_class or "-") if outcomes else "-",
                **{f"Method {method.name}": method.call for method in self.methods},
                "Versions and machine": "; ".join(
                    sorted({outcome.environment for outcome in outcomes if outcome.environment})
                ),
                "Command": shlex.join([_program(), *sys.argv[1:]]),
            }
        )
        return report.write_html(path)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write every cell, one row each."""
        with Store(":memory:") as store:
            for cell in self.cells:
                group = self._group(cell.noise.name, cell.method.name)
                outcome = self.results.outcomes(group).get(cell.split)
                if outcome is not None:
                    store.put(cell, outcome)
            export_cells(store, path)

    def _group(self, noise: str, method: str) -> tuple[str, str, str, str]:
        return (self.name, noise, self.rule.name, method)

    def _difference(self, noise: str, method: Method) -> Entry:
        if method is self.methods[0]:
            return Entry("")
        test = self.results.paired(
            self._group(noise, method.name), self._group(noise, self.methods[0].name), _MEASURE
        )
        marks = "*" * ((test.p_plain < LEVEL) + (test.p_corrected < LEVEL))
        return Entry(points(test.difference) + marks, _sortable(test.difference))

    def _message(self, group: tuple[str, str, str, str]) -> str:
        for outcome in self.results.outcomes(group).values():
            if outcome.status != "ok":
                return outcome.message.rstrip(".") + "."
        return ""


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "optimargin" if name == "__main__.py" else name


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _sortable(value: float) -> float | None:
    return None if value != value else value
