"""Tables of our results beside the paper's: levels, differences, wins and losses, times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.datasets import DESCRIPTIONS
from optimargin.experiments.paper.published import published_counts, published_values
from optimargin.experiments.results import Results, complete_block
from optimargin.experiments.statistics import (
    LEVEL,
    PairedTest,
    RankComparison,
    compare_ranks,
    wilcoxon,
)
from optimargin.experiments.tables import Entry, Table, percent, points, seconds

OEC = "oec-cmaes"
_MARKS = (
    "* worse than OEC (oec-cmaes), + better, in the paired t-test; ** and ++ also in the corrected "
    "resampled t-test (both 5 %). ± is the standard error over the splits."
)

_PARTLY = "°"


@dataclass(frozen=True)
class View:
    """Results of one noise and split rule, and the paper's table that belongs to them."""

    results: Results
    noise: str
    rule: str
    published: str = ""
    published_noise: str = "0"

    def group(self, data: str, method: str) -> tuple[str, str, str, str]:
        """The cells of one data set and method."""
        return (data, self.noise, self.rule, method)

    def has(self, data: str, method: str) -> bool:
        """Whether at least one split has a result."""
        return bool(self.results.values(self.group(data, method), "fit_seconds"))

    def mean(self, data: str, method: str, measure: str) -> float:
        """Mean over the splits."""
        return self.results.summary(self.group(data, method), measure).mean

    def missing(self, data: str, method: str) -> Mapping[str, int]:
        """Splits without a result, counted by what became of them."""
        return self.results.summary(self.group(data, method), "fit_seconds").missing

    def paper(self, data: str, method: str, measure: str) -> float:
        """The paper's value in percent or seconds; nan where it prints none."""
        key = (self.published, paper_name(data), self.published_noise, method, measure)
        found = published_values().get(key)
        return found.value if found is not None else float("nan")

    def measure(self, data: str, part: str) -> str:
        """What stands beside the paper's "AUC": one-vs-rest with more than two classes."""
        name = paper_name(data)
        many = name in DESCRIPTIONS and DESCRIPTIONS[name].n_classes > 2
        return f"{part} {'one_vs_rest' if many else 'balanced'}"

    def test(self, data: str, first: str, second: str, part: str) -> PairedTest:
        """Two methods on the same splits."""
        return self.results.paired(
            self.group(data, first), self.group(data, second), self.measure(data, part)
        )


def paper_name(data: str) -> str:
    """The paper's name of a data set of ours ("HD-6000" is a part of HD)."""
    return data.partition("-")[0]


def levels(view: View, methods: Sequence[str], title: str) -> Table:
    """One row a data set and method: ours, the paper's, the difference; training, test, time."""
    rows, problems = [], []
    for data in view.results.data:
        for method in methods:
            group = view.group(data, method)
            if not view.results.has(group):
                continue
            row = [Entry(f"{data} {method}")]
            for part in ("train", "test"):
                measure = view.measure(data, part)
                summary = view.results.summary(group, measure)
                marks = "" if method == OEC else _marks(view, data, method, part)
                printed = view.paper(data, method, part)
                difference = summary.mean - printed / 100
                shown = percent(summary.mean)
                if summary.error == summary.error:
                    shown += f" ± {percent(summary.error)}"
                row += [
                    Entry(shown + marks, _number(summary.mean)),
                    Entry(percent(printed / 100), _number(printed)),
                    Entry(points(difference), _number(difference)),
                ]
            median = view.results.median_seconds(group)
            printed_time = view.paper(data, method, "seconds")
            row += [
                Entry(seconds(median), _number(median)),
                Entry(seconds(printed_time), _number(printed_time)),
            ]
            rows.append(tuple(row))
            summary = view.results.summary(group, "test balanced")
            if summary.missing:
                problems.append(f"{data} {method}: {summary.problem}{_reason(view, group)}.")
    columns = _unlike(
        ("set, method", "train", "paper", "diff.", "test", "paper", "diff.", "fit", "paper")
    )
    used = [
        number
        for number in range(len(columns))
        if number == 0 or any(row[number].text != "-" for row in rows)
    ]
    return Table(
        title,
        tuple(columns[number] for number in used),
        tuple(tuple(row[number] for number in used) for row in rows),
        (_MARKS, *problems),
    )


