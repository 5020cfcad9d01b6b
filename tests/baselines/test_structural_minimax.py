import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from optimargin.baselines import MinimaxProbabilityClassifier, StructuralMinimaxClassifier
from optimargin.baselines._minimax_components import (
    Components,
    slack_gradients,
    slacks,
    solve_components,
)
from optimargin.baselines._mixture import Mixtures

SETTINGS = {"tol": 1e-8, "max_iter": 100}


def some_components(rng, n, n_plus, n_minus, distance=3.0):
    signs = np.repeat([1.0, -1.0], [n_plus, n_minus])
    means = rng.normal(size=(len(signs), n))
    means[:, 0] += distance * signs
    roots = rng.normal(size=(len(signs), n, n + 3)) * np.exp(
        0.5 * rng.normal(size=(len(signs), 1, 1))
    )
    return Components(means, roots @ roots.transpose(0, 2, 1) / n, signs)


def dinkelbach(components):
    """The sequence of cone programs by which the problem is usually solved."""
    roots = [np.linalg.cholesky(covariance).T for covariance in components.covariances]
    kappa = 0.0
    for _ in range(50):
        a, b, t = cp.Variable(components.means.shape[1]), cp.Variable(), cp.Variable()
        constraints = [cp.norm(a) <= 1]
        for sign, mean, root in zip(components.signs, components.means, roots, strict=True):
            constraints.append(sign * (mean @ a - b) - kappa * cp.norm(root @ a) >= t)
        problem = cp.Problem(cp.Maximize(t), constraints)
        with warnings.catch_warnings():
            # At the end t is zero and the solver doubts itself; kappa is computed from a alone,
            # so what is returned is attained, whatever the solver thinks.
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            problem.solve(solver="CLARABEL")
        reached = components.kappa(a.value)[0]
        if reached - kappa < 1e-9:
            break
        kappa = reached
    return max(kappa, reached)


@pytest.mark.parametrize(
    ("n", "n_plus", "n_minus"), [(1, 2, 2), (2, 1, 2), (5, 3, 2), (8, 4, 4), (20, 2, 3), (30, 4, 4)]
)
def test_agrees_with_a_sequence_of_cone_programs(rng, n, n_plus, n_minus):
    components = some_components(rng, n, n_plus, n_minus)
    found = solve_components(components, **SETTINGS)
    assert found.residual <= 1e-6
    assert found.kappa == pytest.approx(dinkelbach(components), rel=1e-6)


@pytest.mark.parametrize("kind", ["flat", "unequal", "unscaled", "close"])
def test_agrees_with_cone_programs_on_awkward_components(rng, kind):
    components = some_components(rng, 8, 3, 2, distance=1.0 if kind == "close" else 3.0)
    means, covariances = components.means, components.covariances.copy()
    if kind == "flat":
        flat = rng.normal(size=(5, 8, 4))
        covariances = flat @ flat.transpose(0, 2, 1) / 8 + 1e-6 * np.eye(8)
    elif kind == "unequal":
        covariances *= np.logspace(-4, 2, 5)[:, np.newaxis, np.newaxis]
    elif kind == "unscaled":
        scale = np.diag(np.logspace(-2, 2, 8))
        means, covariances = means @ scale, scale @ covariances @ scale
    awkward = Components(means, covariances, components.signs)
    found = solve_components(awkward, **SETTINGS)
    assert found.residual <= 1e-6
    assert found.kappa >= dinkelbach(awkward) * (1 - 1e-6)


def test_the_solution_keeps_every_component_kappa_deviations_away(rng):
    components = some_components(rng, 60, 4, 3)
    found = solve_components(components, **SETTINGS)
    margins = components.signs * (components.means @ found.coef - found.threshold)
    standardised = margins / components.deviations(found.coef)
    assert standardised.min() == pytest.approx(found.kappa, rel=1e-9)
    # No direction nearby does better.
    for scale in (1e-3, 1e-2, 1e-1):
        size = scale * np.linalg.norm(found.coef)
        for _ in range(50):
            other = found.coef + size * rng.normal(size=60) / np.sqrt(60)
            assert components.kappa(other)[0] <= found.kappa * (1 + 1e-10)


