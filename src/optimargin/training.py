"""The training data of all classes together, and the binary problems that they hold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from optimargin.problem import Problem, make_problem
from optimargin.scaling import Matrix, Scaling
from optimargin.weighting import Costs

_ROWS = 2**16  # scored at once


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """The pairs (i, j), i < j, in the order that every per-pair attribute uses."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


@dataclass(frozen=True)
class TrainingSet:
    """All classes together, before they are paired."""

    X: Matrix
    codes: NDArray[np.intp]  # class number of each sample
    n_classes: int
    sample_weight: NDArray[np.float64] | None
    costs: NDArray[np.float64] | None  # one a class; None balances the classes
    scaling: Scaling

    def problem(self, pair: tuple[int, int]) -> Problem:
        """The binary problem of a pair, the first class being the negative one."""
        negative, positive = (np.flatnonzero(self.codes == code) for code in pair)
        rows = np.concatenate([negative, positive])
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        costs: Costs = "balanced"
        if self.costs is not None:
            costs = (float(self.costs[pair[0]]), float(self.costs[pair[1]]))
        return make_problem(self.scaling.features(self.X, rows), negative.size, weights, costs)

    def scores(
        self, coef: NDArray[np.floating], intercept: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        """Weighted share of each pair's samples on their side, by weights for the original X."""
        m = self.codes.size
        pairs = class_pairs(self.n_classes)
        weights = np.ones(m) if self.sample_weight is None else self.sample_weight
        right = np.zeros((len(pairs), 2))  # by pair and class of the pair
        for first in range(0, m, _ROWS):
            rows = slice(first, min(first + _ROWS, m))
            distances = safe_sparse_dot(self.X[rows], coef.T, dense_output=True) + intercept
            codes, block_weights = self.codes[rows], weights[rows]
            for index, (i, j) in enumerate(pairs):
                side = distances[:, index] > 0
                right[index, 0] += block_weights[(codes == i) & ~side].sum()
                right[index, 1] += block_weights[(codes == j) & side].sum()
        totals = np.bincount(self.codes, weights, minlength=self.n_classes)
        scores = np.empty(len(pairs))
        for index, (i, j) in enumerate(pairs):
            if self.costs is None:
                scores[index] = (right[index, 0] / totals[i] + right[index, 1] / totals[j]) / 2
                continue
            costs = self.costs[[i, j]]
            if not costs.any():  # neither class costs anything: they count alike
                costs = np.ones(2)
            scores[index] = costs @ right[index] / (costs @ totals[[i, j]])
        return scores
