"""The methods that the paper compares with, each a scikit-learn classifier of its own."""

from optimargin.baselines.minimax_probability import MinimaxProbabilityClassifier
from optimargin.baselines.weighted_linear_twin_svc import WeightedLinearTwinSVC

__all__ = [
    "MinimaxProbabilityClassifier",
    "WeightedLinearTwinSVC",
]
