"""Made data: the paper's two normal classes with outliers or overlap, and large sets."""

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[np.float64], NDArray[np.int64]]

# The paper prints these as covariances, but they are not symmetric: they are linear maps, a
# rotation after a scaling of the axes. A class is mean + z T with z standard normal rows.
_MAP_POSITIVE = np.diag([1.0, 3.0]) @ np.array(
    [[np.cos(np.pi / 6), -np.sin(np.pi / 6)], [np.sin(np.pi / 6), np.cos(np.pi / 6)]]
)
_MAP_NEGATIVE = np.diag([4.0, 1.0]) @ (np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2.0))
_MAP_OUTLIERS = 10.0 * _MAP_POSITIVE

#: Means of the paper's example, of its imbalance test (class +1 only) and of its outliers.
MEAN_POSITIVE = (3.0, 6.0)
MEAN_NEGATIVE = (-9.0, -3.0)
MEAN_POSITIVE_OVERLAPPING = (-3.0, -6.0)
MEAN_OUTLIERS = (50.0, 50.0)


def make_two_classes(
    n_negative: int = 300,
    n_positive: int = 300,
    *,
    n_outliers: int = 0,
    outlier_label: int = 1,
    overlapping: bool = False,
    random_state: Any = None,
) -> Arrays:
    """The paper's two normal classes in the plane, labels 0 and 1.

    ``n_outliers`` further samples come from far away, on the side of class 1 (the paper's outlier
    example, which labels them 1);
    ``overlapping`` moves the mean of class 1 to (-3, -6) (the paper's imbalance test). The paper
    does not print the numbers of samples; these defaults are ours.

    Examples
    --------
    >>> from optimargin.datasets import make_two_classes
    >>> X, y = make_two_classes(50, 40, n_outliers=5, random_state=0)
    >>> X.shape, int(y.sum())
    ((95, 2), 45)
    """
    rng = np.random.default_rng(random_state)
    mean_positive = MEAN_POSITIVE_OVERLAPPING if overlapping else MEAN_POSITIVE
    parts = [
        (n_negative, MEAN_NEGATIVE, _MAP_NEGATIVE),
        (n_positive, mean_positive, _MAP_POSITIVE),
        (n_outliers, MEAN_OUTLIERS, _MAP_OUTLIERS),
    ]
    X = np.vstack(
        [np.asarray(mean) + rng.standard_normal((count, 2)) @ map_ for count, mean, map_ in parts]
    )
    y = np.repeat([0, 1, outlier_label], [n_negative, n_positive, n_outliers]).astype(np.int64)
    return X, y


def make_large(
    m: int,
    n: int,
    random_state: Any = None,
    *,
    best_accuracy: float = 0.8,
    positive_share: float = 0.5,
) -> Arrays:
    """Two equal normal classes with correlated features, for timing at any size.

    The classes share one covariance and their means are placed so that the best possible linear
    rule has the balanced accuracy ``best_accuracy``: that is the overlap, whatever m and n.

    Examples
    --------
    >>> from optimargin.datasets import make_large
    >>> X, y = make_large(1000, 5, random_state=0)
    >>> X.shape, int(y.sum())
    ((1000, 5), 500)
    """
    if not 0.5 < best_accuracy < 1.0:
        raise ValueError(f"best_accuracy must lie between 0.5 and 1, got {best_accuracy}.")
    rng = np.random.default_rng(random_state)
    n_positive = round(m * positive_share)
    y = np.zeros(m, dtype=np.int64)
    y[rng.permutation(m)[:n_positive]] = 1
    direction = rng.standard_normal(n)
    direction /= np.linalg.norm(direction)
    # Half the distance of the means, in standard deviations along the direction between them.
    half = NormalDist().inv_cdf(best_accuracy)
    X = rng.standard_normal((m, n))
    X += np.outer(half * (2.0 * y - 1.0), direction)
    # A cheap mixing of neighbouring features: correlated, yet one pass for any n, and invertible,
    # so that the best accuracy stays what it was.
    X[:, 1:] += 0.5 * X[:, :-1].copy()
    return X, y
