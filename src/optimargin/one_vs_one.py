"""Many classes as pairs of classes: their fits, and the vote that joins them again."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from optimargin.binary import Plan, fit_binary
from optimargin.problem import Problem
from optimargin.progress import ProgressBar
from optimargin.search.loop import Outcome
from optimargin.training import TrainingSet, class_pairs

OnGeneration = Callable[[int], bool]


def vote(pair_scores: NDArray[np.floating], n_classes: int) -> NDArray[np.floating]:
    """One column per class from one column per pair; a positive score of pair (i, j) votes for j.

    Ties are broken by confidence: the summed scores of a class, squeezed into (-1/3, 1/3) so that
    they can never outweigh a vote.
    """
    votes = np.zeros((pair_scores.shape[0], n_classes), dtype=pair_scores.dtype)
    confidences = np.zeros_like(votes)
    for column, (i, j) in enumerate(class_pairs(n_classes)):
        scores = pair_scores[:, column]
        confidences[:, i] -= scores
        confidences[:, j] += scores
        votes[:, i] += scores <= 0
        votes[:, j] += scores > 0
    scores_by_class: NDArray[np.floating] = votes + confidences / (3 * (np.abs(confidences) + 1))
    return scores_by_class


def fit_pairs(
    training: TrainingSet,
    plan: Plan,
    starts: list[NDArray[np.float64] | None],
    seed: np.random.SeedSequence,
    restarts: int,
    n_jobs: int | None,
    max_time: float | None,
    verbose: int,
    pair_callbacks: list[Callable[[], AbstractContextManager[OnGeneration]]] | None = None,
) -> list[Outcome]:
    """Fit every pair `restarts` times and keep the best of each.

    `starts` holds the directions given for each pair, or None. Every fit has its own seed, made
    from its place alone, so that the result does not depend on the order of work.
    """
    deadline = None if max_time is None else time.perf_counter() + max_time
    pairs = class_pairs(training.n_classes)
    seeds = [pair_seed.spawn(restarts) for pair_seed in seed.spawn(len(pairs))]
    n_tasks = len(pairs) * restarts
    workers = min(effective_n_jobs(n_jobs), n_tasks)
    bar = ProgressBar(n_tasks, "optimargin fit") if verbose else None
    if workers == 1 or pair_callbacks is not None:
        outcomes = []
        for index, pair in enumerate(pairs):
            problem = training.problem(pair)
            watched = nullcontext(None) if pair_callbacks is None else pair_callbacks[index]()
            with watched as on_generation:
                for restart in range(restarts):
                    done = index * restarts + restart
                    outcomes.append(
                        _fit_task(
                            problem,
                            plan,
                            seeds[index][restart],
                            starts[index],
                            _share(deadline, n_tasks - done),
                            _reporter(bar, done, plan, on_generation),
                        )
                    )
    else:
        rounds = -(-n_tasks // workers)
        share = None if max_time is None else max_time / rounds

        def tasks() -> Iterator[
            tuple[Callable[..., Outcome], tuple[object, ...], dict[str, object]]
        ]:
            for index, pair in enumerate(pairs):
                problem = training.problem(pair)
                for restart in range(restarts):
                    yield delayed(_fit_task_within)(
                        problem, plan, seeds[index][restart], starts[index], share, deadline
                    )

        finished = Parallel(n_jobs=n_jobs, return_as="generator")(tasks())
        outcomes = []
        for outcome in finished:
            outcomes.append(outcome)
            if bar is not None:
                bar.reach(len(outcomes))
    if bar is not None:
        bar.close()
    best = [_best_of(outcomes[first : first + restarts]) for first in range(0, n_tasks, restarts)]
    _warn_if_improving(best)
    return best


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()


def _fit_task(
    problem: Problem,
    plan: Plan,
    seed: np.random.SeedSequence,
    start: NDArray[np.float64] | None,
    deadline: float | None,
    on_generation: OnGeneration | None = None,
) -> Outcome:
    # The matrices of a search are small: threads of the BLAS would only be in each other's way,
    # and their number would show in the last bits of the result.
    with _threadpools().limit(limits=1, user_api="blas"):
        return fit_binary(problem, plan, seed, start, deadline, on_generation)


def _fit_task_within(
    problem: Problem,
    plan: Plan,
    seed: np.random.SeedSequence,
    start: NDArray[np.float64] | None,
    share: float | None,
    deadline: float | None,
) -> Outcome:
    """A task in a worker: its share of the time runs from when it begins."""
    if share is not None and deadline is not None:
        deadline = min(deadline, time.perf_counter() + share)
    return _fit_task(problem, plan, seed, start, deadline)


def _share(deadline: float | None, tasks_left: int) -> float | None:
    """What remains is shared among the tasks that remain."""
    if deadline is None:
        return None
    now = time.perf_counter()
    return now + (deadline - now) / tasks_left


def _reporter(
    bar: ProgressBar | None, done: int, plan: Plan, on_generation: OnGeneration | None
) -> OnGeneration | None:
    """Move the bar and tell the callback, whichever of them there is."""
    if bar is None:
        return on_generation

    def report(generation: int) -> bool:
        # without a given budget the share of a task that is done is not known
        share = generation / plan.max_generations if plan.max_generations else 0.0
        bar.reach(done + min(share, 1.0))
        return on_generation is not None and on_generation(generation)

    return report


def _best_of(outcomes: list[Outcome]) -> Outcome:
    """The best of the restarts of a pair; of equals the first. Evaluations are of all of them."""
    best = max(outcomes, key=lambda outcome: outcome.separator.key)
    return replace(best, n_evaluations=sum(outcome.n_evaluations for outcome in outcomes))


def _warn_if_improving(outcomes: list[Outcome]) -> None:
    improving = [
        outcome
        for outcome in outcomes
        if outcome.stop_reason == "budget" and outcome.still_improving
    ]
    if improving:
        where = f" for {len(improving)} of {len(outcomes)} class pairs" if len(outcomes) > 1 else ""
        warnings.warn(
            f"The training score was still rising when the budget of generations ended{where}. "
            "Increase max_generations, or set restarts, for a better separator.",
            ConvergenceWarning,
            stacklevel=4,
        )
