"""Figures in scikit-learn's convention: ``SomeDisplay.from_estimator(fitted, ...)``.

They need matplotlib (``pip install "optimargin[plots]"``), which is imported only when a figure is
drawn, and the documented attributes of a fitted estimator, nothing else.
"""

from optimargin.plots.convergence import ConvergenceDisplay
from optimargin.plots.projection import ProjectionDisplay
from optimargin.plots.separator import SeparatorDisplay
from optimargin.plots.weights import WeightsDisplay

__all__ = ["ConvergenceDisplay", "ProjectionDisplay", "SeparatorDisplay", "WeightsDisplay"]
