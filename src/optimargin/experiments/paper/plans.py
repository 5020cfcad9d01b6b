"""What each part of ``reproduce`` runs: data sets, noises, methods, splits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from optimargin.datasets import BINARY_NAMES, MULTICLASS_NAMES, Flip, NoNoise, Replace
from optimargin.datasets.noise import Noise
from optimargin.experiments.cells import Cell
from optimargin.experiments.methods import METHODS, Method
from optimargin.experiments.sources import Benchmark, Source, Synthetic
from optimargin.experiments.splits import Grouped, Imbalanced, SplitRule, Stratified, Whole

#: The paper's split of every table.
PAPER_RULE = Stratified(0.7)
GROUPED_RULE = Grouped(0.7)
NOISES: tuple[Noise, ...] = (NoNoise(), Replace(0.15))
#: The paper does not say which of two classes it calls +1.
OTHER_CLASS_NOISE = Replace(0.15, spared="last")

NEAR_OPTIMAL_SETS = ("BC", "CG", "GC", "PR", "IS", "PD")
# The paper does not say which five sets it takes.
OPTIMIZER_SETS = ("BC", "GC", "PR", "IS", "PD")
GROUPED_SETS = ("BC", "SR")

COMPETITORS = ("del", "wsv", "smp", "svm", "mba")
OPTIMIZERS = ("oec-cmaes", "oec-es", "oec-pso")
# What is not in the paper and is asked all the same: does a re-fitted cut do as well?
BESIDE = (
    "omc",
    "omc-best",
    "lr",
    "lr-balanced",
    "lr-elastic-net",
    "lda",
    "lda-plain",
    "svm-balanced",
    "lr-threshold",
    "svm-threshold",
    "lr-free-threshold",
    "lr-tuned-threshold",
)
BINARY_METHODS = (*COMPETITORS, "oec-cmaes", *BESIDE, "tsv", "mpm")
MULTICLASS_METHODS = ("del", "wsv", "mba", "svm", "oec-cmaes", *BESIDE)
TUNED_METHODS = ("svm-tuned", "lr-tuned-threshold")
#: Compared by their ranks: the paper's methods and this library's.
RANKED_METHODS = (*COMPETITORS, "oec-cmaes", "omc", "omc-best")
#: Shown set by set beside the paper's rows; the overviews show all.
DETAILED_METHODS = (
    *RANKED_METHODS,
    "lr-threshold",
    "svm-threshold",
    "lr-tuned-threshold",
)
NEAR_OPTIMAL_METHODS = (
    "sla",
    "svm-tuned",
    "oec-cmaes",
    "omc",
    "omc-best",
    "lr-threshold",
    "svm-threshold",
)
IMBALANCE_METHODS = (
    "sla",
    "svm-tuned",
    "oec-cmaes",
    "omc",
    "omc-best",
    "lr-balanced",
    "lr-threshold",
)
OUTLIER_METHODS = ("oec-cmaes", "svm", "smp", "del", "omc", "lr-threshold")
GENERALISATION_METHODS = (
    "lr-balanced",
    "svm-balanced",
    "lda",
    "lr-threshold",
    "svm-threshold",
    "lr-tuned-threshold",
    "svm-tuned",
    "oec-cmaes",
    "omc",
    "omc-best",
)
GENERALISATION_NOISES: tuple[Noise, ...] = (*NOISES, Flip(0.15))
#: What takes all 70,000 digits in minutes, and is asked to with ``digits="whole"``.
WHOLE_DIGITS_METHODS = ("omc", "wsv", "mba", "del", "lda", "lr-balanced", "svm-balanced")

ALPHAS = (0.0, 0.1, 0.5)
IMBALANCE_SHARES = tuple(round(0.05 * step, 2) for step in range(1, 15))

# Class sizes are ours, the paper does not print them. Fifty outliers among 350 samples of their
# class leave a balanced accuracy of 92.9 % to a rule that gives them up; the paper prints 92.6.
IMBALANCE_DATA = Synthetic("imbalance", 500, 500, overlapping=True)
OUTLIER_DATA = Synthetic("outliers", 300, 300, n_outliers=50)
OPPOSITE_DATA = Synthetic("outliers-opposite", 300, 300, n_outliers=50, outlier_label=0)
EXAMPLE_DATA = Synthetic("example", 300, 300)


@dataclass(frozen=True)
class Effort:
    """How much is run. The paper's number of splits is 100.

    MD and SR have fewer; so have, with more than two classes, the methods that tune by
    cross-validation: each of up to 45 pairs is tuned anew.
    """

    splits: int = 10
    large_splits: int = 3
    tuned_splits: int = 3
    digit_rows: int = 6000
    digits: str = "part"
    folder: str | None = None

    def of(self, data: str) -> int:
        """Splits of one data set: fewer of the large ones, one of the digits."""
        if data.startswith("HD"):
            return min(self.splits, 1)
        return min(self.splits, self.large_splits) if data in ("MD", "SR") else self.splits

    def by_method(self, data: str, names: Sequence[str]) -> list[tuple[list[Method], int]]:
        """Methods with the same number of splits on a data set, and that number."""
        splits = self.of(data)
        tuned = [name for name in names if name in TUNED_METHODS and data in MULTICLASS_NAMES]
        others = [name for name in names if name not in tuned]
        return [(named(others), splits), (named(tuned), min(splits, self.tuned_splits))]


class Plan:
    """Cells, and the sources of their data."""

    def __init__(self) -> None:
        self.sources: dict[str, Source] = {}
        self._cells: dict[str, Cell] = {}
        self._fingerprints: dict[str, str] = {}
        self._sizes: dict[str, int] = {}

    @property
    def cells(self) -> list[Cell]:
        """In the order in which they are run: small data sets first, each as a whole."""
        return sorted(self._cells.values(), key=lambda cell: (self._sizes[cell.data], cell.data))

    def add(
        self,
        source: Source,
        noises: Iterable[Noise],
        methods: Iterable[Method],
        rule: SplitRule,
        splits: int,
    ) -> list[Cell]:
        """Add a block of cells; those that are in the plan already are returned as well."""
        known = self.sources.setdefault(source.name, source)
        if source.name not in self._fingerprints:
            problem = known.load()
            self._fingerprints[source.name] = problem.fingerprint
            self._sizes[source.name] = problem.X.size
        fingerprint = self._fingerprints[source.name]
        listed = list(methods)
        block = [
            Cell(source.name, fingerprint, noise, method, rule, split)
            for noise in noises
            for split in range(splits)
            for method in listed
        ]
        for cell in block:
            self._cells.setdefault(cell.key, cell)
        return block


def named(names: Sequence[str]) -> list[Method]:
    """Methods by name."""
    return [METHODS[name] for name in names]


def with_weights(method: Method) -> Method:
    """The method with its separator kept, for a figure."""
    return replace(method, keep=("weights",))


def l1_method(alpha: float) -> Method:
    """The paper's OEC with the L1 penalty alpha."""
    base = METHODS["oec-cmaes"]
    settings: dict[str, Any] = {**base.settings, "l1": alpha}
    return replace(
        base,
        name=f"oec-cmaes l1={alpha:g}",
        title=f"The paper's OEC, alpha = {alpha:g}",
        settings=settings,
        keep=("weights",),
    )


