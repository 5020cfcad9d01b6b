"""The common look of the figures: colours, markers, axes, and the only import of matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, with a dark wine red after its first two colours: the first three differ
# clearly in lightness too, and stay apart in grey print. Their yellow cannot be seen on white.
COLOURS = ("#0072B2", "#E69F00", "#882255", "#009E73", "#56B4E9", "#CC79A7", "#5F5F5F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.")
INK = "#262626"
FAINT = "#8C8C8C"
BAND = "#DCDCDC"

PANELS_IN_A_ROW = 3


def pyplot(display: type) -> Any:
    """Matplotlib's pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            f"{display.__name__} draws with matplotlib, which is not installed. "
            "Install it with: pip install 'optimargin[plots]'"
        ) from error
    return matplotlib.pyplot


def colour(index: int) -> str:
    """The colour of the class or the curve of this number."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """A marker that, together with the colour of the same index, repeats late."""
    return MARKERS[(index + index // len(COLOURS)) % len(MARKERS)]


def dashes(index: int) -> str:
    """A line style that, together with the colour of the same index, repeats late."""
    return DASHES[(index + index // len(COLOURS)) % len(DASHES)]


def panels(
    display: type,
    ax: Axes | Sequence[Axes] | None,
    count: int,
    *,
    width: float = 5.6,
    height: float = 3.6,
) -> list[Axes]:
    """The axes of ``count`` panels: the ones given, or those of a new figure."""
    plt = pyplot(display)
    if ax is not None:
        given = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(given) != count:
            raise ValueError(
                f"{display.__name__} draws {count} panels here but was given {len(given)} axes; "
                f"pass ax=None, a sequence of {count} axes, or choose fewer pairs."
            )
        return given
    rows = math.ceil(count / PANELS_IN_A_ROW)
    columns = math.ceil(count / rows)
    shrink = 1.0 if count == 1 else 0.8
    figure, axes = plt.subplots(
        rows,
        columns,
        squeeze=False,
        figsize=(width * columns * shrink, height * rows * shrink),
        layout="constrained",
    )
    flat = list(axes.ravel())
    for unused in flat[count:]:
        figure.delaxes(unused)
    return flat[:count]


def dress(ax: Axes, *, grid: str | None = None) -> None:
    """Quiet axes: no box, light grid lines behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK)
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(axis=grid, color="#E4E4E4", linewidth=0.8)  # type: ignore[arg-type]


def pair_colours(pair: tuple[int, int], n_classes: int) -> tuple[str, str]:
    """The colours of two classes: their own, while there are enough for all classes."""
    first, second = pair if n_classes <= len(COLOURS) else (0, 1)
    return colour(first), colour(second)


def translucent(colour: str) -> tuple[str, float]:
    """The colour as a filling through which another one can be seen."""
    return (colour, 0.45)


def with_count(label: object, count: int) -> str:
    """A class and how many samples it has, for a legend."""
    return f"{label} (n = {count:,})"
