"""The mean of a Gibbs distribution over separators, instead of the single best one.

The separator with the fewest training errors is not the one with the fewest errors on new samples:
where classes overlap, the last few training errors saved are saved by chance. The remedy is not to
optimise but to average. With weights w and intercept b in scaled coordinates, prior N(0, I) and p
the weighted share of training samples classified correctly, the distribution has the density

    exp(beta p(w, b)) times the prior.

A pair out of several classes may lie anywhere, and not about the origin as two classes do whose
features are centred: there the intercept's prior is N(0, n) for n features, so that the separator's
distance from the origin, with weights about sqrt(n) long, has spread 1.

Chains of exact Gibbs moves along the coordinates draw from it, and the mean of the draws, each
with its weights at unit length, is one linear separator again. A chain does not forget its start
by itself, so there is one from each of several starts; those whose mean separator scores clearly
below the best one's are left out, and how far the others agree is reported.

The cut is the mean of the cuts drawn: on test samples that is better than the best cut of the
training scores, by 0.3 points in the mean over four sets, clean and noisy, and never clearly worse.
Where classes interleave, so that there are two places for a good cut and none between them, it
lies between them all the same: a sample there is called by a mean, not by a majority.

The inverse temperature is beta = 11 sqrt(size of the smaller class), or three or nine times that
where `leave_one_out` finds this too warm: where classes are nearly separable by many features,
draws are spread over separators that are much worse than the best. The 11 was chosen by measurement
on four sets, clean and noisy: from half to twice that changes little (0.2 points), and neither
validation inside the training data nor the mean over a ladder of temperatures gains more than 0.1
points for several times the cost.
"""

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.confidence import vote_slope
from optimargin.leave_one_out import (
    SURELY,
    SURELY_OF_SEVERAL,
    count_votes,
    may_improve,
    surely_fewer,
    wrong_without_itself,
)
from optimargin.lines import Lines, State
from optimargin.objective import Objective, Scores, Separator
from optimargin.problem import Problem

# beta = this times the square root of the size of the smaller class.
TEMPERATURE_FACTOR = 11.0

# How much colder the next temperature is, and how many are tried at most.
COOLING = 3.0
TEMPERATURES = 3

CHAIN_MOVES = 1700
# Where fewer leave the mean near the chains' starts, which with many features fit the noise, too.
LEAST_SWEEPS = 32
BURN_IN = 0.1  # of a chain

# A chain is left out when its mean separator's training score is further below the best chain's.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Average:
    """The mean separator and the draws it was made of."""

    separator: Separator
    draws: NDArray[np.float64]  # kept draws: weights at unit length, intercept last
    inverse_temperature: float
    vote_slope: float  # how fast the draws' votes become unanimous with the distance
    agreement: float  # least share of samples that two of the chains' means label alike
    n_sweeps: int
    n_moves: int
    scores: NDArray[np.float64]  # best training score met, after each sweep
    stopped_early: bool


def default_inverse_temperature(class_sizes: tuple[float, float]) -> float:
    """Beta for two classes of these sizes."""
    return TEMPERATURE_FACTOR * math.sqrt(min(class_sizes))


@dataclass(frozen=True)
class _Drawn:
    """Chains of one temperature, and the mean of those that count."""

    beta: float
    mean: NDArray[np.float64]
    draws: NDArray[np.float64]  # of the chains that count
    agreement: float
    scores: list[float]  # of all chains, after each sweep
    stopped_early: bool


def average_separators(
    objective: Objective,
    starts: Scores,
    inverse_temperature: float | None,
    n_separators: int,
    rng: np.random.Generator,
    deadline: float | None = None,
    of_several: bool = False,
) -> Average:
    """Draw chains from every start and average what they agree on.

    The two classes may be a pair out of several classes, `of_several`.
    """
    problem = objective.problem
    founders = [starts.separator(index) for index in range(len(starts.score))]
    lines = Lines(problem, whiten=False)
    beta = inverse_temperature or default_inverse_temperature(problem.class_sizes)
    spread = math.sqrt(problem.n_features) if of_several else 1.0
    surely = SURELY_OF_SEVERAL if of_several else SURELY
    drawn = _draw(lines, founders, beta, spread, rng, deadline)
    scores, stopped_early = drawn.scores, drawn.stopped_early
    if inverse_temperature is None:
        wrong = wrong_without_itself(problem, drawn.draws, drawn.beta)
        for _ in range(1, TEMPERATURES):
            if stopped_early or not may_improve(problem, wrong, max(drawn.scores), surely):
                break
            colder = _draw(lines, founders, COOLING * drawn.beta, spread, rng, deadline)
            scores, stopped_early = scores + colder.scores, colder.stopped_early
            wrong_colder = wrong_without_itself(problem, colder.draws, colder.beta)
            if stopped_early or not surely_fewer(problem, wrong, wrong_colder, surely):
                break
            drawn, wrong = colder, wrong_colder
    separator = _separator(drawn.mean, objective)
    thinned = np.linspace(0, len(drawn.draws) - 1, min(n_separators, len(drawn.draws)))
    kept_draws = drawn.draws[np.round(thinned).astype(np.intp)]
    return Average(
        separator=separator,
        draws=kept_draws,
        vote_slope=_vote_slope(problem, separator, kept_draws),
        inverse_temperature=drawn.beta,
        agreement=drawn.agreement,
        n_sweeps=len(scores),
        n_moves=len(scores) * (problem.n_features + 1),
        scores=np.maximum.accumulate(scores),
        stopped_early=stopped_early,
    )


