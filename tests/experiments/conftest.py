"""Small problems and plans for the engine's tests."""

import sys
from pathlib import Path

import numpy as np
import pytest

SUPPORT = Path(__file__).parent / "support"
sys.path.insert(0, str(SUPPORT))


@pytest.fixture(scope="session")
def support():
    return SUPPORT


@pytest.fixture
def small_problem():
    from optimargin.experiments.sources import Problem

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 40])
    return Problem(rng.standard_normal((100, 2)) + y[:, None], y, ("no", "yes"))


@pytest.fixture
def plan(small_problem):
    """A function (methods, splits, noises) -> cells, sources."""
    from optimargin.datasets import NoNoise
    from optimargin.experiments.cells import Cell
    from optimargin.experiments.methods import method_from_estimator
    from optimargin.experiments.sources import Given
    from optimargin.experiments.splits import Stratified

    def make(estimators, splits=2, noises=None):
        methods = [method_from_estimator(name, one) for name, one in estimators.items()]
        cells = [
            Cell("small", small_problem.fingerprint, noise, method, Stratified(), split)
            for noise in noises or (NoNoise(),)
            for split in range(splits)
            for method in methods
        ]
        return cells, {"small": Given("small", small_problem)}

    return make
