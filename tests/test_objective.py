"""Scores of directions: Algorithm 2, whole populations at once."""

import numpy as np
import pytest
from scipy import sparse

import optimargin.objective
import reference
from optimargin.objective import Objective
from optimargin.problem import make_problem


def blobs(m=80, n=4, distance=1.0, seed=0, n_negative=None):
    """Two normal classes, the negative one first: samples by rows."""
    rng = np.random.default_rng(seed)
    n_negative = n_negative or m // 3
    X = rng.standard_normal((m, n))
    X[n_negative:, 0] += distance
    return X, n_negative


def problem_of(X, n_negative, weights=None, costs="balanced", dtype=np.float64):
    return make_problem(np.ascontiguousarray(X.T.astype(dtype)), n_negative, weights, costs)


def integer_weights(problem):
    units = problem.units
    weights = units.weights.tolist() if units.weights.size else [1] * problem.n_samples
    factors = [units.unit_negative] * problem.n_negative
    factors += [units.unit_positive] * (problem.n_samples - problem.n_negative)
    return [w * f for w, f in zip(weights, factors, strict=True)]


@pytest.mark.parametrize("costs", ["balanced", (1.0, 1.0), (5.0, 1.0)])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("distance", [1.0, 9.0], ids=["overlapping", "separable"])
def test_scores_are_those_of_the_definition(costs, weighted, l1, distance):
    X, n_negative = blobs(distance=distance)
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 6, len(X)).astype(float) if weighted else None
    problem = problem_of(X, n_negative, weights, costs)
    directions = rng.standard_normal((6, 4)) * [[1e-3], [1], [1], [1e3], [1e200], [1e-200]]
    directions[1] = [1, 0, 0, 0]
    scores = Objective(problem, l1).score(directions)
    for i, direction in enumerate(directions):
        value, score, margin = reference.objective(
            X, n_negative, integer_weights(problem), direction / np.abs(direction).max(), l1
        )
        assert scores.score[i] == pytest.approx(score, abs=1e-15)
        assert scores.margin[i] == pytest.approx(margin, rel=1e-9)
        assert scores.objective[i] == pytest.approx(value, rel=1e-12)


def test_errors_come_before_margins_and_the_penalty():
    # a separating direction beats any other, however wide the other's gap
    X = np.array([[0.0, 0.0], [0.01, 50.0], [1.0, 0.1], [1.01, 50.1]])
    problem = problem_of(X, 2)
    scores = Objective(problem, l1=0.0).score(np.eye(2))
    assert scores.score.tolist() == [1.0, 0.75]
    assert scores.best() == 0
    assert scores.objective[0] == pytest.approx(1 + 0.495)


def test_penalty_is_subtracted_and_spares_the_axes():
    X, n_negative = blobs()
    directions = np.array([[1.0, 0, 0, 0], [1.0, 1, 1, 1]])
    problem = problem_of(X, n_negative)
    free = Objective(problem).score(directions)
    penalised = Objective(problem, l1=0.1).score(directions)
    np.testing.assert_allclose(free.objective - penalised.objective, [0.0, 0.1 * (2 - 1)])


def test_length_and_sign_of_a_direction_do_not_matter():
    X, n_negative = blobs()
    problem = problem_of(X, n_negative)
    w = np.random.default_rng(2).standard_normal((1, 4))
    scores = Objective(problem).score(np.concatenate([w, 4 * w, -w, 3 * w]))
    for name in ("score", "margin", "objective", "threshold"):
        values = getattr(scores, name)
        np.testing.assert_array_equal(values[:3], values[0])
        np.testing.assert_allclose(values[3], values[0], rtol=1e-12)
    assert scores.sign.tolist() == [scores.sign[0], scores.sign[0], -scores.sign[0], scores.sign[0]]
    rules = [scores.separator(i) for i in range(3)]
    np.testing.assert_array_equal(rules[0].direction, rules[2].direction)
    assert rules[0].intercept == rules[2].intercept


