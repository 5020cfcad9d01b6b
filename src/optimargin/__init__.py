"""Linear classification by direct optimisation of the balanced 0-1 loss."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimargin.classifier import OptimalMarginClassifier
    from optimargin.threshold import ThresholdFit, optimal_margin_threshold

__version__ = "0.1.0"

__all__ = ["OptimalMarginClassifier", "ThresholdFit", "optimal_margin_threshold"]

# Looked up on first use (PEP 562): the command line must answer `--help` without loading numpy.
_DEFINED_IN = {
    "OptimalMarginClassifier": "optimargin.classifier",
    "ThresholdFit": "optimargin.threshold",
    "optimal_margin_threshold": "optimargin.threshold",
}


def __getattr__(name: str) -> Any:
    try:
        module = _DEFINED_IN[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
