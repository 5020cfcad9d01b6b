"""How long each baseline takes to fit, beside logistic regression and beside the paper's time.

The training part is 70 % of the rows of each class, standardised. Processor time on one thread, so
that other work on the machine does not count: the median of several fits after one to warm up; slow
fits are timed once. Times are in milliseconds, in brackets the ratio to logistic regression in the
same run and the paper's own time on another machine. At the end: what was aimed at, and whether it
was met.
"""

import os
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from optimargin import baselines
from optimargin.datasets import load

NAMES = ("BC", "CG", "GC", "PR", "IS", "PD", "SR", "MD")

# Milliseconds: table "full comparison" of the paper's appendix, and its tables with SLA and the
# tuned support vector machine, which have no SR and MD.
PAPER_TIMES = {
    "DiscriminativeElasticNetClassifier": (15, 10.7, 11.2, 14.3, 19.6, 14.9, 1900, 2400),
    "WeightedLinearTwinSVC": (0.6, 0.3, 0.4, 0.4, 0.5, 0.5, 41.5, 43.9),
    "StructuralMinimaxClassifier": (112.5, 98.7, 105.2, 121.2, 131.6, 99.8, 927.7, 4000),
    "MultipleBetweenClassLDA": (6.9, 4.1, 4.1, 4.3, 4.7, 4.4, 95.6, 92.9),
    "SmoothZeroOneClassifier": (12500, 1670, 3500, 5100, 6400, 35700),
    "TunedLinearSVC": (52900, 16100, 19900, 20600, 26700, 44500),
}

DEL = "DiscriminativeElasticNetClassifier"
# Settings other than the defaults that are timed too: the variant that the experiments use, which
# ends when it has converged, and both with all of the paper's 400 iterations, needed or not.
ADMM = {"solver": "admm", "fit_intercept": False}
VARIANTS = {
    f"{DEL}, 400 iterations": (DEL, {"tol": 0.0}),
    f"{DEL}, ADMM": (DEL, ADMM),
    f"{DEL}, ADMM, 400 iterations": (DEL, {**ADMM, "tol": 0.0}),
}

LONG_SECONDS = 2.0
REPETITIONS = 7


@dataclass(frozen=True)
class Aim:
    """A limit to the time of methods on some data sets."""

    methods: tuple[str, ...]
    names: tuple[str, ...]
    words: str
    of_reference: float | None = None
    of_paper: float | None = None

    def limit(self, reference: float, paper: float | None) -> float:
        """In milliseconds."""
        if self.of_reference is not None:
            return self.of_reference * reference
        assert paper is not None
        assert self.of_paper is not None
        return self.of_paper * paper


AIMS = (
    Aim(
        ("WeightedLinearTwinSVC", "MultipleBetweenClassLDA", "MinimaxProbabilityClassifier"),
        ("SR", "MD"),
        "3 times logistic regression",
        of_reference=3,
    ),
    Aim(
        (f"{DEL}, 400 iterations", f"{DEL}, ADMM", f"{DEL}, ADMM, 400 iterations"),
        ("SR", "MD"),
        "10 times logistic regression",
        of_reference=10,
    ),
    Aim(("SmoothZeroOneClassifier",), NAMES[:6], "a tenth of the paper's time", of_paper=0.1),
    Aim(("StructuralMinimaxClassifier",), NAMES, "the paper's time", of_paper=1),
)


def training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    X, _, y, _ = train_test_split(data.X, data.y, train_size=0.7, stratify=data.y, random_state=0)
    return StandardScaler().fit_transform(X), y


def seconds(fit: Callable[[], object]) -> float:
    """The median time of a fit."""
    times = []
    for _ in range(1 + REPETITIONS):
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
        if times[-1] > LONG_SECONDS:
            return times[-1]
    return statistics.median(times[1:])


def estimators() -> dict[str, BaseEstimator | str]:
    """Every baseline with its defaults and a seed, or why it is left out."""
    made: dict[str, BaseEstimator | str] = {}
    for name in baselines.__all__:
        estimator = getattr(baselines, name)()
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=0)
        made[name] = estimator
    made["ExactZeroOneClassifier"] = "its time grows exponentially; it is for smaller data"
    for label, (name, settings) in VARIANTS.items():
        made[label] = getattr(baselines, name)(**settings)
    return made


def paper_time(method: str, name: str) -> float | None:
    """The paper's milliseconds, where it has any."""
    times = PAPER_TIMES.get(VARIANTS.get(method, (method,))[0], ())
    column = NAMES.index(name)
    return times[column] if column < len(times) else None


def print_aims(times: dict[tuple[str, str], float]) -> None:
    """Whether each aim was met on the data set where it was hardest to meet."""
    print("\nAims")
    for aim in AIMS:
        for method in aim.methods:
            shares = {
                name: times[method, name]
                / aim.limit(times["LogisticRegression", name], paper_time(method, name))
                for name in aim.names
            }
            hardest = max(shares, key=lambda name: shares[name])
            verdict = "met   " if shares[hardest] <= 1 else "MISSED"
            print(
                f"  {verdict} {method}: at most {aim.words} on {', '.join(aim.names)} "
                f"(nearest to the limit on {hardest}: {shares[hardest]:.3f} of it)"
            )


def cell(milliseconds: float, reference: float, paper: float | None) -> str:
    told = f"; {paper:g}" if paper is not None else ""
    return f"{milliseconds:.1f} ({milliseconds / reference:.2f}{told})"


def main() -> None:
    try:
        parts = {name: training_part(name) for name in NAMES}
    except FileNotFoundError as error:
        folder = os.environ.get("OPTIMARGIN_DATA")
        print(f"skipped: OPTIMARGIN_DATA is {folder!r}; it must name the folder of the data sets.")
        print(f"({error})")
        return
    made = estimators()
    times: dict[tuple[str, str], float] = {}
    print("milliseconds (ratio to LogisticRegression; the paper's milliseconds)")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (X, y) in parts.items():
            print(f"\n{name}: {X.shape[0]} x {X.shape[1]}")
            reference = 1e3 * seconds(lambda X=X, y=y: LogisticRegression().fit(X, y))
            times["LogisticRegression", name] = reference
            print(f"  {'LogisticRegression':56s} {cell(reference, reference, None)}")
            for method, estimator in made.items():
                if isinstance(estimator, str):
                    print(f"  {method:56s} skipped: {estimator}")
                    continue
                try:
                    taken = 1e3 * seconds(lambda e=estimator, X=X, y=y: e.fit(X, y))
                except (ImportError, ValueError) as error:
                    print(f"  {method:56s} failed: {error}")
                    continue
                times[method, name] = taken
                told = cell(taken, reference, paper_time(method, name))
                print(f"  {method:56s} {told}", flush=True)
    print_aims(times)


if __name__ == "__main__":
    main()
