"""The proven optimum: both exact methods, and a third way that knows neither."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score

from optimargin.baselines import ExactZeroOneClassifier
from optimargin.baselines._enumeration import enumerate_separators


def overlapping(seed, n_samples, n_features, grid=None):
    """Two classes that no hyperplane separates, on a grid if one is given."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = (rng.random(n_samples) < 1 / (1 + np.exp(-1.5 * X[:, 0]))).astype(int)
    y[:2] = [0, 1]
    if grid is not None:
        X = np.round(X / grid) * grid
    return X, y


def separable(points, signs):
    """Whether a hyperplane gives these labels, by a linear program."""
    constraints = -signs[:, None] * np.column_stack([points, np.ones(len(points))])
    bounds = [(None, None)] * constraints.shape[1]
    result = linprog(
        np.zeros(constraints.shape[1]), constraints, -np.ones(len(points)), bounds=bounds
    )
    return result.status == 0


def best_score_of_all_labellings(X, y):
    """Try every labelling of the distinct points: the slow and obvious way."""
    points, inverse = np.unique(X, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    best = 0.0
    for signs in product([-1.0, 1.0], repeat=len(points)):
        signs = np.array(signs)
        score = balanced_accuracy_score(y, signs[inverse] > 0)
        if score > best and separable(points, signs):
            best = score
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_samples", "n_features"), [(30, 1), (25, 2), (20, 3), (16, 4)])
def test_enumeration_and_mixed_integer_program_agree(seed, n_samples, n_features):
    X, y = overlapping(seed, n_samples, n_features, grid=0.5 if seed % 2 else None)
    sample_weight = np.random.default_rng(seed).integers(0, 4, n_samples) + (y == y[0])
    for class_weight in ("balanced", None, {0: 3.0, 1: 1.0}):
        found = [
            ExactZeroOneClassifier(method=method, class_weight=class_weight).fit(
                X, y, sample_weight
            )
            for method in ("enumeration", "milp")
        ]
        assert all(classifier.optimal_[0] for classifier in found)
        assert found[0].score_[0] == pytest.approx(found[1].score_[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_features", [1, 2, 3])
@pytest.mark.parametrize("grid", [None, 1.0])
def test_no_labelling_is_better(seed, n_features, grid):
    X, y = overlapping(seed, 9, n_features, grid)
    classifier = ExactZeroOneClassifier(method="enumeration").fit(X, y)
    assert classifier.score_[0] == pytest.approx(best_score_of_all_labellings(X, y), abs=1e-12)


@pytest.mark.parametrize(("n_points", "n_features"), [(8, 2), (6, 3), (7, 1)])
def test_enumeration_reaches_as_many_labellings_as_cover_counts(n_points, n_features):
    points = np.random.default_rng(0).standard_normal((n_points, n_features))
    reached = 0
    for labels in product([False, True], repeat=n_points):
        positive = np.array(labels)
        found = enumerate_separators(points, 1.0 * ~positive, 1.0 * positive)
        assert found.loss == found.bound
        reached += found.loss == 0
    assert reached == 2 * sum(comb(n_points - 1, k) for k in range(n_features + 1))


@pytest.mark.parametrize("class_weight", ["balanced", None])
def test_score_is_that_of_the_predictions(class_weight):
    X, y = overlapping(3, 60, 3)
    X = X * [1.0, 1e4, 1e-4] + [5.0, -1e6, 3.0]
    classifier = ExactZeroOneClassifier(class_weight=class_weight).fit(X, y)
    predicted = classifier.predict(X)
    expected = balanced_accuracy_score(y, predicted) if class_weight else np.mean(y == predicted)
    assert classifier.score_[0] == pytest.approx(expected, abs=1e-12)
    assert classifier.optimal_[0]
    assert classifier.gap_[0] == 0


def test_exclusive_or_on_repeated_points():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]] * 3)
    y = np.array([0, 0, 1, 1] * 3)
    for method in ("enumeration", "milp"):
        assert ExactZeroOneClassifier(method=method).fit(X, y).score_[0] == pytest.approx(0.75)


def test_conflicting_labels_cost_the_lighter_side():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    y = np.array([0, 0, 1, 1])
    assert ExactZeroOneClassifier(class_weight=None).fit(X, y).score_[0] == pytest.approx(0.75)


def test_constant_columns_and_more_features_than_rows():
    X, y = overlapping(0, 12, 20)
    X[:, 3] = 7.0
    classifier = ExactZeroOneClassifier().fit(X, y)
    assert classifier.score_[0] == 1.0
    assert classifier.optimal_[0]
    assert classifier.coef_[0, 3] == 0


