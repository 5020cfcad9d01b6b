"""Experiments: compare methods on your data, and the paper's tables and figures again."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimargin.experiments.comparison import Comparison, compare
    from optimargin.experiments.store import Store, StoreError

__all__ = ["Comparison", "Store", "StoreError", "compare"]

_HOME = {
    "compare": "optimargin.experiments.comparison",
    "Comparison": "optimargin.experiments.comparison",
    "Store": "optimargin.experiments.store",
    "StoreError": "optimargin.experiments.store",
}


def __getattr__(name: str) -> Any:
    # Worker processes import this package too, and need little of it: what is asked for comes then.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)
