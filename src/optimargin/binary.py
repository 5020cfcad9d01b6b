"""One binary problem: starts -> search -> final separator."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimargin.objective import Objective, Scores
from optimargin.problem import Problem
from optimargin.search.loop import Outcome, run_search
from optimargin.search.population import (
    PopulationSearcher,
    default_max_generations,
    default_population_size,
)
from optimargin.search.registry import OptimizerChoice, optimizer_factory
from optimargin.search.stopping import Stopping
from optimargin.starts import start_direction

# Starts that "auto" takes while samples times features stay below the first number.
_AUTO = (
    (2_000_000, ("logistic", "lda", "svm", "mean_difference")),
    (np.inf, ("logistic", "mean_difference")),
)
_AUTO_SPARSE = ("logistic", "mean_difference")


@dataclass(frozen=True)
class Plan:
    """How to search; the same for every pair of classes."""

    optimizer: OptimizerChoice
    starts: tuple[str, ...]  # names; empty where directions are given
    l1: float = 0.0
    population_size: int | None = None
    max_generations: int | None = None
    patience: int | None = None


def resolve_auto(problem: Problem) -> tuple[str, ...]:
    """The starts that suit the size of a problem."""
    if problem.is_sparse:
        return _AUTO_SPARSE
    size = problem.n_samples * problem.n_features
    return next(names for limit, names in _AUTO if size <= limit)


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
    n = problem.n_features
    if n == 1:  # there is one direction only
        only = objective.score(np.ones((1, 1)))
        return _unsearched(objective, only, "finished")

    starts = _score_starts(objective, plan, rng, given_start, deadline)
    if deadline is not None and time.perf_counter() >= deadline:
        return _unsearched(objective, starts, "time")
    best = starts.best()
    factory = optimizer_factory(plan.optimizer)
    population_size = plan.population_size or default_population_size(n)
    searcher = PopulationSearcher(
        factory(np.asarray(starts.directions[best], dtype=np.float64), population_size, rng)
    )
    max_generations = plan.max_generations
    if max_generations is None:
        max_generations = default_max_generations(n)
    return run_search(
        searcher,
        objective,
        starts.separator(best),
        Stopping(max_generations, plan.patience, deadline),
        on_generation,
    )


def _score_starts(
    objective: Objective,
    plan: Plan,
    rng: np.random.Generator,
    given: NDArray[np.float64] | None,
    deadline: float | None,
) -> Scores:
    problem = objective.problem
    if given is not None:
        return objective.score(given)
    names = resolve_auto(problem) if plan.starts == ("auto",) else plan.starts
    directions: list[NDArray[np.float64]] = []
    # the cheapest first, so that a deadline leaves at least that one
    for name in reversed(names):
        if directions and deadline is not None and time.perf_counter() >= deadline:
            break
        directions.append(start_direction(name, problem, rng))
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
