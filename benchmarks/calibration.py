"""How well are the probabilities of the mean separator calibrated, on samples not trained on?

Beside logistic regression, and beside `CalibratedClassifierCV` around either, with five fits. All
are trained with both classes alike (class weights or sample weights), as the mean separator is, and
judged so: the share of a class among samples of equal probability is that of classes of equal
size. Splits and noise are the experiment engine's kinds; flipped labels are in the training part
only.
"""

import os

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

from optimargin import OptimalMarginClassifier
from optimargin.datasets import DatasetNotFoundError, Flip, NoNoise, load
from optimargin.experiments.splits import Stratified, seed_of

NAMES = ("BC", "CG", "GC", "PR", "IS", "PD", "GR", "VT")
SPLITS = int(os.environ.get("SPLITS", "10"))
BINS = np.linspace(0.0, 1.0, 11)


def models(seed: int) -> dict:
    average = OptimalMarginClassifier(separator="average", random_state=seed)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    return {
        "average": average,
        "average, CalibratedClassifierCV": CalibratedClassifierCV(average, cv=5),
        "logistic regression": logistic,
        "logistic regression, CalibratedClassifierCV": CalibratedClassifierCV(logistic, cv=5),
    }


def judged(name: str, noise: NoNoise | Flip) -> dict[str, list[np.ndarray]]:
    """For every model, by split: probability, label and weight of each test sample."""
    data = load(name)
    labels = np.unique(data.y, return_inverse=True)[1]
    found: dict[str, list[np.ndarray]] = {}
    for split in range(SPLITS):
        rng = np.random.default_rng(seed_of("calibration", name, split))
        train, test = Stratified(0.7).rows(labels, None, rng)
        X, y = noise.apply(data.X[train], labels[train], seed_of("noise", name, split))
        weights = compute_sample_weight("balanced", labels[test]) / test.size
        for title, model in models(split).items():
            calibrated = isinstance(model, CalibratedClassifierCV)
            given = {"sample_weight": compute_sample_weight("balanced", y)} if calibrated else {}
            shares = model.fit(X, y, **given).predict_proba(data.X[test])[:, 1]
            found.setdefault(title, []).append(np.array([shares, labels[test], weights]))
    return found


def brier(judgement: np.ndarray) -> float:
    shares, labels, weights = judgement
    return float(weights @ (shares - labels) ** 2)


def reliability(judgements: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each tenth of the probabilities: weight, mean probability, share of the class."""
    shares, labels, weights = np.hstack(judgements)
    places = np.clip(np.digitize(shares, BINS) - 1, 0, 9)
    total = np.bincount(places, weights, 10)
    present = np.maximum(total, 1e-300)
    claimed = np.bincount(places, weights * shares, 10) / present
    return total, claimed, np.bincount(places, weights * labels, 10) / present


def main() -> None:
    for title, noise in (("clean", NoNoise()), ("15 % of the training labels flipped", Flip(0.15))):
        table = {name: judged(name, noise) for name in NAMES}
        print(f"\n{title}: Brier score on test samples, classes alike (0.25: always one half)")
        print(f"{'':44}", " ".join(f"{name:>5}" for name in NAMES), "  mean")
        for model in table[NAMES[0]]:
            scores = [np.mean([brier(one) for one in table[name][model]]) for name in NAMES]
            print(f"{model:44}", " ".join(f"{s:5.3f}" for s in scores), f" {np.mean(scores):5.4f}")
        print("\nshare of the second class where its probability lies in each tenth, all sets")
        for model in table[NAMES[0]]:
            pooled = [one for name in NAMES for one in table[name][model]]
            total, claimed, seen = reliability(pooled)
            error = float(total @ np.abs(claimed - seen) / total.sum())
            print(
                f"{model:44}",
                " ".join(f"{share:5.2f}" for share in seen),
                f" mean error {error:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    try:
        main()
    except DatasetNotFoundError as problem:
        print(f"skipped: {problem}")
