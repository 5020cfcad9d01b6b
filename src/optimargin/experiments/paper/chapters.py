"""From results to what is shown: for each part of ``reproduce`` its tables, figures, sentences."""

from collections.abc import Callable, Sequence

import numpy as np

from optimargin.datasets import BINARY_NAMES, MULTICLASS_NAMES
from optimargin.experiments.cells import Cell
from optimargin.experiments.document import Document
from optimargin.experiments.figures import (
    accuracy_against_time,
    critical_difference,
    noise_in_words,
)
from optimargin.experiments.paper import claims, figures, generalisation, plans, tables
from optimargin.experiments.paper.published import published_values
from optimargin.experiments.paper.tables import OEC, View
from optimargin.experiments.results import Results
from optimargin.experiments.splits import Imbalanced, Whole
from optimargin.experiments.tables import Entry, Table, percent

_NO_NOISE, _NOISE = (noise.name for noise in plans.NOISES)
_OTHER = plans.OTHER_CLASS_NOISE.name
_RULE = plans.PAPER_RULE.name


def data_sets(document: Document, results: Results) -> None:
    """The paper's Table 1."""
    document.section("Data sets (Table 1)")
    document.add(tables.data_sets())


def overview(document: Document, results: Results) -> None:
    """The paper's Figures 1 to 4."""
    document.section("Overview (Figs. 1 to 4)")
    document.add(figures.losses(), figures.scores_over_thresholds(), *figures.example(results))


def optimizers(document: Document, results: Results) -> None:
    """The comparison of the three searches."""
    document.section("Three evolutionary searches")
    view = View(results, _NO_NOISE, _RULE)
    document.add(*claims.optimizers(view))
    title = "Training score of the three searches, mean over the splits, %"
    document.add(tables.overview_of_means(view, plans.OPTIMIZERS, "train", title))
    document.add(tables.fit_times(view, plans.OPTIMIZERS, "Median fit time of the three searches"))
    picture = figures.optimizer_curves(results)
    if picture is not None:
        document.add(picture)


def near_optimal(document: Document, results: Results) -> None:
    """The paper's Table 2."""
    document.section("Near-optimal methods (Table 2)")
    view = View(results, _NO_NOISE, _RULE, "near-optimal")
    document.add(*claims.near_optimal(view))
    methods = plans.NEAR_OPTIMAL_METHODS
    document.add(tables.levels(view, methods, "SLA, tuned SVM and OEC: ours and the paper's"))
    document.add(
        tables.wins_and_losses(view, OEC, methods, "OEC against the others, wins(losses)"),
        tables.disagreements(view, methods, "Training scores more than 3 points from the paper's"),
    )


def imbalance(document: Document, results: Results) -> None:
    """The paper's Figure 6."""
    document.section("Imbalance (Fig. 6)")
    document.add(*claims.imbalance(results))
    data = plans.IMBALANCE_DATA.name
    rows = []
    for method in plans.IMBALANCE_METHODS:
        entries = [Entry(method)]
        for share in plans.IMBALANCE_SHARES:
            group = (data, _NO_NOISE, Imbalanced(share).name, method)
            mean = results.summary(group, "test balanced").mean
            entries.append(Entry(percent(mean), None if np.isnan(mean) else mean))
        rows.append(tuple(entries))
    names = ("method", *(f"{100 * share:g} %" for share in plans.IMBALANCE_SHARES))
    title = "Test balanced accuracy (%) over the share of class +1 in training"
    document.add(Table(title, names, tuple(rows)))
    picture = figures.imbalance(results)
    if picture is not None:
        document.add(picture)


def binary(document: Document, results: Results) -> None:
    """The paper's Table 3 and its appendix, without noise."""
    document.section("Two classes, no noise (Table 3 and appendix)")
    _two_classes(document, View(results, _NO_NOISE, _RULE, "binary", "0"), "clean")


def binary_noise(document: Document, results: Results) -> None:
    """The paper's Table 3 and its appendix, with noise."""
    document.section("Two classes, 15 % noise (Table 3 and appendix)")
    document.text(
        "Noise is in the class with the greater label. The paper does not say which class it "
        "calls +1; some of its levels are those of noise in the other class, so its methods were "
        "run with that as well, which the table of differing training scores quotes."
    )
    view, other = (View(results, noise, _RULE, "binary", "0.15") for noise in (_NOISE, _OTHER))
    _two_classes(document, view, "noisy", other)


def grouped(document: Document, results: Results) -> None:
    """BC and SR with rows that belong together on one side."""
    document.section("Two classes, dependent rows kept together (BC, SR)")
    document.text(
        "236 rows of BC are duplicates, and 23 consecutive rows of SR come from one recording. "
        "Splits by rows put copies or pieces of one recording on both sides, and test scores "
        "above are too good for that. Here such rows stay on one side."
    )
    view = View(results, _NO_NOISE, plans.GROUPED_RULE.name)
    methods = plans.BINARY_METHODS
    for part in ("train", "test"):
        title = f"{part.capitalize()} balanced accuracy, %, rows kept together"
        document.add(tables.overview_of_means(view, methods, part, title))


def outliers(document: Document, results: Results) -> None:
    """The paper's Figure 7."""
    document.section("Outliers (Fig. 7)")
    document.add(*claims.outliers(results))
    rows = []
    for method in plans.OUTLIER_METHODS:
        entries = [Entry(method)]
        for source in (plans.OUTLIER_DATA, plans.OPPOSITE_DATA):
            group = (source.name, _NO_NOISE, Whole().name, method)
            mean = results.summary(group, "train balanced").mean
            entries.append(Entry(percent(mean), None if np.isnan(mean) else mean))
        printed = published_values().get(("outliers", "synthetic", "0", method, "train"))
        entries.append(
            Entry(f"{printed.value:.1f}", printed.value) if printed is not None else Entry("-")
        )
        rows.append(tuple(entries))
    columns = ("method", "outliers +1, as printed", "outliers -1", "paper")
    document.add(Table("Training balanced accuracy with outliers, %", columns, tuple(rows)))
    picture = figures.outliers(results)
    if picture is not None:
        document.add(picture)


