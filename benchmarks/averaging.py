"""Does the mean separator generalise? Test scores beside convex methods, clean and noisy.

Splits, noise and tests are the experiment engine's. For each set the corrected resampled t-test at
5 % marks where the average is significantly better (+) or worse (-) than a row; Holm's correction
over the sets is counted beside it. Half of the sets were used to choose the rule for the inverse
temperature, half were not.
"""

import os
import time

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from optimargin import OptimalMarginClassifier
from optimargin.datasets import DatasetNotFoundError, load, make_large
from optimargin.experiments import compare
from optimargin.experiments.statistics import holm, paired_tests

CHOSEN_ON = ("BC", "GC", "IS", "GR")
CONFIRMED_ON = ("CG", "PR", "PD", "VT")
ROWS = ("lr-balanced", "svm-balanced", "lda", "lr-threshold", "svm-threshold", "omc")
SPLITS = int(os.environ.get("SPLITS", "30"))


def scores(name: str, kind: str, rate: float) -> dict[str, list[float]]:
    data = load(name)
    methods = ("omc-average", *ROWS)
    result = compare(
        data.X,
        data.y,
        methods=methods,
        splits=SPLITS,
        noise=rate,
        noise_kind=kind,
        name=name,
        jobs=1,
    )
    noise = result.noises[0].name
    found = {}
    for method in methods:
        by_split = result.results.values((name, noise, result.rule.name, method), "test balanced")
        found[method] = [by_split[split] for split in sorted(by_split)]
    return found


def generalisation() -> None:
    names = CHOSEN_ON + CONFIRMED_ON
    for kind, rate in (("replace", 0.0), ("replace", 0.15), ("flip", 0.15)):
        table = {name: scores(name, kind, rate) for name in names}
        print(f"\n{f'{rate:.0%} {kind}' if rate else 'clean'}, test balanced accuracy, %")
        print(
            "row           ", " ".join(f"{name:>6}" for name in names), "  chosen confirmed  mean"
        )
        for row in ("omc-average", *ROWS):
            means = {name: 100 * float(np.mean(table[name][row])) for name in names}
            marks, p_values, signs = [], [], []
            for name in names:
                test = paired_tests(table[name]["omc-average"], table[name][row], 0.3 / 0.7)
                p_values.append(1.0 if row == "omc-average" else test.p_corrected)
                signs.append(test.difference)
            for p, sign in zip(p_values, signs, strict=True):
                marks.append("+" if p < 0.05 and sign > 0 else "-" if p < 0.05 else " ")
            corrected = sum(
                p < 0.05 and sign < 0 for p, sign in zip(holm(p_values), signs, strict=True)
            )
            halves = [np.mean([means[name] for name in half]) for half in (CHOSEN_ON, CONFIRMED_ON)]
            print(
                f"{row:14}",
                " ".join(f"{means[n]:5.1f}{m}" for n, m in zip(names, marks, strict=True)),
                f"{halves[0]:8.2f} {halves[1]:9.2f} {np.mean(halves):5.2f}",
                f"  average better on {marks.count('+')}, worse on {marks.count('-')}"
                f" ({corrected} after Holm)" * (row != "omc-average"),
                flush=True,
            )


def timing() -> None:
    print("\nFit time of the average against LinearSVC: medians of processor time, one thread")
    sets = [(name, *_arrays(name)) for name in ("BC", "GC", "IS", "GR", "HV")]
    sets += [(f"{m:,} x 20", *make_large(m, 20, random_state=0)) for m in (100_000, 1_000_000)]
    with threadpool_limits(1):
        for name, X, y in sets:
            scaled = StandardScaler().fit_transform(X)
            model = OptimalMarginClassifier(separator="average", random_state=0)
            svm = LinearSVC(class_weight="balanced")
            model.fit(X[:: max(1, len(y) // 1000)], y[:: max(1, len(y) // 1000)])
            times = []
            for _ in range(1 if len(y) >= 1_000_000 else 5):
                began = time.process_time()
                model.fit(X, y)
                middle = time.process_time()
                svm.fit(scaled, y)
                times.append((middle - began, time.process_time() - middle))
            ours, theirs = np.median(times, axis=0)
            aim = 10 if len(y) < 2000 else 2
            verdict = "met" if ours <= aim * theirs else "MISSED"
            print(f"{name}: {ours:.4f} s, {ours / theirs:.1f} times (aim {aim}, {verdict})")


def _arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return data.X, data.y


def main() -> None:
    try:
        timing()
        generalisation()
    except DatasetNotFoundError as problem:
        print(f"skipped: {problem}")


if __name__ == "__main__":
    main()