def _draw(
    lines: Lines,
    founders: list[Separator],
    beta: float,
    intercept_spread: float,
    rng: np.random.Generator,
    deadline: float | None,
) -> _Drawn:
    """A chain from every founder; those whose mean scores clearly below the best's do not count."""
    problem = lines.problem
    sweeps = max(LEAST_SWEEPS, CHAIN_MOVES // (problem.n_features + 1))
    scales = lines.unknown_scales()
    chains: list[NDArray[np.float64]] = []
    reached: list[float] = []
    stopped_early = False
    for founder in founders:
        draws, scores, stopped_early = _chain(
            lines, founder, beta, intercept_spread, sweeps, scales, rng, deadline
        )
        chains.append(draws)
        reached.extend(scores)
        if stopped_early:
            break
    means = [draws.mean(axis=0) for draws in chains]
    values = [_values(problem, mean) for mean in means]
    shares = np.array([problem.importance @ (problem.signs * v > 0) for v in values])
    kept = [index for index in range(len(chains)) if shares[index] >= shares.max() - TOLERANCE]
    apart = max(
        (
            float(problem.importance @ ((values[i] > 0) != (values[j] > 0)))
            for i in range(len(values))
            for j in range(i)
        ),
        default=0.0,
    )
    return _Drawn(
        beta=beta,
        mean=np.mean([means[index] for index in kept], axis=0),
        draws=np.vstack([chains[index] for index in kept]),
        agreement=1.0 - apart,
        scores=reached,
        stopped_early=stopped_early,
    )


def _values(problem: Problem, theta: NDArray[np.float64]) -> NDArray[np.floating]:
    """What a separator makes of the samples."""
    projected = problem.project(theta[None, :-1].astype(problem.dtype))[0]
    return np.asarray(projected + theta[-1])


def average_of_one(
    objective: Objective, separator: Separator, inverse_temperature: float | None
) -> Average:
    """An average where there is nothing to draw: of one separator alone."""
    problem = objective.problem
    beta = inverse_temperature or default_inverse_temperature(problem.class_sizes)
    draws = np.append(separator.direction, separator.intercept)[None, :]
    return Average(
        separator=separator,
        draws=draws,
        vote_slope=_vote_slope(problem, separator, draws),
        inverse_temperature=beta,
        agreement=1.0,
        n_sweeps=0,
        n_moves=0,
        scores=np.empty(0),
        stopped_early=False,
    )


def _vote_slope(problem: Problem, separator: Separator, draws: NDArray[np.float64]) -> float:
    """The slope for the votes that the draws cast on the training samples."""
    distances = _values(problem, np.append(separator.direction, separator.intercept))
    votes = count_votes(problem, draws)
    return vote_slope(distances, votes, len(draws), problem.importance)


def _chain(
    lines: Lines,
    start: Separator,
    beta: float,
    intercept_spread: float,
    sweeps: int,
    scales: NDArray[np.float64],
    rng: np.random.Generator,
    deadline: float | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Draws after the burn-in, the score after each sweep, whether the chain was cut short.

    The weights of a draw are at unit length.
    """
    n = lines.n_dimensions
    orders = rng.permuted(np.tile(np.arange(n + 1), (sweeps, 1)), axis=1)
    state = _at_prior_length(lines, start)
    at_once = sweeps if deadline is None else 1
    draws: list[NDArray[np.float64]] = []
    correct: list[NDArray[np.int64]] = []
    stopped_early = False
    for first in range(0, sweeps, at_once):
        part = orders[first : first + at_once]
        visited, right, state = lines.sample(state, part, rng, beta, scales, intercept_spread)
        draws.append(visited)
        correct.append(right)
        if deadline is not None and time.perf_counter() >= deadline:
            stopped_early = True
            break
    thetas = np.vstack(draws)
    thetas /= np.sqrt(np.einsum("ij,ij->i", thetas[:, :-1], thetas[:, :-1]))[:, None]
    scores = np.concatenate(correct) / lines.problem.units.total
    return thetas[int(BURN_IN * len(thetas)) :], scores, stopped_early


def _at_prior_length(lines: Lines, start: Separator) -> State:
    """The start as a state whose weights are as long as the prior expects."""
    state = lines.state(start.direction, start.intercept)
    length = math.sqrt(lines.n_dimensions)
    return State(
        state.theta * length,
        state.values * length,
        state.correct,
        state.best_theta * length,
        state.best_correct,
    )


def _separator(mean: NDArray[np.float64], objective: Objective) -> Separator:
    """The mean as a separator: unit length, its score and its distance to the nearest sample."""
    problem = objective.problem
    length = math.sqrt(mean[:-1] @ mean[:-1])
    direction, intercept = mean[:-1] / length, float(mean[-1] / length)
    values = _values(problem, np.append(direction, intercept))
    score = float(problem.importance @ (problem.signs * values > 0))
    one_sided = bool(np.all(values > 0) or np.all(values <= 0))
    margin = 0.0 if one_sided else float(np.abs(values).min())
    return Separator(direction, intercept, score, margin, score)
