"""The methods that the paper compares with, each a scikit-learn classifier of its own."""

from optimargin.baselines.exact_zero_one import ExactZeroOneClassifier

__all__ = [
    "ExactZeroOneClassifier",
]