def overview_of_means(view: View, methods: Sequence[str], part: str, title: str) -> Table:
    """One row a method, one column a data set; the best of a column stands out."""
    means = np.array(
        [
            [view.mean(data, method, view.measure(data, part)) for data in view.results.data]
            for method in methods
        ]
    )
    best = np.array([np.nanmax(c) if not np.isnan(c).all() else np.nan for c in means.T])
    rows, partly = [], False
    for method, values in zip(methods, means, strict=True):
        entries = [Entry(method)]
        for data, value, top in zip(view.results.data, values, best, strict=True):
            strong = bool(round(100 * value, 1) == round(100 * top, 1)) if value == value else False
            part_only = bool(value == value and view.missing(data, method))
            partly = partly or part_only
            text = percent(value) + _PARTLY * part_only
            entries.append(Entry(text, _number(value), strong))
        known = values[~np.isnan(values)]
        mean = float(known.mean()) if known.size == values.size else float("nan")
        rows.append((*entries, Entry(percent(mean), _number(mean))))
    notes = (f"{_PARTLY} some splits have no result; see the end of the report.",) if partly else ()
    return Table(title, ("method", *view.results.data, "mean"), tuple(rows), notes)


def wins_and_losses(view: View, reference: str, methods: Sequence[str], title: str) -> Table:
    """On how many sets the reference is significantly better (worse), by both tests."""
    rows = []
    for method in methods:
        if method == reference:
            continue
        row = [Entry(method)]
        for part in ("train", "test"):
            plain, corrected, ties = _counts(view, reference, method, part)
            row.append(Entry(f"{plain[0]}({plain[1]})", plain[0]))
            row.append(Entry(f"{corrected[0]}({corrected[1]}), {ties} even", corrected[0]))
            if reference == OEC and view.published:
                key = (view.published, view.published_noise, part, method)
                printed = published_counts().get(key)
                row.append(
                    Entry(f"{printed.wins}({printed.losses})", printed.wins)
                    if printed
                    else Entry("-")
                )
        if reference != OEC:
            pairs = [
                (view.mean(data, reference, measure), view.mean(data, method, measure))
                for data in view.results.data
                for measure in [view.measure(data, "test")]
                if view.has(data, reference) and view.has(data, method)
            ]
            difference = float(np.mean([a - b for a, b in pairs])) if pairs else float("nan")
            p_value = wilcoxon([a for a, _ in pairs], [b for _, b in pairs]) if pairs else 1.0
            row.append(Entry(points(difference, 2), _number(difference)))
            row.append(Entry(f"{p_value:.3f}", p_value))
        rows.append(tuple(row))
    if reference == OEC:
        columns = ["method"]
        for part in ("train", "test"):
            columns += [f"{part}, t-test", f"{part}, corrected"]
            columns += [f"{part}, paper"] if view.published else []
    else:
        columns = ["method", "train, t-test", "train, corrected", "test, t-test"]
        columns += ["test, corrected", "mean diff., test", "Wilcoxon p"]
    notes = (
        f"Number of data sets on which {reference} is significantly better, in parentheses worse "
        "(5 %); t-test: paired, as in the paper; corrected: resampled t-test of Nadeau and Bengio.",
    )
    return Table(title, tuple(columns), tuple(rows), notes)


def fit_times(view: View, methods: Sequence[str], title: str) -> Table:
    """Median fit seconds, one row a method and one column a data set; the default beside SVM."""
    times = {
        method: [
            view.results.median_seconds(view.group(data, method)) for data in view.results.data
        ]
        for method in methods
    }
    rows = [
        (Entry(method), *(Entry(seconds(time), _number(time)) for time in found))
        for method, found in times.items()
    ]
    if {"omc", "svm"} <= times.keys():
        ratios = np.divide(times["svm"], times["omc"])
        entries = (Entry(f"{r:.2g}" if r == r else "-", _number(r)) for r in ratios)
        rows.append((Entry("svm / omc"), *entries))
    return Table(title, ("method", *view.results.data), tuple(rows), ("One thread a fit.",))


