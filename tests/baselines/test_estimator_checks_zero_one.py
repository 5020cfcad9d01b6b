"""scikit-learn's own checks of the methods that minimise the 0-1 loss or bound it."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from optimargin.baselines import ExactZeroOneClassifier, SmoothZeroOneClassifier

ESTIMATORS = [
    ExactZeroOneClassifier(time_limit=5),
    SmoothZeroOneClassifier(),
    SmoothZeroOneClassifier(class_weight="balanced", final_sweep="exact"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
