"""The measures are scikit-learn's."""

import warnings

import numpy as np
import pytest
from sklearn import metrics

from optimargin.experiments.measures import measure


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn(n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, 60)
    predicted = np.where(rng.random(60) < 0.6, y, rng.integers(0, n_classes, 60))
    scores = np.round(rng.standard_normal(60) + y, 1)  # With ties.
    found = measure(y, predicted, n_classes, scores)
    assert found.balanced == pytest.approx(metrics.balanced_accuracy_score(y, predicted))
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, predicted))
    assert found.f1 == pytest.approx(metrics.f1_score(y, predicted, average="macro"))
    one_vs_rest = [
        metrics.balanced_accuracy_score(y == k, predicted == k) for k in range(n_classes)
    ]
    assert found.one_vs_rest == pytest.approx(np.mean(one_vs_rest))
    if n_classes == 2:
        assert found.auc == pytest.approx(metrics.roc_auc_score(y, scores))
        assert found.one_vs_rest == pytest.approx(found.balanced)
    else:
        assert np.isnan(found.auc)


def test_a_class_without_samples_does_not_count():
    y = np.array([0, 0, 1, 1])
    predicted = np.array([0, 2, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = metrics.balanced_accuracy_score(y, predicted)
        f1 = metrics.f1_score(y, predicted, average="macro")
    found = measure(y, predicted, 4)
    assert found.balanced == pytest.approx(expected)
    assert found.f1 == pytest.approx(f1)


def test_one_class_and_strange_scores():
    ones = np.ones(3, dtype=int)
    found = measure(ones, ones, 2, np.zeros(3))
    assert found.balanced == found.accuracy == 1.0
    assert np.isnan(found.auc)
    assert np.isnan(measure(np.array([0, 1]), np.array([0, 1]), 2, np.array([0, np.nan])).auc)
