"""Problems: fingerprints, parts of large sets, and a user's data checked with a sentence."""

import numpy as np
import pytest

from optimargin.experiments.sources import Benchmark, Problem, Synthetic, problem_from_arrays


def test_fingerprint_changes_with_any_value(small_problem):
    X = small_problem.X.copy()
    same = Problem(X.copy(), small_problem.y, small_problem.classes)
    assert same.fingerprint == small_problem.fingerprint
    X[3, 1] += 1e-9
    assert Problem(X, small_problem.y, small_problem.classes).fingerprint != same.fingerprint
    grouped = Problem(same.X, same.y, same.classes, np.arange(100))
    assert grouped.fingerprint != same.fingerprint
    assert Problem(same.X, same.y, ("a", "b")).fingerprint != same.fingerprint


def test_benchmark_part_is_stratified_and_always_the_same():
    source = Benchmark("IR", rows=60)
    assert source.name == "IR-60"
    problem = source.load()
    assert np.bincount(problem.y).tolist() == [20, 20, 20]
    assert problem.fingerprint == source.load().fingerprint
    assert Benchmark("IR").load().classes == ("0", "1", "2")


def test_synthetic_data_are_fixed_by_their_name():
    first, second = Synthetic("one", 5, 5), Synthetic("two", 5, 5)
    assert first.load().fingerprint == first.load().fingerprint
    assert first.load().fingerprint != second.load().fingerprint


def test_labels_of_any_kind():
    problem = problem_from_arrays([[1], [2], [3]], ["b", "a", "b"], groups=["x", "y", "x"])
    assert problem.classes == ("a", "b")
    assert problem.y.tolist() == [1, 0, 1]
    assert problem.groups.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("X", "y", "groups", "message"),
    [
        ([1, 2], [0, 1], None, "two dimensions"),
        ([["a"], ["b"]], [0, 1], None, "not a number"),
        ([[1.0], [np.nan]], [0, 1], None, "row 1, column 0"),
        ([[1.0], [2.0]], [0, 1, 1], None, "one label for each of the 2 rows"),
        ([[1.0], [2.0]], [1, 1], None, "one class only"),
        (np.zeros((200, 1)), np.arange(200) / 7, None, "looks like a number to predict"),
        ([[1.0], [2.0]], [0, 1], [1], "one entry for each of the 2 rows"),
    ],
)
def test_unfit_data_are_refused_with_a_sentence(X, y, groups, message):
    with pytest.raises(ValueError, match=message):
        problem_from_arrays(X, y, groups)
