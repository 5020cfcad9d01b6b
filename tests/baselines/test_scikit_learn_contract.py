"""scikit-learn's own checks, and what every baseline must bear."""

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from optimargin import baselines
from optimargin.baselines import (
    CoordinateZeroOneClassifier,
    DiscriminativeElasticNetClassifier,
    ExactZeroOneClassifier,
    MinimaxProbabilityClassifier,
    MultipleBetweenClassLDA,
    RampSVC,
    SmoothZeroOneClassifier,
    StructuralMinimaxClassifier,
    ThresholdRefitClassifier,
    TunedLinearSVC,
    TwinSVC,
    WeightedLinearTwinSVC,
    ZeroOneADMMClassifier,
)

ESTIMATORS = [
    CoordinateZeroOneClassifier(n_restarts=2, random_state=0),
    CoordinateZeroOneClassifier(class_weight=None, n_restarts=2, random_state=0),
    DiscriminativeElasticNetClassifier(),
    DiscriminativeElasticNetClassifier(fit_intercept=False),
    DiscriminativeElasticNetClassifier(multi_class="native"),
    DiscriminativeElasticNetClassifier(solver="admm"),
    DiscriminativeElasticNetClassifier(solver="admm", multi_class="native"),
    ExactZeroOneClassifier(time_limit=5),
    MinimaxProbabilityClassifier(),
    MultipleBetweenClassLDA(),
    MultipleBetweenClassLDA(penalty="ridge"),
    MultipleBetweenClassLDA(penalty="shrinkage"),
    MultipleBetweenClassLDA(multi_class="native"),
    RampSVC(),
    RampSVC(class_weight="balanced", s=0.0),
    SmoothZeroOneClassifier(),
    SmoothZeroOneClassifier(class_weight="balanced", final_sweep="exact"),
    StructuralMinimaxClassifier(),
    StructuralMinimaxClassifier(n_components=2),
    ThresholdRefitClassifier(),
    ThresholdRefitClassifier(RidgeClassifier()),
    TunedLinearSVC(n_evaluations=6, random_state=0),
    TwinSVC(),
    WeightedLinearTwinSVC(),
    WeightedLinearTwinSVC(scaling="demo"),
    WeightedLinearTwinSVC(balanced=True),
    ZeroOneADMMClassifier(),
    ZeroOneADMMClassifier(class_weight="balanced"),
]

# Iterations that end early say so; on the tiny random sets below that is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
# Cross-validation needs a class with two different rows; its own tests show what it says.
without_validation = pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if not isinstance(e, TunedLinearSVC)], ids=repr
)
# What is drawn from the first class and what from the second are different numbers.
deterministic = pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if not isinstance(e, CoordinateZeroOneClassifier)], ids=repr
)


@pytest.fixture
def blobs():
    X, y = make_classification(
        n_samples=120,
        n_features=6,
        n_informative=4,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=0,
    )
    return X, y


def test_no_baseline_is_left_out():
    assert {type(estimator).__name__ for estimator in ESTIMATORS} == set(baselines.__all__)


# None of scikit-learn's checks is expected to fail.
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@every_estimator
def test_refuses_one_class_with_a_sentence(estimator):
    with pytest.raises(ValueError, match="two classes; y holds one class only, a"):
        clone(estimator).fit([[0.0], [1.0]], ["a", "a"])


@every_estimator
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 1.0], "one number a row"),
        ([1.0, np.nan, 1.0, 1.0], "NaN"),
        ([1.0, -1.0, 1.0, 1.0], "negative"),
        ([0.0, 0.0, 0.0, 0.0], "zero"),
        ([1.0, 1.0, 0.0, 0.0], "one class only"),
    ],
)
def test_refuses_weights_with_a_sentence(estimator, weights, message):
    X, y = np.array([[0.0], [0.5], [1.0], [1.5]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=weights)


@every_estimator
def test_two_fits_are_the_same(estimator, blobs):
    X, y = blobs
    first = clone(estimator).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(first, clone(estimator).fit(X, y).decision_function(X))


@every_estimator
def test_weights_do_what_repetition_does(estimator, blobs, rng):
    X, y = blobs
    weights = rng.integers(0, 4, size=len(y))
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-6, atol=1e-6
    )


@every_estimator
def test_does_not_write_to_its_input(estimator, blobs):
    X, y = blobs
    before, weights = X.copy(), np.linspace(0.5, 2.0, len(y))
    clone(estimator).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(weights, np.linspace(0.5, 2.0, len(y)))


