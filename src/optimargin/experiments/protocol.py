"""How a cell is computed: split, noise, scaling, fit, predictions, measures."""

import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.experiments.cells import Cell, Outcome
from optimargin.experiments.measures import Measures, measure
from optimargin.experiments.methods import Method, MethodUnavailableError
from optimargin.experiments.sources import Problem

Features = NDArray[np.float64]
Codes = NDArray[np.int64]

# A fit has one thread, so its processor time is what it would take on a machine that does nothing
# else; where that clock is coarse (Windows), the wall clock has to do.
_clock = (
    time.process_time
    if time.get_clock_info("process_time").resolution < 1e-4
    else time.perf_counter
)


def compute(problem: Problem, cell: Cell, started: Callable[[], None] | None = None) -> Outcome:
    """Compute one cell; an error of the method is a result, not an exception.

    ``started`` is called when the data are ready, just before the method is built and fitted.
    """
    rng = np.random.default_rng(cell.split_seed)
    train, test = cell.rule.rows(problem.y, problem.groups, rng)
    X_train, y_train = cell.noise.apply(problem.X[train], problem.y[train], cell.noise_seed)
    X_train, X_test = standardise(X_train, problem.X[test])
    y_test = problem.y[test]
    sizes: dict[str, Any] = {
        "n_train": y_train.size,
        "n_test": y_test.size,
        "positive_class": problem.classes[-1] if len(problem.classes) == 2 else "",
    }
    if started is not None:
        started()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator = cell.method.build(cell.method_seed, len(problem.classes))
            begin = _clock()
            estimator.fit(X_train, y_train)
            fitted = _clock()
            on_train = _judge(estimator, X_train, y_train, len(problem.classes))
            begin_predict = _clock()
            estimator.predict(X_test)
            predicted = _clock()
            on_test = _judge(estimator, X_test, y_test, len(problem.classes))
            extra = _kept(cell.method, estimator)
    except MethodUnavailableError as error:
        return Outcome("unavailable", str(error), **sizes)
    except Exception as error:
        return Outcome("failed", f"{type(error).__name__}: {error}", **sizes)
    return Outcome(
        "ok",
        _warning_text(caught),
        **sizes,
        train=on_train,
        test=on_test,
        fit_seconds=fitted - begin,
        predict_seconds=predicted - begin_predict,
        stop_reason=_stop_reason(estimator),
        extra=extra,
    )


def standardise(X_train: Features, X_test: Features) -> tuple[Features, Features]:
    """Zero mean and unit variance of the training part; constant features become zero there."""
    mean = X_train.mean(axis=0)
    deviation = X_train.std(axis=0)
    # A constant column's deviation is rounding noise of its size, or zero.
    constant = deviation <= 10 * np.finfo(float).eps * np.abs(mean)
    deviation[constant] = 1.0
    return (X_train - mean) / deviation, (X_test - mean) / deviation


def warm_up(method: Method, n_classes: int) -> None:
    """Fit once on a few made rows, so that imports and compilation are not timed."""
    rng = np.random.default_rng(0)
    classes = min(n_classes, 3)
    y = np.arange(30 * classes) % classes
    X = rng.standard_normal((y.size, 3)) + y[:, None]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator = method.build(0, classes)
            estimator.fit(X, y)
            _judge(estimator, X, y, classes)
    except Exception:
        # The cell itself will tell what is wrong.
        return


def _judge(estimator: Any, X: Features, y: Codes, n_classes: int) -> Measures:
    scores = None
    if n_classes == 2:
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X), dtype=float).reshape(-1)
        elif hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.predict_proba(X), dtype=float)[:, 1]
        if scores is not None and scores.size != y.size:
            scores = None
    predicted = np.asarray(estimator.predict(X)).astype(np.int64)
    return measure(y, predicted, n_classes, scores)


def _stop_reason(estimator: Any) -> str:
    reasons = getattr(estimator, "stop_reason_", None)
    if reasons is None:
        return ""
    counted = Counter([reasons] if isinstance(reasons, str) else [str(r) for r in reasons])
    if len(counted) == 1 and sum(counted.values()) == 1:
        return next(iter(counted))
    return ", ".join(f"{reason} ({count})" for reason, count in counted.most_common())


def _warning_text(caught: list[warnings.WarningMessage]) -> str:
    counted = Counter(f"{entry.category.__name__}: {entry.message}" for entry in caught)
    return "; ".join(f"{text.splitlines()[0]} ({count}x)" for text, count in counted.most_common(3))


def _kept(method: Method, estimator: Any) -> dict[str, Any]:
    """What figures need beside the measures, in plain numbers."""
    kept: dict[str, Any] = {}
    if "history" in method.keep and len(getattr(estimator, "history_", [])) == 1:
        scores = np.asarray(estimator.history_[0]["score"], dtype=float)
        kept["score_by_generation"] = np.round(scores, 5).tolist()
    if "weights" in method.keep:
        kept["weights"], kept["intercept"] = separator(estimator)
    return kept


def separator(estimator: Any) -> tuple[list[float], float]:
    """Weights and intercept of a two-class estimator whose decision function is linear."""
    n = estimator.n_features_in_
    # Asking the decision function at the origin and the unit vectors works for every linear
    # method, whatever it calls its coefficients.
    values = np.asarray(estimator.decision_function(np.vstack([np.zeros(n), np.eye(n)])), float)
    weights = values[1:] - values[0]
    return weights.tolist(), float(values[0])