def disagreements(
    view: View, methods: Sequence[str], title: str, other: View | None = None, limit: float = 3.0
) -> Table:
    """Where our training score is more than ``limit`` points from the paper's, and why if known.

    ``other`` has the results with noise in the other class.
    """
    from optimargin.experiments.paper.remarks import reason

    rows = []
    for data in view.results.data:
        for method in methods:
            printed = view.paper(data, method, "train")
            ours = 100 * view.mean(data, method, view.measure(data, "train"))
            if abs(ours - printed) > limit:
                why = reason(paper_name(data), method, view.published_noise)
                if other is not None and other.has(data, method):
                    there = 100 * other.mean(data, method, view.measure(data, "train"))
                    if why == "not known" and abs(there - printed) <= limit:
                        why = "which class is noisy"
                    why = f"{why} (noise in the other class: {there:.1f})"
                rows.append(
                    (
                        Entry(f"{data} {method}"),
                        Entry(f"{ours:.1f}", ours),
                        Entry(f"{printed:.1f}", printed),
                        Entry(f"{ours - printed:+.1f}", ours - printed),
                        Entry(why),
                    )
                )
    columns = ("set, method", "ours", "paper", "difference", "reason")
    notes = () if rows else (f"No training score is more than {limit:g} points from the paper's.",)
    return Table(title, columns, tuple(rows), notes)


def data_sets(title: str = "The data sets, here and in the paper") -> Table:
    """The paper's first table."""
    rows = []
    for entry in DESCRIPTIONS.values():
        rows.append(
            (
                Entry(entry.name),
                Entry(entry.title),
                Entry(str(entry.n_features), entry.n_features),
                Entry(str(entry.paper_n_features), entry.paper_n_features),
                Entry(str(entry.n_classes), entry.n_classes),
                Entry(str(entry.n_rows), entry.n_rows),
                Entry(", ".join(map(str, entry.counts))),
                Entry(", ".join(map(str, entry.paper_counts))),
                Entry("yes" if entry.agrees_with_paper else "no"),
            )
        )
    notes = tuple(f"{entry.name}: {entry.notes}" for entry in DESCRIPTIONS.values() if entry.notes)
    columns = ("set", "what", "n", "n, paper", "classes", "rows")
    of_classes = ("of each class", "of each class, paper", "agrees")
    return Table(title, (*columns, *of_classes), tuple(rows), notes)


def rank_comparison(view: View, methods: Sequence[str], part: str) -> RankComparison | None:
    """Friedman and Nemenyi over the data sets that most methods have, of the methods with all."""
    return ranks_of_means(
        methods,
        np.array(
            [
                [view.mean(data, method, view.measure(data, part)) for method in methods]
                for data in view.results.data
            ]
        ),
    )


def ranks_of_means(methods: Sequence[str], means: NDArray[np.float64]) -> RankComparison | None:
    """The same of means that may have holes: one row a data set, one column a method."""
    rows, columns = complete_block(means)
    kept = [method for method, full in zip(methods, columns, strict=True) if full]
    return compare_ranks(kept, means[np.ix_(rows, columns)])


def _counts(
    view: View, reference: str, method: str, part: str
) -> tuple[tuple[int, int], tuple[int, int], int]:
    plain, corrected, even = [0, 0], [0, 0], 0
    for data in view.results.data:
        test = view.test(data, reference, method, part)
        if test.n_splits < 2:
            continue
        side = 0 if test.difference > 0 else 1
        plain[side] += test.p_plain < LEVEL
        corrected[side] += test.p_corrected < LEVEL
        even += not test.p_corrected < LEVEL
    return (plain[0], plain[1]), (corrected[0], corrected[1]), even


def _marks(view: View, data: str, method: str, part: str) -> str:
    test = view.test(data, OEC, method, part)
    sign = "*" if test.difference > 0 else "+"
    return sign * ((test.p_plain < LEVEL) + (test.p_corrected < LEVEL))


def _reason(view: View, group: tuple[str, str, str, str]) -> str:
    messages = {
        outcome.message
        for outcome in view.results.outcomes(group).values()
        if outcome.status != "ok" and outcome.message
    }
    return f" ({sorted(messages)[0]})" if messages else ""


def _number(value: float) -> float | None:
    return None if value != value else float(value)


def _unlike(columns: Sequence[str]) -> tuple[str, ...]:
    """Names that say of which part they are, for a screen on which columns are stacked."""
    part, named = "", []
    for name in columns:
        if name in ("train", "test", "fit"):
            part = name
            named.append(name)
        else:
            named.append(f"{part} {name}".strip())
    return tuple(named)
