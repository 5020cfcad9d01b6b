"""Many classes as pairs of classes: the pairs, and the vote that joins them again."""

import numpy as np
from numpy.typing import NDArray


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """The pairs (i, j), i < j, in the order that every per-pair attribute uses."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def vote(pair_scores: NDArray[np.floating], n_classes: int) -> NDArray[np.floating]:
    """One column per class from one column per pair; a positive score of pair (i, j) votes for j.

    Ties are broken by confidence: the summed scores of a class, squeezed into (-1/3, 1/3) so that
    they can never outweigh a vote.
    """
    votes = np.zeros((pair_scores.shape[0], n_classes), dtype=pair_scores.dtype)
    confidences = np.zeros_like(votes)
    for column, (i, j) in enumerate(class_pairs(n_classes)):
        score = pair_scores[:, column]
        confidences[:, i] -= score
        confidences[:, j] += score
        votes[:, i] += score <= 0
        votes[:, j] += score > 0
    scores: NDArray[np.floating] = votes + confidences / (3 * (np.abs(confidences) + 1))
    return scores
