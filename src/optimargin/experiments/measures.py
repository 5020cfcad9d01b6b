"""How well predictions agree with the labels, all from one confusion matrix.

scikit-learn's functions give the same numbers (the tests compare them) but check their input
again for each; together they would cost more than many of the fits that they judge.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Measures:
    """Scores of one set of predictions, all in [0, 1].

    ``balanced`` is the mean recall of the classes, ``one_vs_rest`` the mean over the classes of
    (sensitivity + specificity) / 2; for two classes they are one and the same, the "AUC" of the
    paper. ``auc`` is the area under the true ROC curve, two classes only.
    """

    balanced: float
    one_vs_rest: float
    auc: float
    accuracy: float
    f1: float


def measure(
    y: NDArray[np.integer[Any]],
    predicted: NDArray[np.integer[Any]],
    n_classes: int,
    scores: NDArray[np.floating[Any]] | None = None,
) -> Measures:
    """Score class codes 0..n_classes-1 against the true ones; classes without samples do not count.

    ``scores`` are decision values for class 1 of two.
    """
    confusion = np.bincount(y * n_classes + predicted, minlength=n_classes**2)
    confusion = confusion.reshape(n_classes, n_classes)
    right = np.diagonal(confusion).astype(float)
    actual, claimed = confusion.sum(axis=1), confusion.sum(axis=0)
    present = actual > 0
    recall = right[present] / actual[present]
    rest = y.size - actual[present]
    wrongly_claimed = (claimed - right)[present]
    # With one class only there is no rest to be wrong about.
    specificity = 1.0 - wrongly_claimed / np.maximum(rest, 1)
    seen = (actual + claimed) > 0
    f1 = 2.0 * right[seen] / (actual + claimed)[seen]
    return Measures(
        balanced=float(recall.mean()),
        one_vs_rest=float((recall + specificity).mean() / 2.0),
        auc=_area_under_roc(y, scores) if scores is not None and n_classes == 2 else float("nan"),
        accuracy=float(right.sum() / y.size),
        f1=float(f1.mean()),
    )


def _area_under_roc(y: NDArray[np.integer[Any]], scores: NDArray[np.floating[Any]]) -> float:
    positive = y == 1
    n_positive = int(positive.sum())
    n_negative = y.size - n_positive
    if n_positive == 0 or n_negative == 0 or not np.isfinite(scores).all():
        return float("nan")
    # The mean rank of each value: ties count half.
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2.0
    rank_sum = mean_ranks[place][positive].sum()
    return float((rank_sum - n_positive * (n_positive + 1) / 2.0) / (n_positive * n_negative))
