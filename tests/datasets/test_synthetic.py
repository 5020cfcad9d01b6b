"""Made data have the moments and the overlap that they claim."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from optimargin.datasets import make_large, make_two_classes


def test_means_and_covariances_are_the_papers_maps():
    X, y = make_two_classes(100_000, 100_000, n_outliers=0, random_state=0)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [3, 6], atol=0.05)
    np.testing.assert_allclose(X[y == 0].mean(axis=0), [-9, -3], atol=0.05)
    np.testing.assert_allclose(np.cov(X[y == 1].T), [[3, 3.464], [3.464, 7]], atol=0.1)
    np.testing.assert_allclose(np.cov(X[y == 0].T), [[8.5, -7.5], [-7.5, 8.5]], atol=0.1)


def test_outliers_and_overlap():
    X, y = make_two_classes(10, 20, n_outliers=50_000, overlapping=True, random_state=0)
    assert y.tolist().count(0) == 10
    np.testing.assert_allclose(X[10:30].mean(axis=0), [-3, -6], atol=2)
    np.testing.assert_allclose(X[30:].mean(axis=0), [50, 50], atol=0.5)
    np.testing.assert_allclose(np.cov(X[30:].T), [[300, 346.4], [346.4, 700]], rtol=0.05)


@pytest.mark.parametrize(("n", "share"), [(3, 0.5), (40, 0.2)])
def test_large_set_has_the_stated_overlap(n, share):
    X, y = make_large(60_000, n, 0, best_accuracy=0.85, positive_share=share)
    assert y.mean() == pytest.approx(share)
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    found = [np.mean(model.predict(X[y == label]) == label) for label in (0, 1)]
    assert np.mean(found) == pytest.approx(0.85, abs=0.01)


def test_same_seed_same_data_and_bad_accuracy_refused():
    np.testing.assert_array_equal(make_large(50, 4, 7)[0], make_large(50, 4, 7)[0])
    with pytest.raises(ValueError, match=r"between 0\.5 and 1"):
        make_large(10, 2, best_accuracy=0.4)
