"""The registry of methods, and methods of the user."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optimargin.experiments.appearance import look
from optimargin.experiments.methods import (
    DEFAULT_METHODS,
    METHODS,
    Method,
    MethodUnavailableError,
    find_methods,
    method_from_estimator,
)


# A budget of iterations that ends is a warning, and no matter here.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_method_fits_and_predicts(name, n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    X = rng.standard_normal((60, 2)) + 3 * np.column_stack([y == 0, y == 1])
    estimator = METHODS[name].build(5, n_classes)
    predicted = estimator.fit(X, y).predict(X)
    assert set(predicted) <= set(range(n_classes))
    assert np.mean(predicted == y) > 0.6


def test_specified_names_are_there():
    specified = """oec-cmaes oec-es oec-pso omc sla wsv smp del mba svm svm-tuned tsv mpm lr
    lr-elastic-net lr-balanced lda svm-balanced lr-threshold svm-threshold lr-free-threshold
    lr-tuned-threshold"""
    assert set(specified.split()) <= set(METHODS)
    assert set(DEFAULT_METHODS) <= set(METHODS)


def test_no_two_methods_look_the_same():
    looks = [(look(name).colour, look(name).marker) for name in METHODS]
    assert len(set(looks)) == len(looks)
    assert look("mine") == look("mine")


def test_find_by_names_text_and_mapping():
    assert [m.name for m in find_methods("lr, lda")] == ["lr", "lda"]
    own = find_methods({"mine": LogisticRegression(C=3), "lr": "lr"})
    assert [m.name for m in own] == ["mine", "lr"]
    assert own[0].build(0, 2).C == 3
    with pytest.raises(ValueError, match=r"no method 'svn'.*svm"):
        find_methods(["svn"])
    with pytest.raises(ValueError, match="belongs to a method of this library"):
        find_methods({"lda": LinearDiscriminantAnalysis()})
    with pytest.raises(ValueError, match="at least one"):
        find_methods([])
    with pytest.raises(TypeError, match="must be an estimator"):
        find_methods({"mine": LogisticRegression})


def test_settings_make_the_identity():
    first = method_from_estimator("mine", LogisticRegression(C=1.0))
    assert first.identity == method_from_estimator("mine", LogisticRegression()).identity
    assert first.identity != method_from_estimator("mine", LogisticRegression(C=2.0)).identity
    seeded = method_from_estimator("mine", LogisticRegression(random_state=3, n_jobs=2))
    assert first.identity == seeded.identity  # The protocol seeds; processes change nothing.
    assert len({method.identity for method in METHODS.values()}) == len(METHODS)


def test_calls_read_like_code():
    assert METHODS["omc"].call == "OptimalMarginClassifier()"
    nested = "ThresholdRefitClassifier(estimator=LogisticRegression(max_iter=2000))"
    assert METHODS["lr-threshold"].call == nested
    assert METHODS["lda"].call.endswith("priors='equal priors')")


def test_seeds_reach_nested_estimators():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(solver="saga"))
    built = method_from_estimator("mine", pipeline).build(17, 2)
    assert built[-1].random_state == 17
    assert pipeline[-1].random_state is None


def test_priors_follow_the_number_of_classes():
    assert METHODS["lda"].build(0, 4).priors == [0.25] * 4


def test_missing_class_is_told():
    method = Method("gone", "", "optimargin:NoSuchClassifier")
    with pytest.raises(MethodUnavailableError, match="NoSuchClassifier cannot be imported"):
        method.build(0, 2)
