import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from optimargin.baselines import MultipleBetweenClassLDA
from optimargin.training import class_pairs


@pytest.fixture
def two():
    X, y = load_iris(return_X_y=True)
    return X[50:140], y[50:140]


@pytest.fixture
def three():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def within(X, y, n_classes):
    centred = np.vstack([X[y == k] - X[y == k].mean(axis=0) for k in range(n_classes)])
    return centred.T @ centred / len(y)


def parallel(a, b):
    return abs(a @ b) / (np.linalg.norm(a) * np.linalg.norm(b))


def test_without_regularisation_it_is_fishers_discriminant(two):
    X, y = two
    model = MultipleBetweenClassLDA(0.0).fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=None).fit(X, y)
    np.testing.assert_allclose(model.coef_, lda.coef_, rtol=1e-8)
    assert parallel(model.coef_[0], lda.coef_[0]) == pytest.approx(1.0, abs=1e-8)
    # The midpoint of the means: with equal priors nothing else is added.
    midpoint = (X[y == 1].mean(axis=0) + X[y == 2].mean(axis=0)) / 2
    assert model.decision_function([midpoint])[0] == pytest.approx(0.0, abs=1e-10)


def test_labels_of_equal_classes_are_those_of_fishers_discriminant():
    X, y = load_iris(return_X_y=True)
    model = MultipleBetweenClassLDA(0.0).fit(X[50:], y[50:])
    lda = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.5, 0.5]).fit(X[50:], y[50:])
    np.testing.assert_array_equal(model.predict(X), lda.predict(X))


@pytest.mark.parametrize("amount", [0.0, 0.3, 1.0])
def test_shrinkage_is_that_of_scikit_learn(two, amount):
    X, y = two
    X = X * [1.0, 10.0, 0.1, 3.0]
    model = MultipleBetweenClassLDA(amount, penalty="shrinkage").fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=amount).fit(X, y)
    np.testing.assert_allclose(model.coef_, lda.coef_, rtol=1e-8)


def test_the_direction_minimises_its_ratio(three, rng):
    X, y = three
    X, y = X[y < 2], y[y < 2]
    scatter = within(X, y, 2) + 0.5 * np.eye(X.shape[1])
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)

    def ratio(w):
        return (w @ scatter @ w) / (w @ difference) ** 2

    coef = MultipleBetweenClassLDA(penalty="ridge").fit(X, y).coef_[0]
    least = ratio(coef)
    assert all(
        ratio(coef + 0.01 * np.linalg.norm(coef) * rng.normal(size=len(coef))) > least
        for _ in range(50)
    )


def test_many_classes_at_once_take_the_nearest_projected_mean(three):
    X, y = three
    model = MultipleBetweenClassLDA(multi_class="native").fit(X, y)
    scatter = within(X, y, 3) + 0.5 / len(y) * np.eye(X.shape[1])
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    directions = []
    for i, j in class_pairs(3):
        w = np.linalg.solve(scatter, means[j] - means[i])
        directions.append(w / np.sqrt(w @ scatter @ w))
    np.testing.assert_allclose(model.directions_, directions, rtol=1e-9)
    W = np.array(directions).T
    distances = ((X @ W)[:, np.newaxis, :] - means @ W) ** 2
    np.testing.assert_array_equal(model.predict(X), distances.sum(axis=2).argmin(axis=1))
    assert model.coef_.shape == (3, X.shape[1])
    assert model.score(X, y) > 0.97


def test_one_vs_one_uses_the_rows_of_its_pair_alone(three):
    X, y = three
    model = MultipleBetweenClassLDA().fit(X, y)
    pair = MultipleBetweenClassLDA().fit(X[y != 1], y[y != 1])
    np.testing.assert_allclose(model.coef_[1], pair.coef_[0])


def test_invertible_maps_change_no_score_without_regularisation(two, rng):
    X, y = two
    moved = X @ rng.normal(size=(4, 4)) + rng.normal(size=4)
    scores, others = (
        MultipleBetweenClassLDA(0.0).fit(Z, y).decision_function(Z) for Z in (X, moved)
    )
    np.testing.assert_allclose(scores, others, atol=1e-8)


@pytest.mark.parametrize("penalty", ["scatter", "ridge", "shrinkage"])
def test_more_features_than_rows_is_the_same_problem(rng, penalty):
    X, y = rng.normal(size=(16, 40)), np.repeat([0, 1], 8)
    model = MultipleBetweenClassLDA(penalty=penalty).fit(X, y)
    scatter = within(X, y, 2)
    if penalty == "scatter":
        scatter += 0.5 / 16 * np.eye(40)
    elif penalty == "ridge":
        scatter += 0.5 * np.eye(40)
    else:
        scatter = 0.5 * scatter + 0.5 * np.trace(scatter) / 40 * np.eye(40)
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(model.coef_[0], np.linalg.solve(scatter, difference), rtol=1e-8)


def test_says_so_when_the_pseudo_inverse_is_used(two):
    X, y = two
    doubled = np.column_stack([X, X[:, 0]])
    with pytest.warns(LinAlgWarning, match="classes 1 and 2 is singular"):
        model = MultipleBetweenClassLDA(0.0).fit(doubled, y)
    plain = MultipleBetweenClassLDA(0.0).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(doubled), plain.decision_function(X), atol=1e-6
    )


def test_says_so_when_the_means_coincide():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    with pytest.warns(ConvergenceWarning, match="means of classes 0 and 1 coincide"):
        MultipleBetweenClassLDA().fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": -0.1}, "regularization"),
        ({"regularization": 1.1, "penalty": "shrinkage"}, "regularization"),
        ({"penalty": "lasso"}, "penalty"),
        ({"multi_class": "ovr"}, "multi_class"),
    ],
)
def test_refuses_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        MultipleBetweenClassLDA(**parameters).fit([[0.0], [1.0]], [0, 1])
