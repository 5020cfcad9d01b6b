"""Linear classification by direct optimisation of the balanced 0-1 loss."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimargin.classifier import OptimalMarginClassifier
    from optimargin.threshold import ThresholdFit, optimal_margin_threshold

__version__ = "0.1.0"
__all__ = ["OptimalMarginClassifier", "ThresholdFit", "optimal_margin_threshold"]

_HOMES = {
    "OptimalMarginClassifier": "optimargin.classifier",
    "ThresholdFit": "optimargin.threshold",
    "optimal_margin_threshold": "optimargin.threshold",
}


def __getattr__(name: str) -> Any:
    # loaded when first used, so that the command line can say --help without scikit-learn
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
