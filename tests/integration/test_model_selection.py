"""The classifier inside searches, calibration and pipelines, and the weights that reach it."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler


class TestModelSelection:
    def test_grid_search(self, cancer, quick):
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

    def test_combinations_that_do_not_exist_fail_alone(self, cancer, quick):
        X, y = cancer
        grid = {"l1": [0.0, 0.05], "scaling": ["whiten"]}
        with pytest.warns() as caught:
            search = GridSearchCV(quick(), grid, cv=3).fit(X, y)
        assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
        assert any("l1 > 0 asks for few features" in str(one.message) for one in caught)

    def test_parameters_reach_through_a_pipeline(self, cancer, quick):
        X, y = cancer
        model = make_pipeline(PolynomialFeatures(2), quick())
        model.set_params(optimalmarginclassifier__l1=0.1)
        model.fit(X, y)
        assert model[-1].l1 == 0.1
        assert model.score(X, y) > 0.85

    def test_cross_validated_scores_are_those_of_the_fits(self, cancer, quick):
        X, y = cancer
        scores = cross_val_predict(quick(), X, y, method="decision_function", cv=4)
        labels = cross_val_predict(quick(), X, y, cv=4)
        np.testing.assert_array_equal(scores > 0, labels == 1)
        assert cross_val_score(quick(), X, y, cv=4).mean() == pytest.approx(
            (labels == y).mean(), abs=0.02
        )

    @pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
    def test_calibration(self, iris, method, quick):
        X, y = iris
        for n_classes in (2, 3):
            rows = y < n_classes
            model = CalibratedClassifierCV(quick(), method=method, cv=3)
            model.fit(X[rows], y[rows], sample_weight=np.linspace(0.5, 1.5, rows.sum()))
            probabilities = model.predict_proba(X[rows])
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            assert (probabilities.argmax(axis=1) == y[rows]).mean() > 0.9

    def test_tuned_threshold(self, cancer, quick):
        X, y = cancer
        model = TunedThresholdClassifierCV(quick(), scoring="f1", cv=3).fit(X, y)
        assert model.score(X, y) > 0.85

    def test_feature_selection_by_weights(self, cancer, quick):
        X, y = cancer
        scaled = StandardScaler().fit_transform(X)
        chosen = SelectFromModel(quick(l1=0.1), max_features=3, threshold=-np.inf)
        assert chosen.fit_transform(scaled, y).shape == (len(X), 3)
        ranking = RFE(quick(), n_features_to_select=2, step=3).fit(scaled, y).ranking_
        assert (ranking == 1).sum() == 2

    def test_importance_by_permutation(self, cancer, quick):
        X, y = cancer
        noise = np.random.default_rng(0).normal(size=(len(X), 1))
        informative = np.hstack([X[:, :1], noise])
        model = quick().fit(informative, y)
        found = permutation_importance(model, informative, y, n_repeats=3, random_state=0)
        assert found.importances_mean[0] > found.importances_mean[1]


class TestMetadataRouting:
    @pytest.fixture(autouse=True)
    def routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            yield

    @pytest.fixture
    def weights(self, cancer, quick):
        return np.random.default_rng(0).uniform(0.0, 3.0, size=len(cancer[1]))

    def test_weights_reach_the_fit_through_a_pipeline(self, cancer, weights, quick):
        X, y = cancer
        scaled = StandardScaler().fit_transform(X)
        direct = quick().fit(scaled, y, sample_weight=weights)
        model = make_pipeline(StandardScaler(), quick().set_fit_request(sample_weight=True))
        model[0].set_fit_request(sample_weight=False)
        model.fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(model[-1].coef_, direct.coef_)
        assert (direct.coef_ != quick().fit(scaled, y).coef_).any()

    def test_a_request_refused_withholds_them(self, cancer, weights, quick):
        X, y = cancer
        model = quick().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"l1": [0.0]}, cv=3).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(search.best_estimator_.coef_, quick().fit(X, y).coef_)

    def test_no_request_is_an_error(self, cancer, weights, quick):
        X, y = cancer
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            GridSearchCV(quick(), {"l1": [0.0]}, cv=3).fit(X, y, sample_weight=weights)
