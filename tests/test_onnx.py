"""Chosen coefficients make ties exact and every kind of label cheap; real fits come last."""

import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from optimargin import OptimalMarginClassifier
from optimargin.onnx import to_onnx
from optimargin.training import class_pairs


def with_coefficients(coef, classes, shape="ovr"):
    """A classifier fitted to nothing; the first column of ``coef`` holds the intercepts."""
    model = OptimalMarginClassifier(decision_function_shape=shape)
    model.classes_ = classes
    model.coef_ = coef[:, 1:]
    model.intercept_ = coef[:, 0]
    model.n_features_in_ = coef.shape[1] - 1
    return model


def run(model, X):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(["label", "scores"], {"X": X})


LABELS = [
    np.array([False, True]),
    np.array([3, -7]),
    np.array(["no", "ja"]),
    np.array(["plum", "äpfel", "梨"], dtype=object),
    np.arange(7),
    np.array([1.5, 2.5, 4.0, 8.0]),
]


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: f"{len(labels)} {labels.dtype}")
def test_same_labels_and_scores(labels, dtype, shape):
    rng = np.random.default_rng(len(labels))
    classes = np.unique(labels)
    coef = rng.normal(size=(len(class_pairs(len(classes))), 6))
    model = with_coefficients(coef, classes, shape)
    X = rng.normal(size=(500, 5)).astype(dtype)
    label, scores = run(to_onnx(model, dtype=dtype), X)
    expected = model.decision_function(X)
    assert scores.dtype == expected.dtype
    assert scores.shape == expected.shape
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(label, model.predict(X))
    assert label.dtype.kind == classes.dtype.kind or label.dtype == object
    assert len(np.unique(label)) == len(classes)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 6])
def test_ties_are_broken_alike(n_classes):
    """Small whole numbers: scores of exactly zero, and equal votes with equal confidences."""
    rng = np.random.default_rng(n_classes)
    coef = rng.integers(-1, 2, size=(len(class_pairs(n_classes)), 4)).astype(float)
    model = with_coefficients(coef, np.arange(n_classes))
    X = rng.integers(-2, 3, size=(2000, 3)).astype(float)
    label, scores = run(to_onnx(model), X)
    expected = model.decision_function(X)
    if n_classes == 2:
        assert (expected == 0).sum() > 100
    else:
        in_order = np.sort(expected, axis=1)
        assert (in_order[:, -1] == in_order[:, -2]).sum() > 20
    np.testing.assert_array_equal(scores, expected)
    np.testing.assert_array_equal(label, model.predict(X))


def test_confidences_that_do_not_add_up_exactly_are_added_in_the_same_order():
    rng = np.random.default_rng(0)
    pairs = class_pairs(12)
    # Only the intercepts differ from zero, so that both sides see the very same pair scores.
    coef = np.column_stack([rng.normal(size=len(pairs)), np.zeros(len(pairs))])
    model = with_coefficients(coef, np.arange(12))
    X = np.ones((3, 1))
    np.testing.assert_array_equal(run(to_onnx(model), X)[1], model.decision_function(X))


def test_single_precision_coefficients_stay_so():
    coef = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    model = with_coefficients(coef, np.arange(3))
    X = np.random.default_rng(1).normal(size=(200, 4)).astype(np.float32)
    label, scores = run(to_onnx(model, dtype=np.float32), X)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_samples(n_classes):
    coef = np.ones((len(class_pairs(n_classes)), 3))
    model = with_coefficients(coef, np.arange(n_classes))
    label, scores = run(to_onnx(model), np.empty((0, 2)))
    assert label.shape == (0,)
    assert scores.shape == ((0,) if n_classes == 2 else (0, n_classes))


def test_not_fitted():
    with pytest.raises(NotFittedError):
        to_onnx(OptimalMarginClassifier())


def test_other_estimators():
    with pytest.raises(TypeError, match=r"not Pipeline\. Of a pipeline convert the last step"):
        to_onnx(make_pipeline(OptimalMarginClassifier()))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([b"a", b"b"]),
        np.array([1, "a"], dtype=object),
        np.array([1, 2**63], dtype=np.uint64),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_labels_that_onnx_does_not_know(classes):
    model = with_coefficients(np.ones((1, 3)), classes)
    with pytest.raises(ValueError, match="labels that are strings, booleans or numbers"):
        to_onnx(model)


def test_types_of_input_that_do_not_exist():
    model = with_coefficients(np.ones((1, 3)), np.arange(2))
    with pytest.raises(ValueError, match=r"dtype must be numpy.float64 or numpy.float32, not int8"):
        to_onnx(model, dtype=np.int8)


def test_without_onnx_the_error_names_the_extra():
    code = """
import sys
sys.modules["onnx"] = None
from optimargin.onnx import to_onnx
try:
    to_onnx(None)
except ImportError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert "pip install 'optimargin[onnx]'" in result.stdout


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scaling", ["standardize", "whiten", None])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_real_fits(load, scaling, dtype):
    X, y = load(return_X_y=True)
    X, names = X.astype(dtype), np.array(["first", "second", "third"])[y]
    model = OptimalMarginClassifier(scaling=scaling, random_state=0).fit(X, names)
    label, scores = run(to_onnx(model, dtype=dtype), X)
    expected = model.decision_function(X)
    assert scores.dtype == expected.dtype
    tolerance = 1e-12 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(scores, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(label, model.predict(X))
