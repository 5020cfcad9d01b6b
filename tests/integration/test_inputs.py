"""Frames, labels of any kind, copies, and how arrays lie in memory."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError


class TestFrames:
    NAMES = ("sepal_length", "sepal_width", "petal_length", "petal_width")

    @pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def frame(self, request, iris, quick):
        return request.param(dict(zip(self.NAMES, iris[0].T, strict=True)))

    def test_names_are_kept_and_the_model_is_that_of_the_array(self, frame, iris, quick):
        X, y = iris
        from_frame = quick().fit(frame, y)
        assert tuple(from_frame.feature_names_in_) == self.NAMES
        from_array = quick().fit(X, y)
        assert not hasattr(from_array, "feature_names_in_")
        np.testing.assert_array_equal(from_frame.coef_, from_array.coef_)
        np.testing.assert_allclose(
            from_frame.decision_function(frame), from_array.decision_function(X), atol=1e-12
        )

    def test_names_are_checked(self, frame, iris, quick):
        model = quick().fit(frame, iris[1])
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame[list(reversed(self.NAMES))])
        with pytest.raises(ValueError, match="feature names should match"):
            model.decision_function(frame[list(self.NAMES[:3])])
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict(iris[0])

    def test_series_of_labels(self, iris, quick):
        X, y = iris
        expected = quick().fit(X, y).predict(X)
        for series in (pd.Series(y, index=np.arange(len(y))[::-1]), pl.Series(y)):
            np.testing.assert_array_equal(quick().fit(X, series).predict(X), expected)

    def test_weights_as_a_series(self, iris, quick):
        X, y = iris
        weights = np.linspace(0.5, 2, len(y))
        expected = quick().fit(X, y, sample_weight=weights).coef_
        given = quick().fit(X, y, sample_weight=pd.Series(weights, index=range(5, 5 + len(y))))
        np.testing.assert_array_equal(given.coef_, expected)


class TestLabels:
    @pytest.mark.parametrize(
        "names",
        [
            np.array([False, True]),
            np.array(["benign", "malignant"]),
            np.array(["benign", "malignant"], dtype=object),
            np.array([-1, 1]),
            np.array([10, 200], dtype=np.uint8),
            np.array([1.0, 2.0]),
        ],
        ids=lambda names: f"{names.dtype}",
    )
    def test_two_classes_of_any_kind(self, cancer, names, quick):
        X, y = cancer
        reference = quick().fit(X, y)
        model = quick().fit(X, names[y])
        np.testing.assert_array_equal(model.classes_, names)
        np.testing.assert_array_equal(model.coef_, reference.coef_)
        predicted = model.predict(X)
        assert predicted.dtype == names.dtype
        np.testing.assert_array_equal(predicted, names[reference.predict(X)])

    def test_categories_of_pandas(self, cancer, quick):
        X, y = cancer
        labels = pd.Series(pd.Categorical.from_codes(y, ["good", "bad"]))
        model = quick().fit(X, labels)
        assert model.classes_.tolist() == ["bad", "good"]
        assert set(model.predict(X)) == {"bad", "good"}

    def test_more_classes(self, iris, quick):
        X, y = iris
        names = np.array(["setosa", "versicolor", "virginica"])
        model = quick().fit(X, names[y])
        assert (model.predict(X) == names[y]).mean() > 0.95
        assert model.coef_.shape == (3, 4)
        scores = model.decision_function(X)
        np.testing.assert_array_equal(model.predict(X), names[scores.argmax(axis=1)])

    def test_a_column_of_labels_is_flattened_with_a_warning(self, cancer, quick):
        X, y = cancer
        with pytest.warns(DataConversionWarning, match="column-vector y"):
            model = quick().fit(X, y.reshape(-1, 1))
        assert model.predict(X).shape == (len(X),)

    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (np.linspace(0, 1, 20), "continuous"),
            (np.zeros(20), "class"),
            (np.column_stack([np.arange(20) % 2] * 2), "multioutput|multilabel|1d|shape"),
            (np.array([0, 1] * 9 + [0, np.nan]), "NaN"),
        ],
        ids=["continuous", "one class", "two columns", "missing"],
    )
    def test_what_cannot_be_learned_is_refused(self, labels, message, quick):
        X = np.random.default_rng(0).normal(size=(20, 3))
        with pytest.raises(ValueError, match=message):
            quick().fit(X, labels)


class TestCopies:
    def test_pickle_joblib_and_deepcopy_predict_alike(self, iris, tmp_path, quick):
        X, y = iris
        model = quick().fit(X, y)
        joblib.dump(model, tmp_path / "model")
        for again in (
            pickle.loads(pickle.dumps(model)),
            joblib.load(tmp_path / "model"),
            copy.deepcopy(model),
        ):
            np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
            assert again.get_params() == model.get_params()

    def test_a_clone_is_unfitted_and_fits_the_same(self, iris, quick):
        X, y = iris
        model = quick(l1=0.01, scaling=None, class_weight=None).fit(X, y)
        again = clone(model)
        assert again.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            again.predict(X)
        np.testing.assert_array_equal(again.fit(X, y).coef_, model.coef_)

    def test_fitting_again_forgets(self, cancer, iris, quick):
        model = quick().fit(*iris)
        model.fit(*cancer)
        np.testing.assert_array_equal(model.coef_, quick().fit(*cancer).coef_)
        assert model.coef_.shape == (1, 8)
        assert len(model.history_) == len(model.margin_) == 1

    def test_fit_leaves_its_input_alone(self, cancer, quick):
        X, y = (part.copy() for part in cancer)
        weights = np.linspace(0, 1, len(y))
        before = X.copy(), y.copy(), weights.copy()
        for part in (X, y, weights):
            part.setflags(write=False)
        quick().fit(X, y, sample_weight=weights)
        for part, old in zip((X, y, weights), before, strict=True):
            np.testing.assert_array_equal(part, old)


class TestMemory:
    def test_layout_of_the_array_does_not_matter(self, cancer, quick):
        X, y = cancer
        expected = quick().fit(X, y).decision_function(X)
        wide = np.zeros((len(X), 16))
        wide[:, ::2] = X
        for same in (np.asfortranarray(X), wide[:, ::2], np.repeat(X, 2, axis=0)[::2]):
            np.testing.assert_allclose(quick().fit(same, y).decision_function(same), expected)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_single_precision_stays_so(self, iris, n_classes, quick):
        X, y = iris
        X, y = X[y < n_classes].astype(np.float32), y[y < n_classes]
        model = quick().fit(X, y)
        assert model.decision_function(X).dtype == np.float32
        double = quick().fit(X.astype(np.float64), y)
        assert double.decision_function(X.astype(np.float64)).dtype == np.float64
        assert abs(model.score(X, y) - double.score(X, y)) < 0.03

    def test_whole_numbers(self, iris, quick):
        X, y = iris
        whole = np.round(10 * X).astype(np.int64)
        np.testing.assert_array_equal(
            quick().fit(whole, y).predict(whole), quick().fit(whole / 1.0, y).predict(whole / 1.0)
        )
