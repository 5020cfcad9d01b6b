"""The classifier among the rest of scientific Python: frames, labels, pipelines, ensembles."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, make_circles, make_moons
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from optimargin import OptimalMarginClassifier

# Twenty generations are a short search, and say so when they end.
pytestmark = pytest.mark.filterwarnings("ignore:The training score was still rising")


def quick(**parameters):
    """Enough of a search to be a good classifier, with the same result every time."""
    return OptimalMarginClassifier(**{"max_generations": 20, "random_state": 0} | parameters)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2, :8], y[::2]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


class TestFrames:
    NAMES = ("sepal_length", "sepal_width", "petal_length", "petal_width")

    @pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def frame(self, request, iris):
        return request.param(dict(zip(self.NAMES, iris[0].T, strict=True)))

    def test_names_are_kept_and_the_model_is_that_of_the_array(self, frame, iris):
        X, y = iris
        from_frame = quick().fit(frame, y)
        assert tuple(from_frame.feature_names_in_) == self.NAMES
        from_array = quick().fit(X, y)
        assert not hasattr(from_array, "feature_names_in_")
        np.testing.assert_array_equal(from_frame.coef_, from_array.coef_)
        np.testing.assert_allclose(
            from_frame.decision_function(frame), from_array.decision_function(X), atol=1e-12
        )

    def test_names_are_checked(self, frame, iris):
        model = quick().fit(frame, iris[1])
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame[list(reversed(self.NAMES))])
        with pytest.raises(ValueError, match="feature names should match"):
            model.decision_function(frame[list(self.NAMES[:3])])
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict(iris[0])

    def test_series_of_labels(self, iris):
        X, y = iris
        expected = quick().fit(X, y).predict(X)
        for series in (pd.Series(y, index=np.arange(len(y))[::-1]), pl.Series(y)):
            np.testing.assert_array_equal(quick().fit(X, series).predict(X), expected)

    def test_weights_as_a_series(self, iris):
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
    def test_two_classes_of_any_kind(self, cancer, names):
        X, y = cancer
        reference = quick().fit(X, y)
        model = quick().fit(X, names[y])
        np.testing.assert_array_equal(model.classes_, names)
        np.testing.assert_array_equal(model.coef_, reference.coef_)
        predicted = model.predict(X)
        assert predicted.dtype == names.dtype
        np.testing.assert_array_equal(predicted, names[reference.predict(X)])

    def test_categories_of_pandas(self, cancer):
        X, y = cancer
        labels = pd.Series(pd.Categorical.from_codes(y, ["good", "bad"]))
        model = quick().fit(X, labels)
        assert model.classes_.tolist() == ["bad", "good"]
        assert set(model.predict(X)) == {"bad", "good"}

    def test_more_classes(self, iris):
        X, y = iris
        names = np.array(["setosa", "versicolor", "virginica"])
        model = quick().fit(X, names[y])
        assert (model.predict(X) == names[y]).mean() > 0.95
        assert model.coef_.shape == (3, 4)
        scores = model.decision_function(X)
        np.testing.assert_array_equal(model.predict(X), names[scores.argmax(axis=1)])

    def test_a_column_of_labels_is_flattened_with_a_warning(self, cancer):
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
    def test_what_cannot_be_learned_is_refused(self, labels, message):
        X = np.random.default_rng(0).normal(size=(20, 3))
        with pytest.raises(ValueError, match=message):
            quick().fit(X, labels)


class TestCopies:
    def test_pickle_joblib_and_deepcopy_predict_alike(self, iris, tmp_path):
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

    def test_a_clone_is_unfitted_and_fits_the_same(self, iris):
        X, y = iris
        model = quick(l1=0.01, scaling=None, class_weight=None).fit(X, y)
        again = clone(model)
        assert again.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            again.predict(X)
        np.testing.assert_array_equal(again.fit(X, y).coef_, model.coef_)

    def test_fitting_again_forgets(self, cancer, iris):
        model = quick().fit(*iris)
        model.fit(*cancer)
        np.testing.assert_array_equal(model.coef_, quick().fit(*cancer).coef_)
        assert model.coef_.shape == (1, 8)
        assert len(model.history_) == len(model.margin_) == 1

    def test_fit_leaves_its_input_alone(self, cancer):
        X, y = (part.copy() for part in cancer)
        weights = np.linspace(0, 1, len(y))
        before = X.copy(), y.copy(), weights.copy()
        for part in (X, y, weights):
            part.setflags(write=False)
        quick().fit(X, y, sample_weight=weights)
        for part, old in zip((X, y, weights), before, strict=True):
            np.testing.assert_array_equal(part, old)


class TestMemory:
    def test_layout_of_the_array_does_not_matter(self, cancer):
        X, y = cancer
        expected = quick().fit(X, y).decision_function(X)
        wide = np.zeros((len(X), 16))
        wide[:, ::2] = X
        for same in (np.asfortranarray(X), wide[:, ::2], np.repeat(X, 2, axis=0)[::2]):
            np.testing.assert_allclose(quick().fit(same, y).decision_function(same), expected)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_single_precision_stays_so(self, iris, n_classes):
        X, y = iris
        X, y = X[y < n_classes].astype(np.float32), y[y < n_classes]
        model = quick().fit(X, y)
        assert model.decision_function(X).dtype == np.float32
        double = quick().fit(X.astype(np.float64), y)
        assert double.decision_function(X.astype(np.float64)).dtype == np.float64
        assert abs(model.score(X, y) - double.score(X, y)) < 0.03

    def test_whole_numbers(self, iris):
        X, y = iris
        whole = np.round(10 * X).astype(np.int64)
        np.testing.assert_array_equal(
            quick().fit(whole, y).predict(whole), quick().fit(whole / 1.0, y).predict(whole / 1.0)
        )


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(300, 30)).astype(float)
    y = (X[:, 0] + X[:, 1] - X[:, 2] + 0.3 * rng.normal(size=300) > 0.4).astype(int)
    return X, y


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.2, random_state=0)


SPARSE = [
    scipy.sparse.csr_matrix,
    scipy.sparse.csc_matrix,
    scipy.sparse.csr_array,
    scipy.sparse.csc_array,
]


class TestSparse:
    @pytest.mark.parametrize("container", SPARSE)
    @pytest.mark.parametrize("scaling", ["standardize", None])
    def test_every_container_gives_the_same_good_model(self, counts, container, scaling):
        X, y = counts
        model = quick(scaling=scaling).fit(container(X), y)
        reference = quick(scaling=scaling).fit(scipy.sparse.csr_array(X), y)
        np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-6, atol=1e-9)
        assert balanced_accuracy_score(y, model.predict(container(X))) > 0.9

    @pytest.mark.parametrize("container", SPARSE)
    def test_sparse_and_dense_rows_are_scored_alike(self, counts, container):
        X, y = counts
        model = quick().fit(container(X), y)
        np.testing.assert_allclose(
            model.decision_function(container(X)), model.decision_function(X), atol=1e-12
        )

    def test_without_scaling_the_model_is_that_of_the_dense_rows(self, counts):
        X, y = counts
        sparse = quick(scaling=None, start="random").fit(scipy.sparse.csr_array(X), y)
        dense = quick(scaling=None, start="random").fit(X, y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)

    def test_more_classes(self, counts):
        X, y = counts
        y = y + (X[:, 3] > 1)
        model = quick().fit(scipy.sparse.csr_array(X), y)
        assert model.score(scipy.sparse.csc_array(X), y) > 0.7

    def test_whitening_is_refused_with_a_sentence(self, counts):
        X, y = counts
        with pytest.raises(ValueError, match="sparse"):
            quick(scaling="whiten").fit(scipy.sparse.csr_array(X), y)

    def test_weights(self, counts):
        X, y = counts
        weights = np.random.default_rng(1).integers(0, 3, size=len(y))
        repeated = np.repeat(np.arange(len(y)), weights)
        weighted = quick().fit(scipy.sparse.csr_array(X), y, sample_weight=weights)
        written_out = quick().fit(scipy.sparse.csr_array(X[repeated]), y[repeated])
        np.testing.assert_array_equal(weighted.predict(X), written_out.predict(X))


class TestWeights:
    @pytest.mark.parametrize("class_weight", ["balanced", None, {0: 1.0, 1: 3.0}])
    @pytest.mark.parametrize("optimizer", ["cma_es", "evolution_strategy", "particle_swarm"])
    def test_weight_two_is_the_row_twice_and_weight_zero_no_row(
        self, cancer, class_weight, optimizer
    ):
        X, y = cancer
        weights = np.random.default_rng(0).integers(0, 4, size=len(y))
        repeated = np.repeat(np.arange(len(y)), weights)
        weighted = quick(class_weight=class_weight, optimizer=optimizer)
        weighted.fit(X, y, sample_weight=weights)
        written_out = quick(class_weight=class_weight, optimizer=optimizer)
        written_out.fit(X[repeated], y[repeated])
        np.testing.assert_allclose(
            weighted.decision_function(X), written_out.decision_function(X), rtol=1e-6, atol=1e-9
        )

    def test_costs_of_classes_are_weights_of_their_samples(self, cancer):
        X, y = cancer
        X = StandardScaler().fit_transform(X)  # weights of samples would shift the scaling too
        same = {"scaling": None, "start": "random"}
        by_class = quick(class_weight={0: 5.0, 1: 1.0}, **same).fit(X, y)
        weights = np.where(y == 0, 5.0, 1.0)
        by_sample = quick(class_weight=None, **same).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(by_class.score_, by_sample.score_)
        np.testing.assert_array_equal(by_class.predict(X), by_sample.predict(X))

    def test_a_class_left_out_by_weights_is_no_class(self, iris):
        X, y = iris
        with pytest.raises(ValueError, match="class"):
            quick().fit(X[y < 2], y[y < 2], sample_weight=(y[y < 2] == 0).astype(float))


class TestModelSelection:
    def test_grid_search(self, cancer):
        X, y = cancer
        search = GridSearchCV(
            quick(),
            [
                {"l1": [0.0, 0.05], "scaling": ["standardize", None]},
                {"optimizer": ["particle_swarm"], "scaling": ["whiten"]},
            ],
            scoring="balanced_accuracy",
            cv=3,
        ).fit(X, y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_score_ > 0.93
        assert balanced_accuracy_score(y, search.predict(X)) > 0.93

    def test_combinations_that_do_not_exist_fail_alone(self, cancer):
        X, y = cancer
        grid = {"l1": [0.0, 0.05], "scaling": ["whiten"]}
        with pytest.warns() as caught:
            search = GridSearchCV(quick(), grid, cv=3).fit(X, y)
        assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
        assert any("l1 > 0 asks for few features" in str(one.message) for one in caught)

    def test_parameters_reach_through_a_pipeline(self, cancer):
        X, y = cancer
        model = make_pipeline(PolynomialFeatures(2), quick())
        model.set_params(optimalmarginclassifier__l1=0.1)
        model.fit(X, y)
        assert model[-1].l1 == 0.1
        assert model.score(X, y) > 0.85

    def test_cross_validated_scores_are_those_of_the_fits(self, cancer):
        X, y = cancer
        scores = cross_val_predict(quick(), X, y, method="decision_function", cv=4)
        labels = cross_val_predict(quick(), X, y, cv=4)
        np.testing.assert_array_equal(scores > 0, labels == 1)
        assert cross_val_score(quick(), X, y, cv=4).mean() == pytest.approx(
            (labels == y).mean(), abs=0.02
        )

    @pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
    def test_calibration(self, iris, method):
        X, y = iris
        for n_classes in (2, 3):
            rows = y < n_classes
            model = CalibratedClassifierCV(quick(), method=method, cv=3)
            model.fit(X[rows], y[rows], sample_weight=np.linspace(0.5, 1.5, rows.sum()))
            probabilities = model.predict_proba(X[rows])
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            assert (probabilities.argmax(axis=1) == y[rows]).mean() > 0.9

    def test_tuned_threshold(self, cancer):
        X, y = cancer
        model = TunedThresholdClassifierCV(quick(), scoring="f1", cv=3).fit(X, y)
        assert model.score(X, y) > 0.85

    def test_feature_selection_by_weights(self, cancer):
        X, y = cancer
        scaled = StandardScaler().fit_transform(X)
        chosen = SelectFromModel(quick(l1=0.1), max_features=3, threshold=-np.inf)
        assert chosen.fit_transform(scaled, y).shape == (len(X), 3)
        ranking = RFE(quick(), n_features_to_select=2, step=3).fit(scaled, y).ranking_
        assert (ranking == 1).sum() == 2

    def test_importance_by_permutation(self, cancer):
        X, y = cancer
        noise = np.random.default_rng(0).normal(size=(len(X), 1))
        informative = np.hstack([X[:, :1], noise])
        model = quick().fit(informative, y)
        found = permutation_importance(model, informative, y, n_repeats=3, random_state=0)
        assert found.importances_mean[0] > found.importances_mean[1]


class TestEnsembles:
    def test_bagging(self, moons):
        X, y = moons
        model = BaggingClassifier(quick(), n_estimators=7, max_samples=0.5, random_state=0)
        model.fit(X, y)
        separators = np.array([part.coef_[0] / part.intercept_[0] for part in model.estimators_])
        assert len(np.unique(separators, axis=0)) == 7
        assert model.score(X, y) > 0.8
        weighted = clone(model).fit(X, y, sample_weight=np.where(y == 0, 1.0, 2.0))
        assert weighted.score(X, y) > 0.8

    def test_boosting_reweights_and_gains(self, moons):
        X, y = moons
        # Weights of misclassified samples grow: "balanced" would undo part of that.
        single = quick(class_weight=None).fit(X, y).score(X, y)
        model = AdaBoostClassifier(quick(class_weight=None), n_estimators=25, random_state=0)
        model.fit(X, y)
        assert len(model.estimators_) > 5
        assert model.score(X, y) > single + 0.02

    def test_boosting_of_three_classes(self, iris):
        X, y = iris
        model = AdaBoostClassifier(quick(max_generations=5), n_estimators=5, random_state=0)
        assert model.fit(X, y).score(X, y) > 0.9

    def test_a_kernel_map_bends_the_separator(self):
        X, y = make_circles(300, noise=0.08, factor=0.5, random_state=0)
        assert quick().fit(X, y).score(X, y) < 0.75
        model = make_pipeline(Nystroem(gamma=1.0, n_components=30, random_state=0), quick())
        assert model.fit(X, y).score(X, y) > 0.95

    def test_voting_and_stacking(self, cancer):
        X, y = cancer
        parts = [
            ("margin", quick()),
            ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
        ]
        assert VotingClassifier(parts).fit(X, y).score(X, y) > 0.9
        assert StackingClassifier(parts, cv=3).fit(X, y).score(X, y) > 0.9

    @pytest.mark.parametrize(
        ("wrapper", "least"), [(OneVsOneClassifier, 0.93), (OneVsRestClassifier, 0.6)]
    )
    def test_scikit_learn_may_split_the_classes(self, iris, wrapper, least):
        X, y = iris
        assert wrapper(quick()).fit(X, y).score(X, y) > least


class TestMetadataRouting:
    @pytest.fixture(autouse=True)
    def routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            yield

    @pytest.fixture
    def weights(self, cancer):
        return np.random.default_rng(0).uniform(0.0, 3.0, size=len(cancer[1]))

    def test_weights_reach_the_fit_through_a_pipeline(self, cancer, weights):
        X, y = cancer
        scaled = StandardScaler().fit_transform(X)
        direct = quick().fit(scaled, y, sample_weight=weights)
        model = make_pipeline(StandardScaler(), quick().set_fit_request(sample_weight=True))
        model[0].set_fit_request(sample_weight=False)
        model.fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(model[-1].coef_, direct.coef_)
        assert (direct.coef_ != quick().fit(scaled, y).coef_).any()

    def test_a_request_refused_withholds_them(self, cancer, weights):
        X, y = cancer
        model = quick().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"l1": [0.0]}, cv=3).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(search.best_estimator_.coef_, quick().fit(X, y).coef_)

    def test_no_request_is_an_error(self, cancer, weights):
        X, y = cancer
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            GridSearchCV(quick(), {"l1": [0.0]}, cv=3).fit(X, y, sample_weight=weights)
