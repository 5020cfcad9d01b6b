"""Sparse containers, and weights of samples and classes."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

SPARSE = [
    scipy.sparse.csr_matrix,
    scipy.sparse.csc_matrix,
    scipy.sparse.csr_array,
    scipy.sparse.csc_array,
]


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(300, 30)).astype(float)
    y = (X[:, 0] + X[:, 1] - X[:, 2] + 0.3 * rng.normal(size=300) > 0.4).astype(int)
    return X, y


class TestSparse:
    @pytest.mark.parametrize("container", SPARSE)
    @pytest.mark.parametrize("scaling", ["standardize", None])
    def test_every_container_gives_the_same_good_model(self, counts, container, scaling, quick):
        X, y = counts
        model = quick(scaling=scaling).fit(container(X), y)
        reference = quick(scaling=scaling).fit(scipy.sparse.csr_array(X), y)
        np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-6, atol=1e-9)
        assert balanced_accuracy_score(y, model.predict(container(X))) > 0.9

    @pytest.mark.parametrize("container", SPARSE)
    def test_sparse_and_dense_rows_are_scored_alike(self, counts, container, quick):
        X, y = counts
        model = quick().fit(container(X), y)
        np.testing.assert_allclose(
            model.decision_function(container(X)), model.decision_function(X), atol=1e-12
        )

    # the memetic search walks in whitened coordinates, which sparse data do not have
    @pytest.mark.parametrize("optimizer", ["coordinate", "cma_es", "particle_swarm"])
    def test_without_scaling_the_model_is_that_of_the_dense_rows(self, counts, optimizer, quick):
        X, y = counts
        settings = {"scaling": None, "start": "random", "optimizer": optimizer}
        sparse = quick(**settings).fit(scipy.sparse.csr_array(X), y)
        dense = quick(**settings).fit(X, y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)

    def test_more_classes(self, counts, quick):
        X, y = counts
        y = y + (X[:, 3] > 1)
        model = quick().fit(scipy.sparse.csr_array(X), y)
        assert model.score(scipy.sparse.csc_array(X), y) > 0.7

    def test_whitening_is_refused_with_a_sentence(self, counts, quick):
        X, y = counts
        with pytest.raises(ValueError, match="sparse"):
            quick(scaling="whiten").fit(scipy.sparse.csr_array(X), y)

    def test_weights(self, counts, quick):
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
        self, cancer, class_weight, optimizer, quick
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

    def test_costs_of_classes_are_weights_of_their_samples(self, cancer, quick):
        X, y = cancer
        X = StandardScaler().fit_transform(X)  # weights of samples would shift the scaling too
        same = {"scaling": None, "start": "random"}
        by_class = quick(class_weight={0: 5.0, 1: 1.0}, **same).fit(X, y)
        weights = np.where(y == 0, 5.0, 1.0)
        by_sample = quick(class_weight=None, **same).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(by_class.score_, by_sample.score_)
        np.testing.assert_array_equal(by_class.predict(X), by_sample.predict(X))

    def test_a_class_left_out_by_weights_is_no_class(self, iris, quick):
        X, y = iris
        with pytest.raises(ValueError, match="class"):
            quick().fit(X[y < 2], y[y < 2], sample_weight=(y[y < 2] == 0).astype(float))
