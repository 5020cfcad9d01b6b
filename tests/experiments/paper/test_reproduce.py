"""Parts of the paper's experiments from plan to page, on data that need no files."""

from dataclasses import replace

import pytest

from optimargin.datasets import DESCRIPTIONS
from optimargin.experiments.cells import Outcome
from optimargin.experiments.exchange import export_cells, import_cells
from optimargin.experiments.measures import Measures
from optimargin.experiments.methods import METHODS
from optimargin.experiments.paper import chapters, plans, remarks, reproduce
from optimargin.experiments.sources import Benchmark, Problem
from optimargin.experiments.splits import seed_of
from optimargin.experiments.store import Store


@pytest.fixture
def no_files(monkeypatch):
    """Plans without data: every set is two rows."""
    import numpy as np

    def load(self):
        names = [str(label) for label in DESCRIPTIONS[self.key].labels]
        y = np.arange(len(names))
        return Problem(np.full((y.size, 1), float(seed_of(self.name))), y, tuple(names))

    monkeypatch.setattr(Benchmark, "load", load)


def pretend(cell):
    """An outcome that depends on the cell's name: the tables' numbers mean nothing."""
    score = 0.5 + 0.5 * (seed_of(cell.data, cell.method.name, cell.split) % 1000) / 1000
    measures = Measures(score, score, score, score, score)
    extra = {}
    if "weights" in cell.method.keep:
        extra = {"weights": [0.6, -0.8], "intercept": 0.1}
    elif "history" in cell.method.keep:
        extra = {"score_by_generation": [0.5, 0.6 + cell.split / 100, score]}
    good = Outcome("ok", "", 70, 30, "1", measures, measures, 0.01, 0.001, extra=extra)
    if cell.method.name == "svm" and cell.data == "SR":
        return Outcome("timeout", "ended after its time limit of 1 s", time_limit=1.0)
    return replace(good, environment="versions")


@pytest.mark.usefixtures("no_files")
def test_everything_becomes_one_document(tmp_path):
    plan = reproduce.plan_of(["all"], plans.Effort(splits=4, digits="both"))
    assert list(plan.blocks) == list(chapters.CHAPTERS)
    with Store(":memory:") as store:
        for cell in plan.plan.cells:
            store.put(cell, pretend(cell))
        document = reproduce.write_document(plan, store, "the command")
    page = document.write_html(tmp_path / "report.html").read_text()
    text = document.write_markdown(tmp_path / "results.md").read_text()
    for title in ("Table 1", "Figs. 1 to 4", "Table 2", "Fig. 6", "Fig. 7", "Fig. 8", "Table 4"):
        assert title in page
        assert title in text
    names = {path.name for path in (tmp_path / "results").iterdir()}
    for number in range(1, 9):
        assert any(name.startswith(f"fig{number}-") for name in names)
    assert {"ranks-clean-test.svg", "accuracy-time-noisy.svg"} <= names
    assert "4 timeout" in text or "3 timeout" in text
    assert "SR svm: 3 timeout (ended after its time limit of 1 s)." in text
    assert "(noise in the other class: " in text
    failures = text[text.index("**Failures and time-outs**") :]
    assert "| SR | none | stratified(train=0.7) | svm | 3 | timeout: ended after" in failures
    assert "Every planned fit was run." in failures
    assert "OEC against wsv, test: 6(4)" in text
    assert "nan" not in text


@pytest.mark.usefixtures("no_files")
def test_an_empty_store_gives_a_document_too():
    plan = reproduce.plan_of(["all"], plans.Effort(splits=2))
    with Store(":memory:") as store:
        text = reproduce.write_document(plan, store, "c").to_markdown("figures")
    assert "not run" in text
    assert f"{len(plan.plan.cells)} planned fits were not run." in text
    assert "nan" not in text


@pytest.mark.usefixtures("no_files")
def test_parts_share_their_cells():
    effort = plans.Effort(splits=4)
    both = reproduce.plan_of(["near-optimal", "binary"], effort).plan.cells
    keys = [cell.key for cell in both]
    assert len(set(keys)) == len(keys)
    alone = reproduce.plan_of(["near-optimal"], effort).plan.cells
    shared = {cell.key for cell in alone} & {
        cell.key for cell in reproduce.plan_of(["binary"], effort).plan.cells
    }
    # Six sets, four splits: OEC, omc and its best separator, two re-fitted cuts.
    assert len(shared) == 6 * 4 * 5


@pytest.mark.usefixtures("no_files")
def test_large_sets_have_fewer_splits():
    cells = reproduce.plan_of(["binary", "multiclass"], plans.Effort(splits=9)).plan.cells
    splits = {name: {c.split for c in cells if c.data == name} for name in ("BC", "MD", "HD-6000")}
    assert [len(found) for found in splits.values()] == [9, 3, 1]
    tuned = {
        name: {c.split for c in cells if (c.data, c.method.name) == (name, "lr-tuned-threshold")}
        for name in ("YD", "BC")
    }
    assert [len(found) for found in tuned.values()] == [3, 9]


def test_a_part_is_run_and_found_again(tmp_path):
    plan = reproduce.plan_of(["overview", "outliers"], plans.Effort(splits=1))
    with Store(tmp_path / "s.sqlite") as store:
        first = reproduce.compute(plan, store, jobs=2, time_limit=60)
        assert first.statuses == {"ok": 13}
        assert reproduce.compute(plan, store).computed == 0
        page = reproduce.write_document(plan, store, "c").to_html()
        text = reproduce.write_document(plan, store, "c").to_markdown("figures")
        export_cells(store, tmp_path / "cells.csv.gz")
    with Store(":memory:") as other:
        import_cells(other, tmp_path / "cells.csv.gz")
        assert reproduce.compute(plan, other).computed == 0
        assert reproduce.write_document(plan, other, "c").to_html().count("<svg") == 5
    assert page.count("<svg") == 5
    assert "| oec-cmaes | 100.0 | 92.9 | 92.6 |" in text


def test_unknown_parts_are_named():
    with pytest.raises(ValueError, match=r"no part 'tables'.*near-optimal"):
        reproduce.plan_of(["tables"], plans.Effort())


def test_every_planned_method_is_known():
    for names in (plans.BINARY_METHODS, plans.MULTICLASS_METHODS, plans.NEAR_OPTIMAL_METHODS,
                  plans.IMBALANCE_METHODS, plans.OUTLIER_METHODS, plans.OPTIMIZERS,
                  plans.WHOLE_DIGITS_METHODS):  # fmt: skip
        assert set(names) <= set(METHODS)
        assert len(set(names)) == len(names)
    assert len({plans.l1_method(alpha).identity for alpha in plans.ALPHAS}) == 3


def test_reasons():
    assert "another task" in remarks.reason("VT", "svm")
    assert "another task" in remarks.reason("VT", "sla", "0.15")
    assert "principal axes" in remarks.reason("HN", "oec-cmaes", "0.15")
    assert remarks.reason("HN", "oec-cmaes") == "not known"
    assert "lda-plain" in remarks.reason("SR", "mba", "0.15")
    assert "range of the data" in remarks.reason("CG", "smp", "0.15")
    assert remarks.reason("CG", "smp") == "not known"
    assert remarks.reason("BC", "svm") == "not known"