def test_data_of_low_rank_are_enumerated_in_their_span():
    X, y = overlapping(1, 60, 2)
    wide = X @ np.random.default_rng(0).standard_normal((2, 10)) + 3
    scores = [ExactZeroOneClassifier(method="enumeration").fit(Z, y).score_[0] for Z in (X, wide)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_identical_rows_go_to_the_heavier_class():
    X, y = np.ones((5, 2)), np.array([0, 0, 1, 1, 1])
    classifier = ExactZeroOneClassifier(class_weight=None).fit(X, y)
    assert classifier.score_[0] == pytest.approx(0.6)
    assert classifier.optimal_[0]
    assert set(classifier.predict(X)) == {1}
    assert ExactZeroOneClassifier(class_weight="balanced").fit(X, y).score_[0] == pytest.approx(0.5)


@pytest.mark.parametrize("n_features", [2, 3])
def test_swapping_the_labels_swaps_the_prediction(n_features):
    X, y = overlapping(5, 40, n_features)
    first, second = (ExactZeroOneClassifier().fit(X, labels) for labels in (y, 1 - y))
    assert first.score_[0] == pytest.approx(second.score_[0], abs=1e-12)


def test_affine_maps_of_the_features_do_not_change_the_optimum():
    X, y = overlapping(6, 40, 3)
    mixed = X @ np.random.default_rng(1).standard_normal((3, 3)) + 4
    first, second = (ExactZeroOneClassifier().fit(Z, y) for Z in (X, mixed))
    assert first.score_[0] == pytest.approx(second.score_[0], abs=1e-12)


def test_integer_weights_equal_repeated_rows_bit_for_bit():
    X, y = overlapping(7, 30, 2)
    weights = np.random.default_rng(0).integers(0, 3, 30)
    weights[:2] = 1
    weighted = ExactZeroOneClassifier().fit(X, y, weights)
    shuffled = np.random.default_rng(1).permutation(np.repeat(np.arange(30), weights))
    repeated = ExactZeroOneClassifier().fit(X[shuffled], y[shuffled])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)
    np.testing.assert_array_equal(weighted.intercept_, repeated.intercept_)


def test_fifty_small_problems_are_proven():
    rng = np.random.default_rng(0)
    for seed in range(50):
        X, y = overlapping(seed, int(rng.integers(20, 61)), int(rng.integers(1, 4)))
        classifier = ExactZeroOneClassifier().fit(X, y)
        assert classifier.optimal_[0]
        assert classifier.score_[0] >= 0.5


def test_too_little_time_is_admitted():
    X, y = overlapping(0, 300, 8)
    with pytest.warns(ConvergenceWarning, match="not proven"):
        classifier = ExactZeroOneClassifier(time_limit=0.3).fit(X, y)
    assert not classifier.optimal_[0]
    assert 0 < classifier.gap_[0] <= 1 - classifier.score_[0] + 1e-12
    assert classifier.score_[0] > 0.5
    with pytest.warns(ConvergenceWarning, match="not proven"):
        ExactZeroOneClassifier(method="enumeration", time_limit=0.3).fit(X, y)


def test_the_gap_contains_the_optimum():
    X, y = overlapping(2, 40, 5)
    optimum = ExactZeroOneClassifier().fit(X, y)
    with pytest.warns(ConvergenceWarning):
        hurried = ExactZeroOneClassifier(time_limit=0.1, method="milp").fit(X, y)
    assert hurried.score_[0] <= optimum.score_[0] <= hurried.score_[0] + hurried.gap_[0] + 1e-9


def test_one_pair_an_entry_for_three_classes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((45, 2))
    y = np.repeat(["a", "b", "c"], 15)
    X[:, 0] += np.repeat([0, 1, 2], 15)
    classifier = ExactZeroOneClassifier().fit(X, y)
    assert classifier.score_.shape == classifier.gap_.shape == classifier.optimal_.shape == (3,)
    pair = np.isin(y, ["a", "c"])
    alone = ExactZeroOneClassifier().fit(X[pair], y[pair])
    np.testing.assert_array_equal(classifier.coef_[1], alone.coef_[0])


def test_the_separator_is_in_the_middle_of_the_gap():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    classifier = ExactZeroOneClassifier().fit(X, y)
    assert -classifier.intercept_[0] / classifier.coef_[0, 0] == pytest.approx(2.0)


def test_a_class_of_negligible_cost_counts_for_nothing():
    X, y = overlapping(0, 40, 2)
    classifier = ExactZeroOneClassifier(class_weight={0: 1000, 1: 0.0001}).fit(X, y)
    assert set(classifier.predict(X)) == {0}
    assert classifier.score_[0] == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "guess"}, "method must be one of"),
        ({"time_limit": 0}, "time_limit == 0"),
        ({"class_weight": "auto"}, "class_weight must be"),
        ({"class_weight": {0: -1.0}}, "class_weight of 0 == -1.0"),
        ({"class_weight": {"a": 1.0}}, "not among the classes"),
        ({"class_weight": {0: 0.0, 1: 0.0}}, "leaves no cost"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    X, y = overlapping(0, 10, 2)
    with pytest.raises(ValueError, match=message):
        ExactZeroOneClassifier(**parameters).fit(X, y)


def test_nothing_is_printed(capfd):
    X, y = overlapping(1, 40, 5)
    ExactZeroOneClassifier(method="milp").fit(X, y)
    assert capfd.readouterr().out == ""
