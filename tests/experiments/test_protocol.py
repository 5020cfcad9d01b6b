"""The protocol: same rows for all, order does not matter, errors are results, little overhead."""

import time
from dataclasses import replace

import numpy as np
import pytest
from pretend_methods import Failing, Nothing, Seeded
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from optimargin.datasets import NoNoise, Replace
from optimargin.experiments.cells import Cell
from optimargin.experiments.methods import METHODS, Method, method_from_estimator
from optimargin.experiments.protocol import compute, separator, standardise
from optimargin.experiments.splits import Grouped, Stratified


class Recorder(Nothing):
    """Keeps what it was given."""

    seen: list = []  # noqa: RUF012 (shared by all on purpose)

    def fit(self, X, y):
        Recorder.seen.append((X.copy(), y.copy()))
        return super().fit(X, y)


@pytest.fixture
def cell(small_problem):
    method = method_from_estimator("nothing", Nothing())
    return Cell("small", small_problem.fingerprint, NoNoise(), method, Stratified(), 0)


def test_all_methods_of_a_split_see_the_same_rows_and_noise(small_problem, cell):
    Recorder.seen.clear()
    for tag in ("one", "two"):
        method = method_from_estimator(tag, Recorder(tag=tag))
        compute(small_problem, replace(cell, method=method, noise=Replace(0.3)))
    first, second = Recorder.seen
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_noise_leaves_the_split_alone_and_reaches_only_its_class(small_problem, cell):
    Recorder.seen.clear()
    method = method_from_estimator("recorder", Recorder())
    for noise in (NoNoise(), Replace(1.0)):
        compute(small_problem, replace(cell, method=method, noise=noise))
    (_, clean), (_, noisy) = Recorder.seen
    np.testing.assert_array_equal(clean, noisy)


def test_cells_do_not_depend_on_order(small_problem, cell):
    method = method_from_estimator("seeded", Seeded())
    cells = [replace(cell, method=method, split=split) for split in range(6)]
    forward = [compute(small_problem, one).test.accuracy for one in cells]
    backward = [compute(small_problem, one).test.accuracy for one in reversed(cells)]
    assert forward == backward[::-1]
    assert len(set(forward)) > 1


def test_anything_changed_is_another_cell(cell):
    others = [
        replace(cell, data="other"),
        replace(cell, fingerprint="other"),
        replace(cell, noise=Replace(0.15)),
        replace(cell, noise=Replace(0.2)),
        replace(cell, method=method_from_estimator("nothing", Nothing(tag="x"))),
        replace(cell, method=replace(cell.method, revision=2)),
        replace(cell, rule=Stratified(0.6)),
        replace(cell, rule=Grouped(0.7)),
        replace(cell, split=1),
    ]
    assert len({one.key for one in [cell, *others]}) == len(others) + 1
    assert replace(cell).key == cell.key


def test_key_is_stable():
    """A change here makes every stored result useless: raise revisions instead."""
    cell = Cell("BC", "0123", Replace(0.15), METHODS["svm-balanced"], Stratified(), 7)
    assert cell.key == "1d0c673a8028ac52808bd3a3"


def test_failures_and_missing_classes_are_results(small_problem, cell):
    failed = compute(
        small_problem, replace(cell, method=method_from_estimator("failing", Failing()))
    )
    assert failed.status == "failed"
    assert failed.message == "ValueError: this data cannot be fitted"
    assert failed.n_train == 70
    gone = compute(small_problem, replace(cell, method=Method("gone", "", "optimargin:Gone")))
    assert gone.status == "unavailable"


def test_measures_are_those_of_the_fitted_method(small_problem, cell):
    method = method_from_estimator("lr", LogisticRegression())
    outcome = compute(small_problem, replace(cell, method=method))
    train, test = Stratified().rows(small_problem.y, None, np.random.default_rng(cell.split_seed))
    scaler = StandardScaler().fit(small_problem.X[train])
    model = LogisticRegression().fit(
        scaler.transform(small_problem.X[train]), small_problem.y[train]
    )
    right = model.score(scaler.transform(small_problem.X[test]), small_problem.y[test])
    assert outcome.status == "ok"
    assert outcome.test.accuracy == pytest.approx(right)
    assert outcome.positive_class == "yes"
    assert outcome.fit_seconds > 0
    assert (outcome.n_train, outcome.n_test) == (70, 30)


def test_standardise_is_scikit_learns_and_guards_constants():
    rng = np.random.default_rng(0)
    train, test = rng.normal(5, 3, (40, 3)), rng.normal(5, 3, (10, 3))
    train[:, 1] = test[:, 1] = 0.1
    scaler = StandardScaler().fit(train)
    for found, raw in zip(standardise(train, test), (train, test), strict=True):
        np.testing.assert_allclose(found, scaler.transform(raw), atol=1e-12)
        np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)


def test_separator_of_any_linear_method(small_problem):
    model = SVC(kernel="linear").fit(small_problem.X, small_problem.y)
    weights, intercept = separator(model)
    np.testing.assert_allclose(weights, model.coef_[0], rtol=1e-9)
    assert intercept == pytest.approx(float(model.intercept_[0]))


def test_a_method_that_does_nothing_costs_little(small_problem, cell):
    times = []
    for split in range(30):
        begin = time.process_time()
        compute(small_problem, replace(cell, split=split))
        times.append(time.process_time() - begin)
    assert np.median(times) < 0.005
