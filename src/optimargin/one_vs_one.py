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
    began: float,
    verbose: int,
    pair_callbacks: list[Callable[[], AbstractContextManager[OnGeneration]]] | None = None,
) -> list[Outcome]:
    """Fit every pair `restarts` times and keep the best of each.

    `starts` holds the directions given for each pair, or None. Every fit has its own seed, made
    from its place alone, so that the result does not depend on the order of work. `max_time` runs
    from `began` on and is shared among the pairs; the restarts of a pair follow each other until
    its share is used up.
    """
    pairs = class_pairs(training.n_classes)
    n_tasks = len(pairs) * restarts
    workers = min(effective_n_jobs(n_jobs), n_tasks)
    bar = ProgressBar(n_tasks, "optimargin fit") if verbose else None
    outcomes: list[list[Outcome | None]] = [[] for _ in pairs]
    if workers == 1 or pair_callbacks is not None:
        deadline = None if max_time is None else began + max_time
        for index, pair in enumerate(pairs):
            problem = training.problem(pair)
            end = _share(deadline, len(pairs) - index)
            watched = nullcontext(None) if pair_callbacks is None else pair_callbacks[index]()
            with watched as on_generation:
                for restart in range(restarts):
                    report = _reporter(bar, index * restarts + restart, plan, on_generation)
                    child = _child(seed, index, restart)
                    outcome = _fit_task(
                        problem, plan, child, starts[index], end, restart > 0, report
                    )
                    outcomes[index].append(outcome)
                    if outcome is None or outcome.stop_reason == "callback":
                        break
    else:
        sent: list[int] = []

        def tasks() -> Iterator[
            tuple[Callable[..., Outcome | None], tuple[object, ...], dict[str, object]]
        ]:
            for index, pair in enumerate(pairs):
                problem = training.problem(pair)
                end = None
                if max_time is not None:  # when the last of all tasks up to here should have ended
                    rounds = -(-(index + 1) * restarts // workers)
                    end = began + max_time * rounds / -(-n_tasks // workers)
                for restart in range(restarts):
                    if restart > 0 and _is_past(end):
                        break
                    sent.append(index)
                    child = _child(seed, index, restart)
                    yield delayed(_fit_task)(problem, plan, child, starts[index], end, restart > 0)

        # around all of it, too: where workers are threads of this process, each would set back
        # what it found in the midst of the others
        with _one_blas_thread():
            finished = Parallel(n_jobs=n_jobs, return_as="generator")(tasks())
            for done, outcome in enumerate(finished):
                outcomes[sent[done]].append(outcome)
                if bar is not None:
                    bar.reach(done + 1)
    if bar is not None:
        bar.reach(n_tasks)
        bar.close()
    best = [_best_of(of_pair) for of_pair in outcomes]
    _warn_if_improving(best)
    return best


def _child(seed: np.random.SeedSequence, *place: int) -> np.random.SeedSequence:
    """What spawning as often as needed would give at this place."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *place))


def _is_past(deadline: float | None) -> bool:
    return deadline is not None and time.perf_counter() >= deadline


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()


def _one_blas_thread() -> AbstractContextManager[object]:
    # The matrices of a search are small: threads of the BLAS would only be in each other's way,
    # and their number would show in the last bits of the result.
    limit: AbstractContextManager[object] = _threadpools().limit(limits=1, user_api="blas")
    return limit


def _fit_task(
    problem: Problem,
    plan: Plan,
    seed: np.random.SeedSequence,
    start: NDArray[np.float64] | None,
    deadline: float | None,
    dispensable: bool,
    on_generation: OnGeneration | None = None,
) -> Outcome | None:
    """One search; None if it is dispensable, another restart having been made, and time is up."""
    if dispensable and _is_past(deadline):
        return None
    with _one_blas_thread():
        return fit_binary(problem, plan, seed, start, deadline, on_generation)


def _share(deadline: float | None, pairs_left: int) -> float | None:
    """What remains is shared among the pairs that remain."""
    if deadline is None:
        return None
    now = time.perf_counter()
    return now + (deadline - now) / pairs_left


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


def _best_of(outcomes: list[Outcome | None]) -> Outcome:
    """The best of the restarts of a pair; of equals the first. Evaluations are of all of them."""
    made = [outcome for outcome in outcomes if outcome is not None]
    best = max(made, key=lambda outcome: outcome.separator.key)
    return replace(best, n_evaluations=sum(outcome.n_evaluations for outcome in made))


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
