"""The demonstration: five linear classifiers on breast cancer data, clean and with noise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from optimargin.datasets.noise import Noise, NoNoise, Replace
from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.methods import Method, find_methods
from optimargin.experiments.protocol import compute, standardise, warm_up
from optimargin.experiments.sources import Problem
from optimargin.experiments.splits import Stratified

METHODS = "oec-cmaes, omc, lr, svm, lda"
NOISES: tuple[Noise, ...] = (NoNoise(), Replace())
DATA = "breast cancer (Wisconsin, diagnostic)"


@dataclass(frozen=True)
class Summary:
    """Mean and standard error over the splits."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: list[float]) -> "Summary":
        """Summarise one value a split."""
        spread = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
        return cls(float(np.mean(values)), float(spread))


@dataclass(frozen=True)
class Row:
    """One method's results: balanced accuracy by noise, seconds a fit."""

    method: Method
    train: tuple[Summary, ...]
    test: tuple[Summary, ...]
    seconds: Summary


@dataclass(frozen=True)
class Fits:
    """What the figures show: two fits of the first split with noise, and its test rows."""

    names: list[str]
    default: Any
    paper: Any
    X_train: Any
    X_test: Any
    y_test: Any


@dataclass(frozen=True)
class Demonstration:
    """All results of a demonstration."""

    rows: list[Row]
    n_splits: int
    n_samples: int
    n_features: int
    fits: Fits


def demonstrate(n_splits: int, advance: Callable[[int, int], None]) -> Demonstration:
    """Fit every method on the same splits, clean and with the paper's noise.

    Parameters
    ----------
    n_splits : int
        How many stratified 70/30 splits to average over.
    advance : callable
        Called with the number of fits done and the number of all.
    """
    data = load_breast_cancer()
    problem = Problem(
        np.asarray(data.data, dtype=float),
        # Malignant, the smaller class, is the one that gets the noise.
        1 - np.asarray(data.target, dtype=np.int64),
        tuple(map(str, data.target_names[::-1])),
    )
    methods = find_methods(METHODS)
    cells = [
        Cell(DATA, problem.fingerprint, noise, method, Stratified(), split)
        for split in range(n_splits)
        for noise in NOISES
        for method in methods
    ]
    for method in methods:
        warm_up(method, 2)
    outcomes: dict[tuple[str, str], list[Outcome]] = {}
    for done, cell in enumerate(cells, start=1):
        outcome = compute(problem, cell)
        if outcome.status != "ok":
            raise RuntimeError(f"{cell.method.title} failed: {outcome.message}")
        outcomes.setdefault((cell.method.name, cell.noise.name), []).append(outcome)
        advance(done, len(cells))
    rows = [_row(method, outcomes) for method in methods]
    fits = _fits(problem, methods, [str(name) for name in data.feature_names])
    n_samples, n_features = problem.X.shape
    return Demonstration(rows, n_splits, n_samples, n_features, fits)


def _row(method: Method, outcomes: dict[tuple[str, str], list[Outcome]]) -> Row:
    by_noise = [outcomes[method.name, noise.name] for noise in NOISES]
    return Row(
        method,
        tuple(Summary.of([outcome.train.balanced for outcome in part]) for part in by_noise),
        tuple(Summary.of([outcome.test.balanced for outcome in part]) for part in by_noise),
        Summary.of([outcome.fit_seconds for part in by_noise for outcome in part]),
    )


def _fits(problem: Problem, methods: tuple[Method, ...], names: list[str]) -> Fits:
    chosen = {method.name: method for method in methods}
    noise = NOISES[-1]
    cell = Cell(DATA, problem.fingerprint, noise, chosen["omc"], Stratified(), 0)
    train, test = cell.rule.rows(problem.y, None, np.random.default_rng(cell.split_seed))
    X_train, y_train = noise.apply(problem.X[train], problem.y[train], cell.noise_seed)
    X_train, X_test = standardise(X_train, problem.X[test])
    labels = np.array(problem.classes)
    default, paper = (
        chosen[name].build(cell.method_seed, 2).fit(X_train, labels[y_train])
        for name in ("omc", "oec-cmaes")
    )
    return Fits(names, default, paper, X_train, X_test, labels[problem.y[test]])
