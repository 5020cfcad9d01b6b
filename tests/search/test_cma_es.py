"""CMA-ES, equation by equation, against the reference implementation of its inventor."""

import numpy as np
import pytest

from optimargin.objective import Objective, Scores
from optimargin.problem import make_problem
from optimargin.search.cma_es import CmaEs, Constants, SeparableCmaEs

try:
    from cma.more_algorithms import purecma
except ImportError:  # before cma 4.5
    from cma import purecma


def scores_of(values, directions):
    """Scores with these objectives and no margins."""
    zeros = np.zeros(len(values))
    return Scores(directions, values, zeros, zeros, zeros.astype(np.int64), values)


def valley(directions):
    """Any function that is not symmetric: the update only sees the ranking."""
    scales = np.arange(1, directions.shape[1] + 1.0)
    return -((directions - 0.3) ** 2 @ scales) + np.sin(7 * directions[:, 0])


def reference_with(constants, start, sigma, population_size):
    """purecma in the state in which our search begins, with our constants."""
    es = purecma.CMAES(start.tolist(), sigma, popsize=population_size)
    weights = constants.weights.tolist()
    es.params.mu = len(weights)
    es.params.weights = weights + [0.0] * (population_size - len(weights))
    es.params.mueff = constants.effective
    es.params.cs = constants.rate_sigma
    es.params.damps = constants.damping
    es.params.cc = constants.rate_path
    es.params.c1 = constants.rate_one
    es.params.cmu = constants.rate_mu
    return es


@pytest.mark.parametrize("n", [2, 3, 10, 20])
@pytest.mark.parametrize("kind", [CmaEs, SeparableCmaEs])
def test_every_step_agrees_with_the_reference(kind, n):
    rng = np.random.default_rng(n)
    start = rng.standard_normal(n)
    start /= np.linalg.norm(start)
    population_size = 4 + int(3 * np.log(n))
    ours = kind(start, population_size, rng)
    theirs = reference_with(ours.constants, ours.mean, ours.sigma, population_size)
    theirs.C.update_eigensystem(0, 0)
    for generation in range(60):
        directions = ours.ask()
        if kind is SeparableCmaEs or ours._decomposed == generation > 0:
            theirs.C.update_eigensystem(theirs.counteval, 0)
        np.testing.assert_allclose(
            directions, ours.mean + ours.sigma * ours.steps, rtol=1e-14, atol=1e-14
        )
        values = valley(directions)
        ours.tell(directions, scores_of(values, directions))
        theirs.tell(directions.tolist(), (-values).tolist())
        if kind is SeparableCmaEs:
            for i in range(n):
                for j in range(n):
                    theirs.C[i][j] *= i == j
            covariance = np.diag(ours.variances)
        else:
            covariance = ours.covariance
        # ours divides mean and step size by the length of the mean; nothing else knows of it
        length = np.linalg.norm(theirs.xmean)
        theirs.xmean = [x / length for x in theirs.xmean]
        theirs.sigma /= length
        close = {"rtol": 1e-8, "atol": 1e-10}
        np.testing.assert_allclose(ours.mean, theirs.xmean, **close)
        np.testing.assert_allclose(ours.sigma, theirs.sigma, **close)
        np.testing.assert_allclose(ours.path_sigma, theirs.ps, **close)
        np.testing.assert_allclose(ours.path_covariance, theirs.pc, **close)
        np.testing.assert_allclose(covariance, np.array(list(theirs.C)), **close)


@pytest.mark.parametrize("n", [2, 10, 100])
def test_samples_follow_the_covariance(n):
    # whatever was learned must show in what is drawn
    rng = np.random.default_rng(0)
    search = CmaEs(np.ones(n), 4000, rng)
    root = rng.standard_normal((n, n)) / np.sqrt(n)
    search.covariance = root @ root.T + 0.1 * np.eye(n)
    search._decompose()
    directions = search.ask()
    drawn = (directions - search.mean) / search.sigma
    np.testing.assert_allclose(np.cov(drawn.T), search.covariance, atol=0.5 / np.sqrt(n) + 0.1)
    np.testing.assert_allclose(search.root @ search.root, search.covariance, atol=1e-10)
    np.testing.assert_allclose(search.root, search.root.T, atol=1e-12)


@pytest.mark.parametrize("n", [2, 9, 34, 100, 1000])
def test_constants_are_those_of_the_tutorial(n):
    population_size = 4 + int(3 * np.log(n))
    constants = Constants.default(n, population_size)
    theirs = purecma.CMAESParameters(n, population_size)
    np.testing.assert_allclose(constants.weights, theirs.weights[: theirs.mu])
    assert constants.effective == pytest.approx(theirs.mueff)
    assert constants.rate_sigma == pytest.approx(theirs.cs)
    assert constants.rate_path == pytest.approx(theirs.cc)
    assert constants.rate_one == pytest.approx(theirs.c1)
    assert constants.damping == pytest.approx(theirs.damps)
    assert constants.rate_mu == pytest.approx(theirs.cmu)


@pytest.mark.parametrize("n", [2, 10, 300])
def test_learning_rates_never_exceed_what_there_is_to_learn(n):
    for population_size in (2, 3, 10, 5000):
        for constants in (
            Constants.default(n, population_size),
            Constants.default(n, population_size).for_diagonal(n),
        ):
            assert 0 <= constants.rate_one <= 1
            assert constants.rate_mu >= 0
            assert constants.rate_one + constants.rate_mu <= 1 + 1e-12
            assert constants.weights.sum() == pytest.approx(1.0)


def test_covariance_stays_symmetric_and_positive():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((12, 60))
    problem = make_problem(X, 25, None, "balanced")
    objective = Objective(problem)
    search = CmaEs(rng.standard_normal(12), 11, rng)
    for _ in range(300):
        directions = search.ask()
        search.tell(directions, objective.score(directions))
    np.testing.assert_allclose(search.covariance, search.covariance.T, rtol=1e-10)
    assert np.linalg.eigvalsh(search.covariance).min() > 0
    assert np.linalg.norm(search.mean) == pytest.approx(1.0)


def test_a_plateau_does_not_break_the_search():
    rng = np.random.default_rng(2)
    for kind in (CmaEs, SeparableCmaEs):
        search = kind(np.ones(5), 8, rng)
        for _ in range(500):
            directions = search.ask()
            search.tell(directions, scores_of(np.zeros(8), directions))
        assert np.isfinite(search.ask()).all()
        assert np.isfinite(search.sigma)


def test_eigendecomposition_is_postponed_but_not_forgotten():
    search = CmaEs(np.ones(100), 17, np.random.default_rng(3))
    decomposed = set()
    for _ in range(200):
        directions = search.ask()
        decomposed.add(search._decomposed)
        search.tell(directions, scores_of(valley(directions), directions))
    assert 200 / search.postponed - 2 <= len(decomposed) <= 200 / search.postponed + 2
