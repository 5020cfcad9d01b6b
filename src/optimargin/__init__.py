"""Linear classification by direct optimisation of the balanced 0-1 loss."""

__version__ = "0.1.0"
