"""What the mean separator costs beside LinearSVC, one inverse temperature.

Its test scores beside convex methods, clean and noisy, are a part of the experiments:
`optimargin reproduce generalisation`.
"""

import time

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from optimargin import OptimalMarginClassifier
from optimargin.datasets import DatasetNotFoundError, load, make_large


def timing() -> None:
    print("\nFit time of the average, one temperature given, against LinearSVC; and its own choice")
    print("of the temperature against that. Medians of processor time, one thread.")
    sets = [(name, *_arrays(name)) for name in ("BC", "GC", "IS", "GR", "HV")]
    sets += [(f"{m:,} x 20", *make_large(m, 20, random_state=0)) for m in (100_000, 1_000_000)]
    with threadpool_limits(1):
        for name, X, y in sets:
            chosen = OptimalMarginClassifier(separator="average", random_state=0).fit(X, y)
            given = OptimalMarginClassifier(
                separator="average",
                inverse_temperature=float(chosen.inverse_temperature_[0]),
                random_state=0,
            )
            rivals = (
                (given, X),
                (LinearSVC(class_weight="balanced"), StandardScaler().fit_transform(X)),
                (chosen, X),
            )
            times = []
            for _ in range(1 if len(y) >= 1_000_000 else 5 if len(y) >= 2000 else 25):
                times.append([_processor_time(model, data, y) for model, data in rivals])
            ours, theirs, own_choice = np.median(times, axis=0)
            aim = 10 if len(y) < 2000 else 2
            verdict = "met" if ours <= aim * theirs else "MISSED"
            print(
                f"{name}: {ours:.4f} s, {ours / theirs:.1f} times (aim {aim}, {verdict});"
                f" with the choice {own_choice / ours:.1f} times that",
                flush=True,
            )


def _processor_time(model: object, X: np.ndarray, y: np.ndarray) -> float:
    began = time.process_time()
    model.fit(X, y)
    return time.process_time() - began


def _arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return data.X, data.y


def main() -> None:
    try:
        timing()
    except DatasetNotFoundError as problem:
        print(f"skipped: {problem}")


if __name__ == "__main__":
    main()
