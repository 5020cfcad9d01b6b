"""Run parts of the paper's experiments, and make one document of them."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.document import Document
from optimargin.experiments.paper.chapters import CHAPTERS
from optimargin.experiments.paper.plans import TUNED_METHODS, Effort, Plan
from optimargin.experiments.progress import Progress
from optimargin.experiments.results import Results
from optimargin.experiments.runner import RunReport, run
from optimargin.experiments.store import Store
from optimargin.experiments.tables import Entry, Table

#: The names that ``reproduce`` knows.
NAMES = (*CHAPTERS, "all")


@dataclass(frozen=True)
class Reproduction:
    """Planned cells by chapter, all of them, and how the run went."""

    blocks: dict[str, list[Cell]]
    plan: Plan
    effort: Effort


def plan_of(names: Sequence[str], effort: Effort) -> Reproduction:
    """What the named parts will run."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"There is no part {unknown[0]!r}. The parts are: {', '.join(NAMES)}.")
    wanted = list(CHAPTERS) if "all" in names else [name for name in CHAPTERS if name in names]
    plan = Plan()
    blocks = {}
    for name in wanted:
        make = CHAPTERS[name][0]
        blocks[name] = make(plan, effort) if make is not None else []
    return Reproduction(blocks, plan, effort)


def compute(
    reproduction: Reproduction,
    store: Store,
    *,
    jobs: int = 1,
    time_limit: float | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> RunReport:
    """Run what the store does not have yet, set by set."""
    return run(
        reproduction.plan.cells,
        reproduction.plan.sources,
        store,
        jobs=jobs,
        time_limit=time_limit,
        retry_failed=retry_failed,
        progress=progress,
    )


def write_document(
    reproduction: Reproduction, store: Store, command: str, title: str = "The paper, again"
) -> Document:
    """The chapters of what the store has; nothing is computed."""
    document = Document(title)
    cells = reproduction.plan.cells
    outcomes = store.outcomes(cell.key for cell in cells)
    counted = Counter(
        outcomes[cell.key].status if cell.key in outcomes else "not run" for cell in cells
    )
    document.text(
        "Results of this library's experiment engine beside the values printed in the paper "
        '"Optimal-margin evolutionary classifier" (Bonyadi and Reutens). Scores are balanced '
        "accuracies in % (what the paper calls AUC), means over random 70/30 splits; differences "
        "are ours minus the paper's, in points. A claim that does not hold here is listed as such."
    )
    for name, block in reproduction.blocks.items():
        CHAPTERS[name][1](document, Results(block, outcomes))
    document.section("How it was made")
    environments = Counter(o.environment for o in outcomes.values() if o.environment)
    effort = reproduction.effort
    document.facts(
        {
            "Command": command,
            "Splits": f"{effort.splits} (MD and SR at most {effort.large_splits}, HD 1; with more "
            f"than two classes {' and '.join(TUNED_METHODS)} at most {effort.tuned_splits}; the "
            "paper: 100)",
            "Cells": ", ".join(f"{count} {status}" for status, count in counted.most_common()),
            "Time limit a cell": _limits(outcomes.values()),
            "Versions and machine": "; ".join(
                f"{text} ({count} cells)" for text, count in environments.most_common()
            ),
            "Parallel": "one thread a fit; processes share the machine",
        }
    )
    document.add(_problems(cells, outcomes))
    return document


def _problems(cells: Sequence[Cell], outcomes: Mapping[str, Outcome]) -> Table:
    """Failures and time-outs, and why; what was not run is counted only."""
    counted: Counter[tuple[str, ...]] = Counter()
    for cell in cells:
        outcome = outcomes.get(cell.key)
        if outcome is not None and outcome.status != "ok":
            name = (cell.data, cell.noise.name, cell.rule.name, cell.method.name)
            counted[(*name, outcome.status, outcome.message)] += 1
    rows = tuple(
        (Entry(data), Entry(noise), Entry(rule), Entry(method), Entry(str(count), count),
         Entry(f"{status}: {message}" if message else status))
        for (data, noise, rule, method, status, message), count in counted.items()
    )  # fmt: skip
    columns = ("set", "noise", "split", "method", "splits", "what happened")
    not_run = sum(cell.key not in outcomes for cell in cells)
    note = f"{not_run} planned fits were not run." if not_run else "Every planned fit was run."
    return Table("Failures and time-outs", columns, rows, (note,))


def _limits(outcomes: Iterable[Outcome]) -> str:
    limits = sorted({o.time_limit for o in outcomes if o.time_limit is not None})
    return ", ".join(f"{limit:g} s" for limit in limits) or "none"


def default_jobs() -> int:
    """One process for each core that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