def test_a_separator_classifies_as_its_score_says():
    X, n_negative = blobs(m=300)
    problem = problem_of(X, n_negative)
    scores = Objective(problem).score(np.random.default_rng(3).standard_normal((20, 4)))
    for i in range(20):
        separator = scores.separator(i)
        positive = X @ separator.direction + separator.intercept > 0
        right = [(~positive[:n_negative]).mean(), positive[n_negative:].mean()]
        assert np.mean(right) == pytest.approx(separator.score, abs=1e-12)
        assert np.linalg.norm(separator.direction) == pytest.approx(1.0)
        distances = np.abs(X @ separator.direction + separator.intercept)
        assert distances.min() == pytest.approx(separator.margin, rel=1e-6)


def test_ranking_is_by_objective_then_margin():
    X, n_negative = blobs(m=30)  # few samples: many equal scores
    scores = Objective(problem_of(X, n_negative)).score(
        np.random.default_rng(4).standard_normal((200, 4))
    )
    keys = [(scores.objective[i], scores.margin[i]) for i in scores.ranking()]
    assert keys == sorted(keys, reverse=True)
    assert len({key[0] for key in keys}) < 150
    assert scores.separator(scores.best()).key == keys[0]


@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_large_populations_are_scored_in_pieces(monkeypatch, container):
    X, n_negative = blobs()
    problem = problem_of(X, n_negative)
    if container == "sparse":
        problem = make_problem(sparse.csc_array(X), n_negative, None, "balanced")
    directions = np.random.default_rng(5).standard_normal((23, 4))
    at_once = Objective(problem).score(directions)
    monkeypatch.setattr(optimargin.objective, "_CHUNK", 3 * len(X))
    objective = Objective(problem)
    pieces = objective.score(directions)
    assert objective.n_evaluations == 23
    for name in ("score", "sign"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(pieces, name))
    for name in ("margin", "threshold", "objective"):
        np.testing.assert_allclose(getattr(at_once, name), getattr(pieces, name), rtol=1e-9)


def test_sparse_and_dense_agree():
    X, n_negative = blobs()
    X[np.abs(X) < 0.7] = 0.0
    directions = np.random.default_rng(6).standard_normal((9, 4))
    dense = Objective(problem_of(X, n_negative)).score(directions)
    thin = Objective(make_problem(sparse.csc_array(X), n_negative, None, "balanced")).score(
        directions
    )
    np.testing.assert_array_equal(dense.score, thin.score)
    np.testing.assert_allclose(dense.margin, thin.margin, rtol=1e-9)


def test_single_precision_stays_single():
    X, n_negative = blobs()
    problem = problem_of(X, n_negative, dtype=np.float32)
    scores = Objective(problem).score(np.eye(4))
    assert problem.dtype == np.float32
    assert scores.directions.dtype == np.float32
    assert scores.score[0] == Objective(problem_of(X, n_negative)).score(np.eye(4)).score[0]


@pytest.mark.parametrize(
    ("directions", "sentence"),
    [
        (np.ones(4), r"shape \(4,\)"),
        (np.ones((2, 3)), r"\(number of candidates, 4\)"),
        (np.zeros((1, 4)), "zero or not finite"),
        (np.full((1, 4), np.nan), "zero or not finite"),
        (np.array([[1.0, np.inf, 0, 0]]), "zero or not finite"),
    ],
)
def test_unusable_directions_are_refused(directions, sentence):
    X, n_negative = blobs()
    with pytest.raises(ValueError, match=sentence):
        Objective(problem_of(X, n_negative)).score(directions)


def test_importance_adds_up_to_one():
    X, n_negative = blobs()
    weights = np.random.default_rng(7).random(len(X)) + 0.1
    for costs in ("balanced", (1.0, 4.0)):
        problem = problem_of(X, n_negative, weights, costs)
        assert problem.importance.sum() == pytest.approx(1.0)
        assert problem.total_weight == pytest.approx(weights.sum())