def l1(document: Document, results: Results) -> None:
    """The paper's Figure 8."""
    document.section("L1 penalty (Fig. 8)")
    document.add(*claims.l1(results))
    view = View(results, _NO_NOISE, _RULE)
    methods = [plans.l1_method(alpha).name for alpha in plans.ALPHAS]
    for part in ("train", "test"):
        title = f"{part.capitalize()} balanced accuracy of OEC, %, by the weight of the penalty"
        document.add(tables.overview_of_means(view, methods, part, title))
    picture = figures.l1_weights(results)
    if picture is not None:
        document.add(picture)


def multiclass(document: Document, results: Results) -> None:
    """The paper's Table 4 and its appendix."""
    document.section("More than two classes (Table 4 and appendix)")
    view = View(results, _NO_NOISE, _RULE, "multiclass", "0")
    document.text(
        "The paper does not say what its AUC is with more than two classes. Its levels are those "
        "of the mean over the classes of (sensitivity + specificity) / 2, one against the rest, "
        "which is shown here; the mean recall is in the stored cells as well."
    )
    parts = [data for data in results.data if data.startswith("HD-")]
    if parts:
        rows = parts[0].partition("-")[2]
        document.text(
            f"HD-{rows} is a stratified part of {rows} of the 70,000 digits, one split: the whole "
            "set takes some methods hours (the paper's OEC about 16 TFLOP)."
        )
    _compared(document, view, plans.MULTICLASS_METHODS, "multiclass", claims.multiclass)


def mean_separator(document: Document, results: Results) -> None:
    """Not in the paper: the test scores of the mean separator."""
    document.section("Does the mean separator generalise?")
    document.text(
        "The separator with the best training score need not be the best on new samples. Here the "
        "mean of many good separators (omc) stands beside the single best one (omc-best), the "
        "paper's OEC and convex methods, without noise and with two kinds of it. With more than "
        "two classes the score is the mean recall of the classes."
    )
    compared = [
        generalisation.Comparison(results, noise.name) for noise in plans.GENERALISATION_NOISES
    ]
    document.add(generalisation.aims(compared))
    for one in compared:
        document.add(generalisation.counts(one))
        ranked = one.ranks()
        if ranked is not None:
            name = f"ranks-generalisation-{one.noise.partition('(')[0]}"
            document.add(critical_difference(ranked, "Test balanced accuracy", name))
        noise = noise_in_words(one.noise)
        for names, kind in ((BINARY_NAMES, "two classes"), (MULTICLASS_NAMES, "more classes")):
            shown = tuple(name for name in names if name in results.data)
            title = f"Test balanced accuracy, %, {kind}, {noise}"
            document.add(generalisation.scores(one, shown, title))


def _two_classes(document: Document, view: View, name: str, other: View | None = None) -> None:
    _compared(document, view, plans.BINARY_METHODS, name, claims.binary, other)


def _compared(
    document: Document,
    view: View,
    methods: Sequence[str],
    name: str,
    claimed: Callable[[View], Sequence[Table]],
    other: View | None = None,
) -> None:
    document.add(*claimed(view))
    document.add(
        tables.wins_and_losses(view, OEC, methods, "The paper's OEC against the others"),
        tables.wins_and_losses(view, "omc", methods, "This library's default against the others"),
    )
    for part in ("train", "test"):
        title = f"{part.capitalize()} score of every method, mean over the splits, %"
        document.add(tables.overview_of_means(view, methods, part, title))
    document.add(tables.fit_times(view, methods, "Median fit time"))
    # A comparison of all methods at once could tell hardly any two of them apart.
    compared = [method for method in methods if method in plans.RANKED_METHODS]
    for part in ("train", "test"):
        ranked = tables.rank_comparison(view, compared, part)
        if ranked is not None:
            title = f"{part.capitalize()} score"
            document.add(critical_difference(ranked, title, f"ranks-{name}-{part}"))
    detailed = [method for method in methods if method in plans.DETAILED_METHODS]
    picture = accuracy_against_time(view.results, view.noise, view.rule, name)
    if picture is not None:
        document.add(picture)
    document.add(
        tables.disagreements(
            view, methods, "Training scores more than 3 points from the paper's", other
        ),
        tables.levels(view, detailed, "Every set, ours and the paper's"),
    )


#: What ``reproduce`` knows by name: the cells, and the chapter made of them.
CHAPTERS: dict[
    str,
    tuple[
        Callable[[plans.Plan, plans.Effort], list[Cell]] | None,
        Callable[[Document, Results], None],
    ],
] = {
    "datasets": (None, data_sets),
    "overview": (plans.overview, overview),
    "optimizers": (plans.optimizers, optimizers),
    "near-optimal": (plans.near_optimal, near_optimal),
    "imbalance": (plans.imbalance, imbalance),
    "binary": (plans.binary, binary),
    "binary-noise": (plans.binary_noise, binary_noise),
    "grouped": (plans.grouped, grouped),
    "outliers": (plans.outliers, outliers),
    "l1": (plans.l1, l1),
    "multiclass": (plans.multiclass, multiclass),
    "generalisation": (plans.generalisation, mean_separator),
}
