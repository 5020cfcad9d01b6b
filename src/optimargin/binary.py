"""One binary problem: starts -> search -> final separator."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from optimargin.average import Average, average_of_one, average_separators
from optimargin.lines import Lines
from optimargin.objective import Objective, Scores, Separator
from optimargin.problem import Problem
from optimargin.search.coordinate import CoordinateSearcher
from optimargin.search.growing import GrowingSearcher
from optimargin.search.loop import Outcome, Searcher, run_search
from optimargin.search.memetic import MemeticSearcher, default_rounds
from optimargin.search.penalised import DEFAULT_ROUNDS, PenalisedMemeticSearcher
from optimargin.search.population import (
    PopulationSearcher,
    default_max_generations,
    default_population_size,
)
from optimargin.search.registry import OptimizerChoice, optimizer_factory
from optimargin.search.stopping import Stopping
from optimargin.starts import mean_difference, settled, start_direction

# The starts that "auto" takes, the dearest last.
_AUTO = ("lda", "logistic_free")
_AUTO_AVERAGE = ("logistic", "logistic_free")
_AUTO_MANY_FEATURES = ("mean_difference", "logistic")
_MANY_FEATURES = 600

# The memetic search works on a stratified subsample while rows exceed both numbers (the second is a
# multiple of the features), and carries over to all rows what it finds.
_LARGE_ROWS = 4000
_LARGE_ROWS_PER_FEATURE = 60
_LEAST_ROUNDS_ON_PART = 2
_AVERAGED_ROWS = 2**15

_Directions: TypeAlias = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Plan:
    """How to search; the same for every pair of classes."""

    optimizer: OptimizerChoice
    starts: tuple[str, ...]  # names; empty where directions are given
    l1: float = 0.0
    population_size: int | None = None
    max_generations: int | None = None
    patience: int | None = None
    separator: str = "best"  # or "average"
    inverse_temperature: float | None = None
    n_separators: int = 100
    of_several: bool = False  # the pair is one out of several classes

    @property
    def by_moves(self) -> bool:
        """Whether the search moves along lines, and does not ask for populations."""
        return self.optimizer in ("memetic", "coordinate")


def fit_binary(
    problem: Problem,
    plan: Plan,
    seed: np.random.SeedSequence,
    given_start: NDArray[np.float64] | None = None,
    deadline: float | None = None,
    on_generation: Callable[[int], bool] | None = None,
) -> Outcome:
    """Search a separator of one pair of classes."""
    rng = np.random.Generator(np.random.PCG64(seed))
    objective = Objective(problem, plan.l1)
    averaged = plan.separator == "average"
    if min(problem.units.total_negative, problem.units.total_positive) == 0:
        # one class counts for nothing: every direction is as good
        scores = objective.score(settled(mean_difference(problem))[None, :])
        if averaged:
            one = average_of_one(objective, scores.separator(0), plan.inverse_temperature)
            return _averaged(one, one.separator, "finished")
        return _unsearched(objective, scores, "finished")
    if averaged:
        return _average(objective, plan, rng, given_start, deadline)
    if problem.n_features == 1:  # there is one direction only
        return _unsearched(objective, objective.score(np.ones((1, 1))), "finished")
    return _search(objective, plan, rng, given_start, deadline, on_generation)


def _search(
    objective: Objective,
    plan: Plan,
    rng: np.random.Generator,
    given_start: NDArray[np.float64] | None,
    deadline: float | None,
    on_generation: Callable[[int], bool] | None,
    known: _Directions | None = None,
) -> Outcome:
    problem = objective.problem
    rows = max(_LARGE_ROWS, _LARGE_ROWS_PER_FEATURE * problem.n_features)
    large = plan.optimizer == "memetic" and problem.n_samples > rows
    part = Objective(problem.subsample(rows, rng), plan.l1) if large else objective
    starts = _score_starts(part, plan, rng, given_start, deadline, {} if large else known)
    scores = objective.score(starts.directions) if large else starts
    first = scores.separator(scores.best())
    if deadline is not None and time.perf_counter() >= deadline:
        return _unsearched(objective, scores, "time")
    searcher, budget = _searcher(part, plan, starts, rng)
    if large:
        assert budget is not None
        rounds = max(budget, _LEAST_ROUNDS_ON_PART)
        growing = GrowingSearcher(searcher, rounds, part, first, _whitened(problem), rng)
        searcher, budget = growing, growing.default_rounds(problem.n_samples, plan.l1)
    if plan.max_generations is not None:
        budget = plan.max_generations
    stopping = Stopping(budget, plan.patience, deadline)
    outcome = run_search(searcher, objective, first, stopping, on_generation)
    if plan.by_moves and plan.max_generations is None:
        # their own budget is short on purpose: not a thing to warn of
        return replace(outcome, still_improving=False)
    return outcome


def _whitened(problem: Problem) -> bool:
    """Whether the covariance of all features is affordable."""
    return not problem.is_sparse and problem.n_features <= _MANY_FEATURES


def _searcher(
    objective: Objective, plan: Plan, starts: Scores, rng: np.random.Generator
) -> tuple[Searcher, int | None]:
    """The searcher of a plan, and the generations it gets when none are given."""
    problem = objective.problem
    n = problem.n_features
    best = starts.separator(starts.best())
    if plan.optimizer == "memetic":
        founders = [starts.separator(index) for index in range(len(starts.score))]
        memetic = MemeticSearcher(Lines(problem, _whitened(problem)), founders, rng)
        if not plan.l1:
            return memetic, default_rounds(problem)
        # what was found without the penalty is among the founders
        directions = np.vstack([starts.directions, memetic.advance(objective).directions])
        lines = Lines(problem, whiten=False)
        return PenalisedMemeticSearcher(lines, directions, plan.l1, rng), DEFAULT_ROUNDS
    if plan.optimizer == "coordinate":
        return CoordinateSearcher(Lines(problem, whiten=False), best, plan.l1, rng), None
    factory = optimizer_factory(plan.optimizer)
    start = np.asarray(starts.directions[starts.best()], dtype=np.float64)
    optimizer = factory(start, plan.population_size or default_population_size(n), rng)
    return PopulationSearcher(optimizer), default_max_generations(n)


def _average(
    objective: Objective,
    plan: Plan,
    rng: np.random.Generator,
    given_start: NDArray[np.float64] | None,
    deadline: float | None,
) -> Outcome:
    """The mean separator, on a subsample of large data; the cut is placed on all rows then."""
    problem = objective.problem
    large = problem.n_samples > _AVERAGED_ROWS
    part = Objective(problem.subsample(_AVERAGED_ROWS, rng)) if large else objective
    starts = _starts_of_chains(part, plan, rng, given_start, deadline)
    average = average_separators(
        part,
        starts,
        plan.inverse_temperature,
        plan.n_separators,
        rng,
        deadline,
        plan.of_several,
    )
    separator = average.separator
    if large:
        separator = objective.score(separator.direction[None, :]).separator(0)
    return _averaged(average, separator, "time" if average.stopped_early else "budget")


def _starts_of_chains(
    objective: Objective,
    plan: Plan,
    rng: np.random.Generator,
    given_start: NDArray[np.float64] | None,
    deadline: float | None,
) -> Scores:
    """Two convex methods and what a search finds, unless starts were named or given."""
    if plan.starts != ("auto",):
        return _score_starts(objective, plan, rng, given_start, deadline)
    affordable = objective.problem.n_features <= _MANY_FEATURES
    convex = replace(plan, starts=_AUTO_AVERAGE if affordable else _AUTO_MANY_FEATURES)
    known: _Directions = {}
    starts = _score_starts(objective, convex, rng, None, deadline, known)
    if objective.problem.n_features == 1 or (
        deadline is not None and time.perf_counter() >= deadline
    ):
        return starts
    searched = _search(objective, plan, rng, None, deadline, None, known).separator.direction
    return objective.score(np.vstack([starts.directions, searched]))


def _averaged(average: Average, separator: Separator, reason: str) -> Outcome:
    """The outcome of a pair whose final separator is the one given."""
    return Outcome(
        separator=separator,
        stop_reason=reason,
        n_generations=average.n_sweeps,
        n_evaluations=average.n_moves,
        history={
            "score": average.scores,
            "sigma": np.full(average.n_sweeps, np.nan),
            "evaluations": np.linspace(0, average.n_moves, average.n_sweeps + 1)[1:],
        },
        still_improving=False,
        draws=average.draws,
        vote_slope=average.vote_slope,
        inverse_temperature=average.inverse_temperature,
        agreement=average.agreement,
    )


def _score_starts(
    objective: Objective,
    plan: Plan,
    rng: np.random.Generator,
    given: NDArray[np.float64] | None,
    deadline: float | None,
    known: _Directions | None = None,
) -> Scores:
    """Of the starts given or named; directions that are `known` by name are not found again."""
    problem = objective.problem
    known = {} if known is None else known
    if given is not None:
        return objective.score(given)
    names = plan.starts
    if names == ("auto",):
        many = problem.is_sparse or problem.n_features > _MANY_FEATURES
        names = _AUTO_MANY_FEATURES if many else _AUTO
    directions: list[NDArray[np.float64]] = []
    # the cheapest first, so that a deadline leaves at least that one
    for name in names:
        if directions and deadline is not None and time.perf_counter() >= deadline:
            break
        if name == "random" or name not in known:
            known[name] = start_direction(name, problem, rng)
        directions.append(known[name])
    return objective.score(np.array(directions))


def _unsearched(objective: Objective, scores: Scores, reason: str) -> Outcome:
    empty = np.empty(0)
    return Outcome(
        separator=scores.separator(scores.best()),
        stop_reason=reason,
        n_generations=0,
        n_evaluations=objective.n_evaluations,
        history={"score": empty, "sigma": empty, "evaluations": empty},
        still_improving=False,
    )
