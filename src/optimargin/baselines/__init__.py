"""The methods that the paper compares with, each a scikit-learn classifier of its own."""

from optimargin.baselines.coordinate_zero_one import CoordinateZeroOneClassifier
from optimargin.baselines.discriminative_elastic_net import DiscriminativeElasticNetClassifier
from optimargin.baselines.exact_zero_one import ExactZeroOneClassifier
from optimargin.baselines.minimax_probability import MinimaxProbabilityClassifier
from optimargin.baselines.multiple_between_class_lda import MultipleBetweenClassLDA
from optimargin.baselines.ramp_svc import RampSVC
from optimargin.baselines.smooth_zero_one import SmoothZeroOneClassifier
from optimargin.baselines.structural_minimax import StructuralMinimaxClassifier
from optimargin.baselines.threshold_refit import ThresholdRefitClassifier
from optimargin.baselines.tuned_linear_svc import TunedLinearSVC
from optimargin.baselines.twin_svc import TwinSVC
from optimargin.baselines.weighted_linear_twin_svc import WeightedLinearTwinSVC
from optimargin.baselines.zero_one_admm import ZeroOneADMMClassifier

__all__ = [
    "CoordinateZeroOneClassifier",
    "DiscriminativeElasticNetClassifier",
    "ExactZeroOneClassifier",
    "MinimaxProbabilityClassifier",
    "MultipleBetweenClassLDA",
    "RampSVC",
    "SmoothZeroOneClassifier",
    "StructuralMinimaxClassifier",
    "ThresholdRefitClassifier",
    "TunedLinearSVC",
    "TwinSVC",
    "WeightedLinearTwinSVC",
    "ZeroOneADMMClassifier",
]