@pytest.mark.parametrize(("m", "n"), [(20, 2), (30, 5), (20, 60)])
def test_rows_as_components_give_the_hard_margin(rng, m, n):
    y = np.where(np.arange(m) % 2, 1.0, -1.0)
    X = rng.normal(size=(m, n))
    X[:, 0] += 4 * y
    found = solve_components(Components(X, np.tile(np.eye(n), (m, 1, 1)), y), **SETTINGS)
    machine = SVC(kernel="linear", C=1e8, tol=1e-9).fit(X, y)
    assert found.kappa == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-6)
    normal = machine.coef_[0] / np.linalg.norm(machine.coef_)
    np.testing.assert_allclose(found.coef / np.linalg.norm(found.coef), normal, atol=1e-5)


def test_one_component_a_class_is_the_minimax_probability_machine(rng):
    X = np.vstack([rng.normal(size=(50, 5)), rng.normal(size=(40, 5)) * [1, 2, 3, 1, 1] + 1.0])
    y = np.repeat([0, 1], [50, 40])
    structural = StructuralMinimaxClassifier(n_components=1).fit(X, y)
    minimax = MinimaxProbabilityClassifier().fit(X, y)
    np.testing.assert_allclose(structural.coef_, minimax.coef_, rtol=1e-6)
    np.testing.assert_allclose(structural.intercept_, minimax.intercept_, rtol=1e-6)
    # And the solver of several components finds the same one, though it is never asked to.
    moments = [(X[y == k].mean(axis=0), np.cov(X[y == k].T, bias=True)) for k in (1, 0)]
    added = 1e-6 * (np.trace(moments[0][1]) + np.trace(moments[1][1])) / 10 * np.eye(5)
    components = Components(
        np.array([moments[0][0], moments[1][0]]),
        np.array([moments[0][1] + added, moments[1][1] + added]),
        np.array([1.0, -1.0]),
    )
    found = solve_components(components, **SETTINGS)
    assert found.kappa == pytest.approx(minimax.kappa_[0], rel=1e-6)
    scale = np.linalg.norm(minimax.coef_) / np.linalg.norm(found.coef)
    np.testing.assert_allclose(scale * found.coef, minimax.coef_[0], atol=1e-6)


def test_the_order_of_components_does_not_matter(rng):
    components = some_components(rng, 12, 3, 4)
    order = rng.permutation(7)
    shuffled = Components(
        components.means[order], components.covariances[order], components.signs[order]
    )
    one, other = (solve_components(c, **SETTINGS) for c in (components, shuffled))
    assert one.kappa == pytest.approx(other.kappa, rel=1e-9)
    np.testing.assert_allclose(
        one.coef / np.linalg.norm(one.coef), other.coef / np.linalg.norm(other.coef), atol=1e-6
    )


def test_a_further_component_never_raises_kappa(rng):
    components = some_components(rng, 10, 4, 4)
    kappas = []
    for kept in ([0, 4], [0, 4, 5], [0, 1, 4, 5], [0, 1, 2, 4, 5, 6], list(range(8))):
        part = Components(
            components.means[kept], components.covariances[kept], components.signs[kept]
        )
        kappas.append(solve_components(part, **SETTINGS).kappa)
    assert (np.diff(kappas) <= 1e-9).all()
    assert kappas[-1] < kappas[0]


def test_invertible_maps_change_no_kappa(rng):
    components = some_components(rng, 6, 2, 3)
    mapping = rng.normal(size=(6, 6))
    one, other = (
        solve_components(c, **SETTINGS) for c in (components, components.project(mapping))
    )
    assert one.kappa == pytest.approx(other.kappa, rel=1e-8)


def test_gradients_of_the_constraints(rng):
    components = some_components(rng, 4, 2, 3)
    z = rng.normal(size=6)
    for i in range(5):
        error = check_grad(
            lambda z, i=i: slacks(components, z)[i],
            lambda z, i=i: slack_gradients(components, z)[i],
            z,
        )
        assert error < 1e-5


def test_means_that_nothing_separates_have_no_solution():
    means = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [4.0, 0.0]])
    components = Components(means, np.tile(np.eye(2), (4, 1, 1)), np.array([1.0, 1.0, -1.0, -1.0]))
    assert solve_components(components, **SETTINGS) is None


