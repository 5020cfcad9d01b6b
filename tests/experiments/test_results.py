"""Outcomes arranged for tables: summaries, pairs, and quickly."""

import time
from dataclasses import replace

import numpy as np
import pytest

from optimargin.datasets import NoNoise
from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.measures import Measures
from optimargin.experiments.methods import METHODS
from optimargin.experiments.paper import tables
from optimargin.experiments.paper.tables import View
from optimargin.experiments.results import Results, complete_block
from optimargin.experiments.splits import Stratified
from optimargin.experiments.statistics import paired_tests
from optimargin.experiments.store import Store


def outcome(score, seconds=0.1):
    measures = Measures(score, score, score, score, score)
    return Outcome("ok", "", 70, 30, "1", measures, measures, seconds, 0.001)


def cell(data, method, split):
    return Cell(data, "f", NoNoise(), METHODS[method], Stratified(), split)


@pytest.fixture
def results():
    cells = [cell("BC", name, split) for name in ("omc", "lr") for split in range(4)]
    outcomes = {one.key: outcome(0.8 + 0.01 * one.split) for one in cells[:4]}
    outcomes |= {one.key: outcome(0.7 + 0.02 * one.split) for one in cells[4:6]}
    outcomes[cells[6].key] = Outcome("timeout", "late")
    return Results(cells, outcomes)


def group(method):
    return ("BC", "none", "stratified(train=0.7)", method)


def test_summary_counts_what_is_missing(results):
    full = results.summary(group("omc"), "test balanced")
    assert full.mean == pytest.approx(0.815)
    assert full.error == pytest.approx(np.std([0.8, 0.81, 0.82, 0.83], ddof=1) / 2)
    assert full.problem == ""
    partial = results.summary(group("lr"), "train accuracy")
    assert partial.n_splits == 2
    assert partial.mean == pytest.approx(0.71)
    assert partial.problem == "1 not run, 1 timeout"
    assert np.isnan(results.summary(group("svm"), "test balanced").mean)
    assert results.median_seconds(group("lr")) == 0.1


def test_fit_times_set_the_default_beside_the_svm():
    cells = [cell("BC", name, split) for name in ("omc", "svm") for split in range(3)]
    outcomes = {one.key: outcome(0.8, 0.01 if one.method.name == "omc" else 0.05) for one in cells}
    view = View(Results(cells, outcomes), "none", "stratified(train=0.7)")
    rows = {row[0].text: row[1].text for row in tables.fit_times(view, ("svm", "omc"), "t").rows}
    assert rows == {"svm": "50 ms", "omc": "10 ms", "svm / omc": "5"}
    assert len(tables.fit_times(view, ("svm",), "t").rows) == 1


def test_pairs_are_of_the_same_splits(results):
    found = results.paired(group("omc"), group("lr"), "test balanced")
    assert found == paired_tests([0.8, 0.81], [0.7, 0.72], 30 / 70)
    assert results.paired(group("omc"), group("svm"), "test balanced").n_splits == 0


def test_complete_block_leaves_out_few():
    table = np.ones((4, 4))
    table[3, :3] = np.nan  # A set that hardly any method has,
    table[0, 1] = np.nan  # a method that lacks one set,
    holed = np.column_stack([table, np.full(4, np.nan)])  # and one that has none.
    rows, columns = complete_block(holed)
    assert rows.tolist() == [True, True, True, False]
    assert columns.tolist() == [True, False, True, True, False]
    rows, columns = complete_block(np.full((2, 2), np.nan))
    assert not rows.any()
    assert not columns.any()


def test_ten_thousand_cells_are_tabulated_quickly():
    methods = ("del", "wsv", "smp", "svm", "mba", "oec-cmaes", "omc", "lr", "lda", "lr-balanced")
    names = ("BC", "CG", "GC", "PR", "IS", "PD", "GR", "VT", "MD", "HV")
    rng = np.random.default_rng(0)
    cells = [
        cell(data, method, split) for data in names for method in methods for split in range(100)
    ]
    with Store(":memory:") as store:
        store._connection.execute("BEGIN")
        for one in cells:
            store._insert(values_of(one, outcome(float(rng.random()))))
        store._connection.execute("COMMIT")
        assert len(store) == 10_000
        begin = time.process_time()
        view = View(Results.read(cells, store), "none", "stratified(train=0.7)", "binary", "0")
        text = str(tables.levels(view, methods, "levels"))
        text += str(tables.wins_and_losses(view, "omc", methods, "wins"))
        taken = time.process_time() - begin
    assert text.count("BC del") == 1
    assert taken < 1.0


def values_of(one, result):
    from optimargin.experiments import store as module

    return (*module._identity_values(one), *module._outcome_values(replace(result)))