@every_estimator
def test_constant_and_repeated_columns(estimator, blobs):
    X, y = blobs
    odd = np.column_stack([X, np.full(len(y), 3.0), X[:, 0], X[:, 1] - X[:, 2]])
    model = clone(estimator).fit(odd, y)
    assert np.isfinite(model.decision_function(odd)).all()
    assert model.score(odd, y) > 0.8


@every_estimator
def test_more_features_than_rows(estimator, rng):
    X = rng.normal(size=(14, 60))
    y = np.repeat([0, 1], 7)
    X[y == 1] += 0.7
    model = clone(estimator).fit(X, y)
    if isinstance(estimator, CoordinateZeroOneClassifier):
        # A local search from two random directions need not find the separators there are.
        assert model.score(X, y) >= 0.85
    else:
        assert model.score(X, y) == 1.0


@every_estimator
def test_a_class_of_one_row(estimator, rng):
    X = np.vstack([rng.normal(size=(30, 3)), [[6.0, 6.0, 6.0]]])
    y = np.array(["many"] * 30 + ["one"])
    model = clone(estimator).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    if not isinstance(estimator, TunedLinearSVC):
        # Which cannot validate a class of one row: every C is as good as another.
        assert model.predict([[7.0, 7.0, 7.0]]) == "one"


@every_estimator
def test_a_class_of_two_rows(estimator, rng):
    X = np.vstack([rng.normal(size=(30, 3)), [[6.0, 6.0, 6.0], [7.0, 6.0, 8.0]]])
    y = np.array(["many"] * 30 + ["two"] * 2)
    model = clone(estimator).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict([[7.0, 7.0, 7.0]]) == "two"


@without_validation
def test_two_rows_in_all(estimator):
    model = clone(estimator).fit([[0.0, 0.0], [2.0, 2.0]], [5, 7])
    assert list(model.predict([[-1.0, -0.5], [2.5, 3.0]])) == [5, 7]


@without_validation
def test_rows_that_are_all_the_same(estimator):
    model = clone(estimator).fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert np.isfinite(model.decision_function(np.ones((2, 2)))).all()


@every_estimator
def test_features_far_from_standardised_are_handled_or_refused_with_a_sentence(estimator, blobs):
    X, y = blobs
    for odd in (1e8 * np.column_stack([X, X]), X + 1e8, X * np.logspace(10, -10, 6)):
        scores, refusal = np.zeros(1), ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LinAlgWarning)
                scores = clone(estimator).fit(odd, y).decision_function(odd)
        except ValueError as error:
            refusal = str(error)
        assert np.isfinite(scores).all()
        assert not refusal or "Standardise X first" in refusal


@every_estimator
def test_same_rows_with_different_labels(estimator, blobs):
    X, y = blobs
    model = clone(estimator).fit(np.vstack([X, X[:20]]), np.concatenate([y, 1 - y[:20]]))
    if getattr(estimator, "n_components", None) == 2:
        # Two components are forced upon each class: the wrong labels are one of them, and the
        # hyperplane must heed it as much as the other.
        assert np.isfinite(model.decision_function(X)).all()
    else:
        assert model.score(X, y) > 0.8


@every_estimator
def test_unbalanced_classes(estimator, rng):
    X = np.vstack([rng.normal(size=(500, 4)), rng.normal(size=(10, 4)) + 6.0])
    y = np.repeat([0, 1], [500, 10])
    model = clone(estimator).fit(X, y)
    if repr(estimator) == "DiscriminativeElasticNetClassifier(fit_intercept=False)":
        # Its threshold is the mean of the rows, so the large class is cut in two.
        assert 0.3 < (model.predict(X[:500]) == 0).mean() < 0.9
    else:
        assert (model.predict(X) == y).mean() > 0.98


@every_estimator
def test_many_classes_with_strings(estimator, rng):
    centres = 6.0 * np.eye(4)
    y = np.repeat(["north", "east", "south", "west"], 25)
    X = np.repeat(centres, 25, axis=0) + rng.normal(size=(100, 4))
    model = clone(estimator).fit(X, y)
    assert list(model.classes_) == ["east", "north", "south", "west"]
    assert model.decision_function(X).shape == (100, 4)
    assert model.score(X, y) > 0.97


@deterministic
def test_swapping_the_labels_swaps_the_scores(estimator, blobs):
    X, y = blobs
    scores = clone(estimator).fit(X, y).decision_function(X)
    swapped = clone(estimator).fit(X, 1 - y).decision_function(X)
    np.testing.assert_allclose(scores, -swapped, rtol=1e-6, atol=1e-7)