def test_components_are_taken_back_where_nothing_separates_them(rng):
    centres = np.array([[0.0, 0.0], [8.0, 8.0], [0.5, 8.0], [8.0, 0.0]])
    X = np.repeat(centres, 40, axis=0) + rng.normal(size=(160, 2))
    y = np.repeat([1, 0], 80)
    model = StructuralMinimaxClassifier(n_components=2).fit(X, y)
    assert sorted(model.n_components_[0]) == [1, 2]
    assert model.kappa_[0] > 0


def test_a_second_component_is_taken_where_it_helps(rng):
    # One cloud of the positive class is near, one far: taken as one, the class is so wide that
    # the threshold is pressed into the other class.
    X = np.vstack(
        [
            rng.normal(size=(100, 2)) * [0.3, 1.0] + [2.0, 0.0],
            rng.normal(size=(100, 2)) * [0.3, 1.0] + [10.0, 0.0],
            rng.normal(size=(200, 2)) * [0.5, 1.0],
        ]
    )
    y = np.repeat([1, 0], 200)
    one = StructuralMinimaxClassifier(n_components=1).fit(X, y)
    model = StructuralMinimaxClassifier().fit(X, y)
    assert model.n_components_.tolist() == [[1, 2]]
    assert model.kappa_[0] > 1.5 * one.kappa_[0]
    assert one.score(X, y) < 0.97 < 0.99 < model.score(X, y)
    forced = StructuralMinimaxClassifier(n_components=2).fit(X, y)
    assert forced.n_components_.tolist() == [[2, 2]]


def test_never_worse_on_the_training_rows_than_one_component():
    X, y = load_breast_cancer(return_X_y=True)
    for columns in (slice(0, 5), slice(10, 18), slice(20, 30)):
        part = StandardScaler().fit_transform(X[:, columns])
        scores = [
            balanced_accuracy_score(y, model.fit(part, y).predict(part))
            for model in (StructuralMinimaxClassifier(), MinimaxProbabilityClassifier())
        ]
        assert scores[0] >= scores[1]


def mixtures_of(X, weights=None, ridge=1e-6):
    weights = np.ones(len(X)) if weights is None else weights
    return Mixtures(X, weights, ridge=ridge, tol=1e-5, max_iter=500)


def test_the_mixture_finds_the_clouds(rng):
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    X = np.repeat(centres, [100, 200, 300], axis=0) + rng.normal(size=(600, 2))
    mixtures = mixtures_of(X)
    bics = []
    for k in range(1, 5):
        assert mixtures.of(k) is not None
        bics.append(mixtures.bic(k))
    assert int(np.argmin(bics)) == 2
    found = mixtures.of(3)
    order = np.argsort(found.shares)
    np.testing.assert_allclose(found.means[order], centres, atol=0.3)
    np.testing.assert_allclose(found.shares[order], [1 / 6, 1 / 3, 1 / 2], atol=0.01)


def test_the_criterion_is_that_of_scikit_learn(rng):
    X = np.vstack([rng.normal(size=(80, 3)), rng.normal(size=(60, 3)) + 5])
    mixtures = mixtures_of(X)
    assert mixtures.of(2) is not None
    theirs = GaussianMixture(2, reg_covar=1e-6, tol=1e-8, random_state=0).fit(X)
    assert mixtures.bic(2) == pytest.approx(theirs.bic(X), rel=1e-4)


def test_components_need_rows(rng):
    assert mixtures_of(rng.normal(size=(11, 4))).of(2) is None
    assert mixtures_of(rng.normal(size=(11, 4))).of(1) is not None
    enough = mixtures_of(rng.normal(size=(40, 4)), weights=np.full(40, 0.2))
    assert enough.of(2) is None


def test_says_so_when_it_does_not_converge(rng):
    X = np.repeat(np.eye(3, 12), 40, axis=0) * 6 + rng.normal(size=(120, 12))
    y = np.repeat([0, 0, 1], 40)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        StructuralMinimaxClassifier(n_components=2, tol=0.0, max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_components": 0},
        {"n_components": "many"},
        {"max_components": 0},
        {"ridge": 0.0},
        {"tol": -1.0},
        {"max_iter": 0},
    ],
)
def test_refuses_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        StructuralMinimaxClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
