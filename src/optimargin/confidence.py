"""How sure an average of separators is, from the votes of the separators it was made of."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from optimargin.training import class_pairs

# No share of votes is reported as surer than this.
_SUREST = 1e-6


def vote_slope(
    values: NDArray[np.floating],
    votes: NDArray[np.floating],
    n_voters: int,
    importance: NDArray[np.float64],
) -> float:
    """The slope k for which 1 / (1 + exp(-k value)) follows the share of votes best.

    `values` are the samples' distances from the mean separator, `votes` how many of the separators
    call each positive; one vote is added on either side. Best is the least cross-entropy, as in a
    logistic regression on the votes.
    """
    shares = (votes + 1) / (n_voters + 2)

    def excess(slope: float) -> float:
        """What grows with the slope and is zero at the best one."""
        return float(importance @ (values * (expit(slope * values) - shares)))

    spread = math.sqrt(importance @ values**2)
    if spread == 0.0 or excess(0.0) >= 0.0:
        return 0.0
    highest = 1.0 / spread
    while excess(highest) < 0.0:
        highest *= 2.0
    return float(brentq(excess, 0.0, highest, xtol=1e-9 * highest))


def pair_shares(
    distances: NDArray[np.floating], slopes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Share of votes for the second class of each pair, as the slope predicts it."""
    shares: NDArray[np.float64] = expit(np.asarray(distances, dtype=np.float64) * slopes)
    return _SUREST + (1 - 2 * _SUREST) * shares


def join_shares(
    shares: NDArray[np.float64], n_classes: int, predicted: NDArray[np.intp]
) -> NDArray[np.float64]:
    """One column a class: the mean share of its pairs, so that the columns add up to 1.

    Where another class than the `predicted` one has the greatest share, the two are exchanged;
    where it has as great a share, the predicted class is given a little of the others'.
    """
    joined = np.zeros((shares.shape[0], n_classes))
    for column, (i, j) in enumerate(class_pairs(n_classes)):
        joined[:, i] += 1 - shares[:, column]
        joined[:, j] += shares[:, column]
    joined /= n_classes * (n_classes - 1) / 2
    rows, greatest = np.arange(len(joined)), joined.argmax(axis=1)
    own = joined[rows, predicted].copy()
    joined[rows, predicted] = joined[rows, greatest]
    joined[rows, greatest] = np.where(greatest == predicted, joined[rows, greatest], own)
    others = joined.copy()
    others[rows, predicted] = 0.0
    level = joined[rows, predicted] <= others.max(axis=1)
    joined[level] *= 1 - _SUREST
    joined[rows[level], predicted[level]] += _SUREST
    return joined
