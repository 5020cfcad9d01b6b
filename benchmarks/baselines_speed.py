"""How long each baseline takes to fit, beside logistic regression and beside the paper's time.

The training part is 70 % of the rows of each class, standardised. One thread; the median of
several fits after one to warm up; slow fits are timed once. Times are in milliseconds, in brackets
the ratio to logistic regression in the same run and the paper's own time on another machine.
"""

import os
import statistics
import time
import warnings
from collections.abc import Callable

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

LONG_SECONDS = 2.0
REPETITIONS = 7


def training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    X, _, y, _ = train_test_split(data.X, data.y, train_size=0.7, stratify=data.y, random_state=0)
    return StandardScaler().fit_transform(X), y


def seconds(fit: Callable[[], object]) -> float:
    """The median time of a fit."""
    times = []
    for _ in range(1 + REPETITIONS):
        start = time.perf_counter()
        fit()
        times.append(time.perf_counter() - start)
        if times[-1] > LONG_SECONDS:
            return times[-1]
    return statistics.median(times[1:])


def estimators() -> dict[str, BaseEstimator | str]:
    """Every baseline with its defaults, or why it cannot be made."""
    made: dict[str, BaseEstimator | str] = {}
    for name in baselines.__all__:
        try:
            made[name] = getattr(baselines, name)()
        except TypeError as error:
            made[name] = f"needs arguments ({error})"
    made["ExactZeroOneClassifier"] = "its time grows exponentially; it is for smaller data"
    return made


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
    print("milliseconds (ratio to LogisticRegression; the paper's milliseconds)")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for column, (name, (X, y)) in enumerate(parts.items()):
            print(f"\n{name}: {X.shape[0]} x {X.shape[1]}")
            reference = 1e3 * seconds(lambda X=X, y=y: LogisticRegression().fit(X, y))
            print(f"  {'LogisticRegression':36s} {cell(reference, reference, None)}")
            for method, estimator in made.items():
                if isinstance(estimator, str):
                    print(f"  {method:36s} skipped: {estimator}")
                    continue
                paper = PAPER_TIMES.get(method, ())
                told = paper[column] if column < len(paper) else None
                try:
                    taken = 1e3 * seconds(lambda e=estimator, X=X, y=y: e.fit(X, y))
                except (ImportError, ValueError) as error:
                    print(f"  {method:36s} failed: {error}")
                    continue
                print(f"  {method:36s} {cell(taken, reference, told)}", flush=True)


if __name__ == "__main__":
    main()
