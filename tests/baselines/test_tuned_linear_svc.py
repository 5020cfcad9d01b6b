"""The tuned machine: its search, its validation, and what it does without its package."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from optimargin.baselines import TunedLinearSVC, _boxed_hinge
from optimargin.baselines.tuned_linear_svc import maximise

pytest.importorskip("bayes_opt")


def overlapping(seed=0, n_samples=80):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, 4))
    y = (rng.random(n_samples) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    return X, y


@pytest.mark.parametrize("optimum", [-3.1, 0.4, 4.7])
def test_the_search_finds_a_known_maximum(optimum):
    tried, values = maximise(lambda x: -((x - optimum) ** 2) / 10, -5, 5, 20, seed=0)
    assert abs(tried[np.argmax(values)] - optimum) < 0.3
    assert len(tried) == 20
    assert tried.min() >= -5
    assert tried.max() <= 5


def test_the_search_is_reproducible():
    def wavy(x):
        return np.sin(3 * x) - 0.1 * x**2

    first, again = (maximise(wavy, -5, 5, 15, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])


def test_never_worse_than_its_initial_design():
    X, y = overlapping()
    few = TunedLinearSVC(n_evaluations=5, random_state=0).fit(X, y)
    many = TunedLinearSVC(n_evaluations=15, random_state=0).fit(X, y)
    np.testing.assert_array_equal(few.evaluations_[0]["score"], many.evaluations_[0]["score"][:5])
    np.testing.assert_allclose(few.evaluations_[0]["C"], 10.0 ** np.linspace(-5, 5, 5))
    assert many.cv_score_[0] >= few.cv_score_[0]


def test_the_same_seed_gives_the_same_machine():
    X, y = overlapping()
    fits = [TunedLinearSVC(n_evaluations=8, random_state=1).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    np.testing.assert_array_equal(fits[0].evaluations_[0]["C"], fits[1].evaluations_[0]["C"])


def test_the_machine_is_the_one_with_the_chosen_C():
    X, y = overlapping()
    model = TunedLinearSVC(n_evaluations=8, C_range=(0.01, 10), random_state=0, tol=1e-9).fit(X, y)
    reference = SVC(kernel="linear", C=model.C_[0], tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-4)
    evaluations = model.evaluations_[0]
    best = evaluations["C"][evaluations["score"] == model.cv_score_[0]]
    assert model.C_[0] == best.min()
    assert model.cv_score_[0] == evaluations["score"].max()


def test_the_score_is_that_of_rows_left_out():
    """With labels drawn at random no C can do much better than guessing."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 40)), rng.integers(0, 2, 120)
    model = TunedLinearSVC(n_evaluations=6, random_state=0).fit(X, y)
    assert model.cv_score_[0] < 0.65
    assert model.score(X, y) > 0.7 or model.C_[0] < 1e-2


def test_balanced_scoring_is_balanced():
    rng = np.random.default_rng(0)
    y = (np.arange(200) < 20).astype(int)
    X = rng.standard_normal((200, 2)) + 1.2 * y[:, None]
    plain = TunedLinearSVC(n_evaluations=6, random_state=0).fit(X, y)
    balanced = TunedLinearSVC(
        n_evaluations=6, random_state=0, scoring="balanced_accuracy", class_weight="balanced"
    ).fit(X, y)
    assert plain.cv_score_[0] > 0.85
    assert balanced.cv_score_[0] < 0.85
    assert balanced.predict(X)[y == 1].mean() > plain.predict(X)[y == 1].mean()


def test_the_place_of_the_features_does_not_matter():
    X, y = overlapping()
    first, second = (
        TunedLinearSVC(n_evaluations=6, random_state=0).fit(Z, y) for Z in (X, X + 64.0)
    )
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-3, atol=1e-6)


def test_weights_equal_repeated_and_shuffled_rows_bit_for_bit():
    X, y = overlapping()
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = TunedLinearSVC(n_evaluations=6, random_state=0).fit(X, y, weights)
    repeated = TunedLinearSVC(n_evaluations=6, random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)


def test_classes_of_one_and_two_rows():
    X, y = overlapping(n_samples=30)
    y[:] = 0
    for size in (2, 1):
        y[:2] = [1, size - 1]
        model = TunedLinearSVC(n_evaluations=5, random_state=0, class_weight="balanced").fit(X, y)
        assert np.isfinite(model.coef_).all()
    with pytest.raises(ValueError, match="one each"):
        TunedLinearSVC().fit(X[:2], [0, 1])


def test_machines_that_are_left_unfinished_are_told(monkeypatch):
    monkeypatch.setattr(_boxed_hinge, "_MAX_MULTIPLIER_STEPS", 1)
    X, y = overlapping()
    with (
        pytest.warns(ConvergenceWarning, match="of 10 machines of the cross-validation"),
        pytest.warns(ConvergenceWarning, match="was left with a duality gap"),
    ):
        TunedLinearSVC(n_evaluations=2, random_state=0).fit(X, y)


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "bayes_opt", None)
    X, y = overlapping()
    with pytest.raises(ImportError, match=r"optimargin\[experiments\]"):
        TunedLinearSVC().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_evaluations": 0}, "n_evaluations == 0"),
        ({"n_folds": 1}, "n_folds == 1"),
        ({"scoring": "f1"}, "scoring must be one of"),
        ({"C_range": (1.0, 0.1)}, "smaller first"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    X, y = overlapping()
    with pytest.raises(ValueError, match=message):
        TunedLinearSVC(**parameters).fit(X, y)
