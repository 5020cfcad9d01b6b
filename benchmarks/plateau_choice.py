"""Of separators with equal training score, does it pay to choose by margin? Test scores decide.

When classes overlap, many separators share the best training score. This walks the plateau around
the default's separator and compares, on test data: the separator as it is, the one whose nearest
correctly classified sample is furthest away, the one whose nearest tenth of the correctly
classified samples is furthest away on average, and the mean of all that were met.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from optimargin.binary import Plan, fit_binary
from optimargin.datasets import DatasetNotFoundError, load
from optimargin.lines import Lines, State
from optimargin.problem import Problem, make_problem

NAMES = ("BC", "CG", "GC", "PR", "IS", "PD", "GR", "VT", "HV", "HN")
SPLITS = 10
BATCHES = 12


def correct_distances(problem: Problem, state: State) -> NDArray[np.float64]:
    distances = problem.signs * state.values
    return np.sort(distances[distances > 0])


def met_on_the_plateau(lines: Lines, state: State, rng: np.random.Generator) -> list[State]:
    met = [state]
    for _ in range(BATCHES):
        directions = rng.standard_normal((16, lines.n_dimensions))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        met.append(lines.along_directions(met[-1], directions, "plateau", rng))
    best = max(one.correct for one in met)
    return [one for one in met if one.correct == best]


def test_scores(name: str, split: int) -> list[float]:
    data = load(name)
    y = (data.y == np.unique(data.y)[-1]).astype(int)
    X, X_test, y, y_test = train_test_split(
        data.X, y, train_size=0.7, stratify=y, random_state=split
    )
    varying = np.ptp(X, axis=0) > 0
    scaler = StandardScaler().fit(X[:, varying])
    X, X_test = scaler.transform(X[:, varying]), scaler.transform(X_test[:, varying])
    features = np.ascontiguousarray(X[np.argsort(y, kind="stable")].T)
    problem = make_problem(features, int(np.sum(y == 0)), None, "balanced")
    plan = Plan("memetic", ("auto",))
    found = fit_binary(problem, plan, np.random.SeedSequence(split)).separator
    lines = Lines(problem, whiten=True)
    met = met_on_the_plateau(
        lines, lines.state(found.direction, found.intercept), np.random.default_rng(split)
    )
    tenth = max(1, problem.n_samples // 10)
    nearest = max(met, key=lambda one: correct_distances(problem, one)[0])
    near = max(met, key=lambda one: correct_distances(problem, one)[:tenth].mean())
    mean = np.mean([one.theta for one in met], axis=0)
    scores = []
    for theta in (None, nearest.theta, near.theta, mean):
        if theta is None:
            direction, intercept = found.direction, found.intercept
        else:
            direction, intercept = lines.direction(theta), theta[-1]
        positive = X_test @ direction + intercept > 0
        scores.append((positive[y_test == 1].mean() + (~positive[y_test == 0]).mean()) / 2)
    return scores


def show(name: str, scores: NDArray[np.float64]) -> None:
    print(f"{name:5} {scores[0]:7.2f} {scores[1]:9.2f} {scores[2]:15.2f} {scores[3]:21.2f}")


def main() -> None:
    print("Test balanced accuracy, %, means of", SPLITS, "splits")
    print("set   as it is   nearest   nearest tenth   mean of the plateau")
    rows = []
    with threadpool_limits(1):
        for name in NAMES:
            try:
                scores = 100 * np.mean([test_scores(name, s) for s in range(SPLITS)], axis=0)
            except DatasetNotFoundError as problem:
                print(f"skipped: {problem}")
                return
            rows.append(scores)
            print(
                f"{name}    {scores[0]:7.2f} {scores[1]:9.2f} {scores[2]:15.2f} {scores[3]:21.2f}"
            )
    means = np.mean(rows, axis=0)
    print(f"mean  {means[0]:7.2f} {means[1]:9.2f} {means[2]:15.2f} {means[3]:21.2f}")


if __name__ == "__main__":
    main()
