"""scikit-learn's own checks of the methods that minimise the 0-1 loss, bound it or cut exactly."""

import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from optimargin.baselines import (
    CoordinateZeroOneClassifier,
    ExactZeroOneClassifier,
    RampSVC,
    SmoothZeroOneClassifier,
    ThresholdRefitClassifier,
    TunedLinearSVC,
    ZeroOneADMMClassifier,
)

ESTIMATORS = [
    CoordinateZeroOneClassifier(n_restarts=2),
    CoordinateZeroOneClassifier(class_weight=None),
    ExactZeroOneClassifier(time_limit=5),
    RampSVC(),
    RampSVC(class_weight="balanced", s=0.0),
    SmoothZeroOneClassifier(),
    SmoothZeroOneClassifier(class_weight="balanced", final_sweep="exact"),
    ThresholdRefitClassifier(),
    ThresholdRefitClassifier(RidgeClassifier()),
    TunedLinearSVC(n_evaluations=6),
    ZeroOneADMMClassifier(),
    ZeroOneADMMClassifier(class_weight="balanced"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
