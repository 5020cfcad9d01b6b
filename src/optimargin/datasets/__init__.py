"""The nineteen benchmark sets of the paper, made data, and ways to add noise."""

from optimargin.datasets.loading import Dataset, DatasetNotFoundError, load
from optimargin.datasets.noise import Append, Flip, NoNoise, Replace, make_noise
from optimargin.datasets.registry import (
    BINARY_NAMES,
    DESCRIPTIONS,
    MULTICLASS_NAMES,
    Description,
    describe,
)
from optimargin.datasets.synthetic import make_large, make_two_classes

__all__ = [
    "BINARY_NAMES",
    "DESCRIPTIONS",
    "MULTICLASS_NAMES",
    "Append",
    "Dataset",
    "DatasetNotFoundError",
    "Description",
    "Flip",
    "NoNoise",
    "Replace",
    "describe",
    "load",
    "make_large",
    "make_noise",
    "make_two_classes",
]