def optimizers(plan: Plan, effort: Effort) -> list[Cell]:
    """CMA-ES, ES and PSO on five sets."""
    return [
        cell
        for name in OPTIMIZER_SETS
        for cell in plan.add(
            Benchmark(name, folder=effort.folder),
            [NoNoise()],
            named(OPTIMIZERS),
            PAPER_RULE,
            effort.of(name),
        )
    ]


def near_optimal(plan: Plan, effort: Effort) -> list[Cell]:
    """SLA, tuned SVM, OEC on six sets."""
    return [
        cell
        for name in NEAR_OPTIMAL_SETS
        for cell in plan.add(
            Benchmark(name, folder=effort.folder),
            [NoNoise()],
            named(NEAR_OPTIMAL_METHODS),
            PAPER_RULE,
            effort.of(name),
        )
    ]


def imbalance(plan: Plan, effort: Effort) -> list[Cell]:
    """Synthetic classes that overlap, 5 to 70 % of one of them."""
    return [
        cell
        for share in IMBALANCE_SHARES
        for cell in plan.add(
            IMBALANCE_DATA,
            [NoNoise()],
            named(IMBALANCE_METHODS),
            Imbalanced(share),
            effort.splits,
        )
    ]


def binary(plan: Plan, effort: Effort) -> list[Cell]:
    """Twelve sets without noise."""
    return _binary(plan, effort, NOISES[0], PAPER_RULE, BINARY_NAMES, BINARY_METHODS)


