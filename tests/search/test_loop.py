"""The loop keeps the best, records, and stops for the reason that is given."""

import itertools
import math

import numpy as np
import pytest

from optimargin.objective import Scores, Separator
from optimargin.search.loop import run_search
from optimargin.search.stopping import SMALLEST_SIGMA, Progress, Stopping


class Script:
    """A searcher that finds what the test says, one list of candidates a generation."""

    def __init__(self, generations, sigmas=None, finishes=False):
        self.generations = list(generations)
        self.sigmas = sigmas or itertools.repeat(1.0)
        self.finishes = finishes
        self.sigma = 1.0
        self.done = 0

    def advance(self, objective):
        found = self.generations[min(self.done, len(self.generations) - 1)]
        self.done += 1
        self.sigma = next(iter(self.sigmas)) if isinstance(self.sigmas, list) else 1.0
        if isinstance(self.sigmas, list) and len(self.sigmas) > 1:
            self.sigmas.pop(0)
        objective.n_evaluations += len(found)
        score, margin = (np.array(column, float) for column in zip(*found, strict=True))
        directions = np.tile([float(self.done), 0.0], (len(found), 1))
        return Scores(directions, score, margin, score * 0, np.ones(len(found), int), score)

    @property
    def finished(self):
        return self.finishes and self.done >= len(self.generations)


class Counter:
    n_evaluations = 0


FIRST = Separator(np.array([0.0, 1.0]), 0.0, score=0.6, margin=0.1, objective=0.6)


def search(script, *, max_generations=None, on_generation=None, **rules):
    return run_search(script, Counter(), FIRST, Stopping(max_generations, **rules), on_generation)


def test_best_candidate_is_kept_with_its_history():
    outcome = search(
        Script([[(0.5, 0.0), (0.7, 0.1)], [(0.9, 0.0)], [(0.8, 0.5), (0.9, 0.2), (0.1, 9.0)]]),
        max_generations=3,
    )
    assert outcome.separator.key == (0.9, 0.2)
    assert outcome.separator.direction[0] == 3.0
    assert outcome.history["score"].tolist() == [0.7, 0.9, 0.9]
    assert outcome.history["evaluations"].tolist() == [2, 3, 6]
    assert outcome.history["sigma"].tolist() == [1.0, 1.0, 1.0]
    assert (outcome.n_generations, outcome.n_evaluations) == (3, 6)
    assert outcome.stop_reason == "budget"


def test_never_ends_below_the_start():
    outcome = search(Script([[(0.5, 0.3)]]), max_generations=5)
    assert outcome.separator is FIRST
    assert outcome.history["score"].tolist() == [0.6] * 5


def test_no_generations_leave_the_start():
    outcome = search(Script([[(0.9, 0.3)]]), max_generations=0)
    assert outcome.separator is FIRST
    assert outcome.history["score"].size == 0
    assert not outcome.still_improving


def test_patience_counts_generations_without_improvement():
    rising = [[(0.6 + 0.01 * i, 0.0)] for i in range(10)]
    outcome = search(Script([*rising, [(0.0, 0.0)]]), patience=4)
    assert outcome.stop_reason == "patience"
    assert outcome.n_generations == 10 + 4


def test_wider_margin_alone_is_kept_but_is_no_improvement():
    widening = [[(0.6, 0.1 + 0.01 * i)] for i in range(20)]
    outcome = search(Script(widening), patience=5)
    assert outcome.n_generations == 5
    assert outcome.separator.margin == pytest.approx(0.14)


def test_time_is_looked_at_after_each_generation():
    outcome = search(Script([[(0.7, 0.0)]]), deadline=0.0)
    assert outcome.stop_reason == "time"
    assert outcome.n_generations == 0


def test_vanished_step_size_stops():
    outcome = search(Script([[(0.7, 0.0)]], sigmas=[1.0, 1e-3, SMALLEST_SIGMA / 2]))
    assert outcome.stop_reason == "sigma"
    assert outcome.n_generations == 3


def test_searcher_without_more_to_try():
    outcome = search(Script([[(0.7, 0.0)]] * 7, finishes=True))
    assert (outcome.stop_reason, outcome.n_generations) == ("finished", 7)


def test_callback_sees_every_generation_and_may_stop():
    seen = []

    def stop_at_three(generation):
        seen.append(generation)
        return generation == 3

    outcome = search(Script([[(0.7, 0.0)]]), max_generations=10, on_generation=stop_at_three)
    assert seen == [1, 2, 3]
    assert (outcome.stop_reason, outcome.n_generations) == ("callback", 3)
    assert outcome.history["score"].size == 3


@pytest.mark.parametrize(("last_rise", "improving"), [(10, False), (90, False), (95, True)])
def test_still_improving_means_late(last_rise, improving):
    generations = [[(0.7, 0.0)]] * (last_rise - 1) + [[(0.8, 0.0)]]
    outcome = search(Script(generations), max_generations=100)
    assert outcome.still_improving is improving


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (Progress(5, 5, math.nan, False), None),
        (Progress(5, 5, math.nan, True), "finished"),
        (Progress(10, 10, 1.0, False), "budget"),
        (Progress(9, 6, 1.0, False), "patience"),
        (Progress(5, 5, 1e-12, False), "sigma"),
        (Progress(5, 5, math.inf, False), None),
    ],
)
def test_rules(progress, reason):
    assert Stopping(max_generations=10, patience=3).reason(progress) == reason


def test_without_rules_there_is_no_end():
    assert Stopping(None).reason(Progress(10**9, 0, 1.0, False)) is None
