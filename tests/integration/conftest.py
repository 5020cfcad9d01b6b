"""What the tests of the classifier among other libraries share."""

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from optimargin import OptimalMarginClassifier


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # A short search says so when it ends.
    short = pytest.mark.filterwarnings("ignore:The training score was still rising")
    for item in items:
        if "quick" in getattr(item, "fixturenames", ()):
            item.add_marker(short)


@pytest.fixture(scope="session")
def quick() -> Callable[..., OptimalMarginClassifier]:
    """Enough of a search to be a good classifier, with the same result every time."""

    def build(**parameters: Any) -> OptimalMarginClassifier:
        return OptimalMarginClassifier(**{"max_generations": 20, "random_state": 0} | parameters)

    return build


@pytest.fixture(scope="session")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2, :8], y[::2]


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)