def binary_noise(plan: Plan, effort: Effort) -> list[Cell]:
    """Twelve sets with 15 % noise; the paper's methods with noise in the other class as well."""
    cells = _binary(plan, effort, NOISES[1], PAPER_RULE, BINARY_NAMES, BINARY_METHODS)
    own = (*COMPETITORS, "oec-cmaes")
    return cells + _binary(plan, effort, OTHER_CLASS_NOISE, PAPER_RULE, BINARY_NAMES, own)


def grouped(plan: Plan, effort: Effort) -> list[Cell]:
    """The sets whose rows are not independent, rows that belong together on one side."""
    return _binary(plan, effort, NOISES[0], GROUPED_RULE, GROUPED_SETS, BINARY_METHODS)


def _binary(
    plan: Plan,
    effort: Effort,
    noise: Noise,
    rule: SplitRule,
    names: Iterable[str],
    methods: Sequence[str],
) -> list[Cell]:
    return [
        cell
        for name in names
        for cell in plan.add(
            Benchmark(name, folder=effort.folder), [noise], named(methods), rule, effort.of(name)
        )
    ]


def outliers(plan: Plan, effort: Effort) -> list[Cell]:
    """The synthetic classes with outliers, labelled as printed and the other way round."""
    methods = [with_weights(method) for method in named(OUTLIER_METHODS)]
    return [
        cell
        for data in (OUTLIER_DATA, OPPOSITE_DATA)
        for cell in plan.add(data, [NoNoise()], methods, Whole(), 1)
    ]


def l1(plan: Plan, effort: Effort) -> list[Cell]:
    """The paper's OEC at three weights of the L1 penalty, ten runs."""
    return [
        cell
        for name in BINARY_NAMES
        for cell in plan.add(
            Benchmark(name, folder=effort.folder),
            [NoNoise()],
            [l1_method(alpha) for alpha in ALPHAS],
            PAPER_RULE,
            min(effort.of(name), 10),
        )
    ]


def multiclass(plan: Plan, effort: Effort) -> list[Cell]:
    """Seven sets, one-vs-one; the digits as a part, whole, both or not at all."""
    cells = [
        cell
        for name in MULTICLASS_NAMES
        if name != "HD"
        for methods, splits in effort.by_method(name, MULTICLASS_METHODS)
        for cell in plan.add(
            Benchmark(name, folder=effort.folder), [NoNoise()], methods, PAPER_RULE, splits
        )
    ]
    if effort.digits in ("part", "both"):
        part = Benchmark("HD", effort.digit_rows, effort.folder)
        methods = named(MULTICLASS_METHODS)
        cells += plan.add(part, [NoNoise()], methods, PAPER_RULE, effort.of("HD"))
    if effort.digits in ("whole", "both"):
        whole = Benchmark("HD", folder=effort.folder)
        methods = named(WHOLE_DIGITS_METHODS)
        cells += plan.add(whole, [NoNoise()], methods, PAPER_RULE, effort.of("HD"))
    return cells


def generalisation(plan: Plan, effort: Effort) -> list[Cell]:
    """The mean separator, the best one and convex methods on all sets but the digits."""
    return [
        cell
        for name in (*BINARY_NAMES, *MULTICLASS_NAMES)
        if name != "HD"
        for methods, splits in effort.by_method(name, GENERALISATION_METHODS)
        for cell in plan.add(
            Benchmark(name, folder=effort.folder),
            GENERALISATION_NOISES,
            methods,
            PAPER_RULE,
            splits,
        )
    ]


def overview(plan: Plan, effort: Effort) -> list[Cell]:
    """The separator of the synthetic example."""
    methods = [with_weights(METHODS["oec-cmaes"])]
    return plan.add(EXAMPLE_DATA, [NoNoise()], methods, Whole(), 1)
