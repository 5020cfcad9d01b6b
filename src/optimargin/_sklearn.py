"""Everything that depends on the version of scikit-learn, in one place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import validate_data

_Method = TypeVar("_Method", bound=Callable[..., Any])

try:  # scikit-learn 1.9 and newer
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks

    HAS_CALLBACKS = True
except ImportError:
    HAS_CALLBACKS = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Older versions have no callbacks."""

    def _with_callbacks(method: Any) -> Any:
        return method


__all__ = [
    "HAS_CALLBACKS",
    "CallbackSupportMixin",
    "FitTasks",
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "fit_tasks",
    "validate_data",
    "with_callbacks",
]


def fit_context(method: _Method) -> _Method:
    """Check the parameters before a fit, as the estimator's constraints say."""
    decorated: _Method = _fit_context(prefer_skip_nested_validation=True)(method)
    return decorated


def with_callbacks(method: _Method) -> _Method:
    """Let callbacks tidy up however a fit ends."""
    decorated: _Method = _with_callbacks(method)
    return decorated


class FitTasks:
    """Tells scikit-learn's callbacks about the pairs of a fit and their generations."""

    def __init__(self, estimator: Any, context: Any, data: dict[str, Any]) -> None:
        self._estimator = estimator
        self._context = context
        self._data = data

    @contextmanager
    def pair(self, name: str) -> Iterator[Callable[[int], bool]]:
        """A subtask a pair; yields what to call after a generation, True when asked to stop."""
        pair_context = self._context.subcontext(task_name=name, max_subtasks=None)
        pair_context.call_on_fit_task_begin(estimator=self._estimator, **self._data)

        def on_generation(generation: int) -> bool:
            context = pair_context.subcontext(task_name="generation")
            context.call_on_fit_task_begin(estimator=self._estimator, **self._data)
            return bool(context.call_on_fit_task_end(estimator=self._estimator, **self._data))

        yield on_generation
        pair_context.call_on_fit_task_end(estimator=self._estimator, **self._data)


@contextmanager
def fit_tasks(
    estimator: Any, n_pairs: int, X: Any, y: Any, sample_weight: Any
) -> Iterator[FitTasks | None]:
    """The callbacks' view of a fit, or None where there are no callbacks to tell."""
    if not HAS_CALLBACKS:
        yield None
        return
    context = estimator._init_callback_context(max_subtasks=n_pairs)
    if not getattr(estimator, "_skl_callbacks", None):
        yield None
        return
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"X": X, "y": y, "metadata": metadata}
    context.call_on_fit_task_begin(estimator=estimator, **data)
    yield FitTasks(estimator, context, data)
    context.call_on_fit_task_end(estimator=estimator, **data)
