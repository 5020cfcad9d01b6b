"""The methods that the paper compares with, each a scikit-learn classifier of its own."""

from optimargin.baselines.discriminative_elastic_net import DiscriminativeElasticNetClassifier
from optimargin.baselines.exact_zero_one import ExactZeroOneClassifier
from optimargin.baselines.minimax_probability import MinimaxProbabilityClassifier
from optimargin.baselines.multiple_between_class_lda import MultipleBetweenClassLDA
from optimargin.baselines.smooth_zero_one import SmoothZeroOneClassifier
from optimargin.baselines.structural_minimax import StructuralMinimaxClassifier
from optimargin.baselines.twin_svc import TwinSVC
from optimargin.baselines.weighted_linear_twin_svc import WeightedLinearTwinSVC

__all__ = [
    "DiscriminativeElasticNetClassifier",
    "ExactZeroOneClassifier",
    "MinimaxProbabilityClassifier",
    "MultipleBetweenClassLDA",
    "SmoothZeroOneClassifier",
    "StructuralMinimaxClassifier",
    "TwinSVC",
    "WeightedLinearTwinSVC",
]
