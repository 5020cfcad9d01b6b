"""What draws from a Gibbs distribution would say of a sample that had not been among the samples.

Leaving a sample out multiplies the density of each draw by exp(beta c) if the draw is wrong on the
sample, c being the sample's share of the score, and leaves it as it is otherwise. So the vote
without the sample is known from the share of draws that are wrong on it, and the errors of these
votes estimate the error on new samples, without drawing anew. They say whether one temperature is
better than another.
"""

import math

import numpy as np
from numpy.typing import NDArray

from optimargin.problem import Problem

# By how many standard errors a colder distribution must be better. They are a little more than
# whole, so that where errors are few and a comparison comes out even, rounding does not decide.
SURELY = 3.0 + 1e-9
# Where classes are several, what one pair chooses wrongly counts less than what all choose rightly.
SURELY_OF_SEVERAL = 1.0 + 1e-9

_CHUNK = 2**16  # values held at once


def count_votes(problem: Problem, draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many of the draws call each sample positive."""
    votes = np.zeros(problem.n_samples)
    at_once = max(1, _CHUNK // problem.n_samples)
    for first in range(0, len(draws), at_once):
        part = draws[first : first + at_once].astype(problem.dtype)
        votes += np.count_nonzero(problem.project(part[:, :-1]) + part[:, -1:] > 0, axis=0)
    return votes


def _unit_shares(problem: Problem) -> NDArray[np.float64]:
    """The share of the score that one sample's worth of weight has, for every sample."""
    negative = slice(problem.n_negative)
    positive = slice(problem.n_negative, None)
    shares = np.empty(problem.n_samples)
    for block, size in zip((negative, positive), problem.class_sizes, strict=True):
        shares[block] = problem.importance[block].sum() / size
    return shares


def wrong_without_itself(
    problem: Problem, draws: NDArray[np.float64], beta: float
) -> NDArray[np.bool_]:
    """Whether the draws would call each sample wrong, had it not been among the samples."""
    positive = count_votes(problem, draws)
    wrong = np.where(problem.signs > 0, len(draws) - positive, positive)
    odds = (wrong + 1) / (len(draws) - wrong + 1)
    return np.asarray(np.log(odds) + beta * _unit_shares(problem) > 0)


def may_improve(
    problem: Problem, wrong: NDArray[np.bool_], best_score: float, surely: float
) -> bool:
    """Whether there are errors enough for a colder distribution to make surely fewer."""
    error = float(problem.importance @ wrong)
    variance = float((problem.importance * _unit_shares(problem)) @ wrong)
    # of a gain g made up of these errors the standard error is sqrt(g variance / error)
    return error > 0 and error - (1.0 - best_score) > surely**2 * variance / error


def surely_fewer(
    problem: Problem, wrong: NDArray[np.bool_], wrong_colder: NDArray[np.bool_], surely: float
) -> bool:
    """Whether a colder distribution makes fewer errors by so many standard errors."""
    change = wrong.astype(float) - wrong_colder
    gain = float(problem.importance @ change)
    variance = float((problem.importance * _unit_shares(problem)) @ change**2)
    return gain > surely * math.sqrt(variance)
