"""What users say in parameters and data, put into the terms of the search."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_random_state

from optimargin.scaling import Scaling
from optimargin.starts import START_NAMES
from optimargin.training import class_pairs


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The root of all seeds of a fit."""
    if isinstance(random_state, Integral):  # a RandomState takes a while to make
        return np.random.SeedSequence(int(random_state))
    entropy = check_random_state(random_state).randint(2**31 - 1, size=4)
    return np.random.SeedSequence([int(number) for number in entropy])


def compact(X: Any) -> Any:
    """Sparse data with one entry a place, and short indices where they suffice."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == np.int64 and max(X.nnz, *X.shape) < 2**31:
        X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


def class_costs(class_weight: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """The cost of misclassifying a sample of each class; None balances the classes."""
    if isinstance(class_weight, str):
        return None
    costs = np.ones(classes.size)
    if not isinstance(class_weight, Mapping):
        return costs
    known = {label: index for index, label in enumerate(classes.tolist())}
    named: Mapping[Any, Any] = class_weight
    for label, cost in named.items():
        if label not in known:
            raise ValueError(
                f"class_weight names the class {label!r}, which is not in y; the classes "
                f"are {', '.join(repr(known_label) for known_label in known)}."
            )
        if not isinstance(cost, Real) or not 0 <= float(cost) < np.inf:
            raise ValueError(
                f"class_weight[{label!r}] is {cost!r}; a cost is a finite number, at least 0."
            )
        costs[known[label]] = cost
    if not costs.any():
        raise ValueError("class_weight gives every class the cost 0; one must cost more.")
    return costs


def given_starts(
    start: Any, scaling: Scaling, n_classes: int
) -> tuple[tuple[str, ...], list[NDArray[np.float64] | None]]:
    """Names of starts, or directions in scaled coordinates for each pair."""
    n_pairs = len(class_pairs(n_classes))
    if isinstance(start, str):
        return (start,), [None] * n_pairs
    if isinstance(start, list | tuple) and all(isinstance(name, str) for name in start):
        unknown = [name for name in start if name not in START_NAMES]
        if unknown or not start:
            raise ValueError(
                f"start={start!r} must name at least one of {', '.join(START_NAMES)}, and "
                "nothing else."
            )
        return tuple(start), [None] * n_pairs
    estimator_coef = getattr(start, "coef_", None)
    if hasattr(start, "fit") and estimator_coef is None:
        raise ValueError(f"start={start!r} has no coef_; fit it first, and use a linear estimator.")
    coef = np.asarray(start if estimator_coef is None else estimator_coef, dtype=np.float64)
    coef = np.atleast_2d(coef)
    if coef.ndim != 2 or coef.shape[1] != scaling.n_features or not np.isfinite(coef).all():
        raise ValueError(
            f"start holds weights of shape {coef.shape}; it must hold finite numbers with "
            f"{scaling.n_features} columns, one a feature."
        )
    # who decides by pairs (this library's classifier, SVC) says so in a parameter; three classes
    # have as many pairs as classes
    by_pairs = hasattr(start, "decision_function_shape")
    if estimator_coef is not None and not by_pairs and coef.shape[0] == n_classes > 2:
        # one against the rest: the difference of two classes separates them
        coef = np.array([coef[j] - coef[i] for i, j in class_pairs(n_classes)])
    directions = scaling.scale_directions(coef)
    # a direction without any weight in the varying columns says nothing
    directions[~directions.any(axis=1)] = 1.0
    if n_pairs > 1 and directions.shape[0] == n_pairs:
        return (), [direction[None, :] for direction in directions]
    return (), [directions] * n_pairs
