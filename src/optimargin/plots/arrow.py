"""An arrow from a line to the side where a function rises, placed where it hides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from optimargin.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LENGTH = 42  # points
ENOUGH_ROOM = 0.15  # of the panel, around the foot of the arrow


def draw_arrow(
    ax: Axes,
    label: object,
    separator: NDArray[np.floating],
    samples: NDArray[np.floating],
    horizontal: NDArray[np.floating],
    vertical: NDArray[np.floating],
    response: NDArray[np.floating],
) -> None:
    """From the separator to its positive side, with the name of the class there at its head.

    ``separator`` holds points of the line where ``response``, given on the grid, is zero.
    """
    from matplotlib.patheffects import withStroke

    foot = _clear_place(ax, separator, samples)
    ax.annotate(
        str(label),
        xy=(float(foot[0]), float(foot[1])),
        xytext=(0, 0),
        textcoords=_Uphill(ax, foot, _slope_at(foot, horizontal, vertical, response)),
        ha="center",
        va="center",
        fontsize=10,
        fontweight="bold",
        color=style.INK,
        arrowprops={"arrowstyle": "<|-", "color": style.INK, "linewidth": 1.4, "shrinkB": 0},
        path_effects=[withStroke(linewidth=3, foreground="white")],
        zorder=5,
    )


class _Uphill:
    """Where the arrow ends, found whenever the figure is drawn.

    On the page an arrow across a line is at right angles to it whatever the scales of the two axes
    are, also after the window was resized.
    """

    def __init__(self, ax: Axes, foot: NDArray[np.floating], gradient: tuple[float, float]) -> None:
        self.ax, self.foot, self.gradient = ax, foot, gradient

    def __call__(self, renderer: Any) -> Any:
        from matplotlib.transforms import Affine2D

        start = self.ax.transData.transform(self.foot)
        pixels_per_unit = [
            self.ax.transData.transform(self.foot + step)[axis] - start[axis]
            for axis, step in enumerate(np.eye(2))
        ]
        direction = np.asarray(self.gradient) / pixels_per_unit
        length = LENGTH * renderer.points_to_pixels(1.0)
        end = start + length * direction / np.linalg.norm(direction)
        return Affine2D().translate(*end)


def _clear_place(
    ax: Axes, separator: NDArray[np.floating], samples: NDArray[np.floating]
) -> NDArray[np.floating]:
    """The point of the separator where an arrow hides no samples, near the middle if it can.

    Distances are in parts of the panel.
    """
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    points, occupied = (separator - low) / (high - low), (samples - low) / (high - low)
    inside = ((points > 0.12) & (points < 0.88)).all(axis=1)
    if inside.any():
        separator, points = separator[inside], points[inside]
    clearance = np.minimum(KDTree(occupied).query(points)[0], ENOUGH_ROOM)
    roomy = clearance >= clearance.max()
    nearest = np.linalg.norm(points[roomy] - 0.5, axis=1).argmin()
    place: NDArray[np.floating] = separator[roomy][nearest]
    return place


def _slope_at(
    point: NDArray[np.floating],
    horizontal: NDArray[np.floating],
    vertical: NDArray[np.floating],
    response: NDArray[np.floating],
) -> tuple[float, float]:
    row = int(np.abs(vertical - point[1]).argmin())
    column = int(np.abs(horizontal - point[0]).argmin())
    upwards, rightwards = np.gradient(response, vertical, horizontal)
    return float(rightwards[row, column]), float(upwards[row, column])
