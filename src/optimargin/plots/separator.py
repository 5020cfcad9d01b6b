"""Samples of two features and what a classifier makes of the plane around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from optimargin.plots import fitted, style
from optimargin.plots.arrow import draw_arrow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PADDING = 0.06
REGION_STRENGTH = 0.22
BAND_OF_VOTES = 0.05, 0.95


class SeparatorDisplay:
    """Two-dimensional samples with the separator, its margin, its direction and its errors.

    Two classes: the line where the decision function is zero, the lines of the margin, and an
    arrow towards the side of the second class. For a mean of sampled separators the band in which
    these disagree takes the place of the margin. More classes: the region that is given to each.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
        The true labels.
    predicted : array of shape (n_samples,)
        The labels that the classifier gives.
    classes : array of shape (n_classes,)
        All labels, sorted.
    horizontal, vertical : arrays of shape (columns,) and (rows,)
        The coordinates of a grid over the plane.
    response : array of shape (rows, columns)
        On the grid, the decision function (two classes) or the predicted labels (more).
    margin : float, optional
        The value of the decision function on the border of the margin.
    votes : array of shape (rows, columns), optional
        On the grid, the share of sampled separators that vote for the second of two classes.
    feature_names : pair of str

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> from optimargin.plots import SeparatorDisplay
    >>> X, y = make_blobs(centers=2, random_state=0)
    >>> display = SeparatorDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'x1'
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        predicted: ArrayLike,
        *,
        classes: ArrayLike,
        horizontal: ArrayLike,
        vertical: ArrayLike,
        response: ArrayLike,
        margin: float | None = None,
        votes: ArrayLike | None = None,
        feature_names: tuple[str, str] = ("x1", "x2"),
    ) -> None:
        self.X = X
        self.y = y
        self.predicted = predicted
        self.classes = classes
        self.horizontal = horizontal
        self.vertical = vertical
        self.response = response
        self.margin = margin
        self.votes = votes
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        grid_resolution: int = 400,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a fitted classifier of two features.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
            With two classes it needs a decision function; a pipeline with a non-linear map shows
            its curved border. One with `separators_` (`separator="average"`) shows the band
            between the places where 5 % and where 95 % of these vote for the second class.
        X : array of shape (n_samples, 2)
        y : array of shape (n_samples,)
        grid_resolution : int, default=400
            Points along each side of the grid on which the classifier is asked.
        ax : matplotlib axes, optional
        """
        style.pyplot(cls)
        classifier = fitted.last_step(estimator)
        samples = check_array(X, dtype=float)
        if samples.shape[1] != 2:
            raise ValueError(
                f"SeparatorDisplay draws two features; X has {samples.shape[1]}. Fit on the two "
                "columns of interest, or see all of them through ProjectionDisplay."
            )
        sides = [_padded(column, grid_resolution) for column in samples.T]
        grid = np.column_stack([axis.ravel() for axis in np.meshgrid(*sides)])
        names = getattr(estimator, "feature_names_in_", None)
        asked = grid if names is None else _like(X, grid, names)
        two_classes = len(classifier.classes_) == 2
        answer = estimator.decision_function(asked) if two_classes else estimator.predict(asked)
        margins = fitted.margins(estimator) if two_classes else None
        drawn = fitted.sampled_separators(estimator) if two_classes else None
        votes = None
        if drawn is not None:
            votes = _votes(drawn[0], fitted.as_last_step_sees(estimator, asked))
            votes = votes.reshape(len(sides[1]), len(sides[0]))
        display = cls(
            samples,
            y,
            estimator.predict(X),
            classes=classifier.classes_,
            horizontal=sides[0],
            vertical=sides[1],
            response=np.asarray(answer).reshape(len(sides[1]), len(sides[0])),
            margin=None if margins is None else float(margins[0]),
            votes=votes,
            feature_names=("x1", "x2") if names is None else (str(names[0]), str(names[1])),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on new axes."""
        panel = style.panels(type(self), ax, 1, width=7.0, height=4.6)[0]
        classes = np.asarray(self.classes)
        horizontal, vertical = np.asarray(self.horizontal), np.asarray(self.vertical)
        response = np.asarray(self.response)
        style.dress(panel)
        panel.set_xlim(horizontal[0], horizontal[-1])
        panel.set_ylim(vertical[0], vertical[-1])
        panel.set_xlabel(self.feature_names[0])
        panel.set_ylabel(self.feature_names[1])
        self._draw_samples(panel, classes)
        if len(classes) == 2:
            margin = self.margin
            if self.votes is not None:
                margin = None  # of a mean it is only the distance of the nearest sample
                _draw_band(panel, horizontal, vertical, np.asarray(self.votes))
            separator = _draw_line(panel, horizontal, vertical, response, margin)
            if len(separator):
                draw_arrow(
                    panel, classes[1], separator, np.asarray(self.X), horizontal, vertical, response
                )
        else:
            _draw_regions(
                panel, horizontal, vertical, fitted.class_indices(response.ravel(), classes)
            )
        panel.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        self.ax_ = panel
        self.figure_ = panel.figure  # type: ignore[assignment]
        return self

    def _draw_samples(self, ax: Axes, classes: NDArray[Any]) -> None:
        samples = np.asarray(self.X)
        labels = fitted.class_indices(self.y, classes)
        wrong = labels != fitted.class_indices(self.predicted, classes)
        counts = np.bincount(labels, minlength=len(classes))
        places = np.empty(len(classes), dtype=int)
        places[np.argsort(-counts, kind="stable")] = np.arange(len(classes))
        for index, label in enumerate(classes):
            own = labels == index
            size = float(np.clip(6000 / max(counts[index], 1), 7, 34))
            ax.scatter(
                samples[own, 0],
                samples[own, 1],
                s=size,
                marker=style.marker(index),
                color=style.colour(index),
                edgecolors="white",
                linewidths=size / 70,
                label=style.with_count(label, int(counts[index])),
                zorder=3 + 0.01 * places[index],  # small classes above large ones
            )
        if wrong.any():
            crowding = min(1.0, 10 / np.sqrt(wrong.sum()))
            ax.scatter(
                samples[wrong, 0],
                samples[wrong, 1],
                s=20 + 68 * crowding**2,
                facecolors="none",
                edgecolors=style.INK,
                linewidths=1.1 * crowding,
                label=f"misclassified (n = {int(wrong.sum()):,})",
                zorder=4,
            )


def _padded(values: NDArray[np.floating], resolution: int) -> NDArray[np.floating]:
    low, high = float(values.min()), float(values.max())
    padding = PADDING * (high - low) or 0.5
    points: NDArray[np.floating] = np.linspace(low - padding, high + padding, resolution)
    return points


def _like(X: Any, grid: NDArray[np.floating], names: NDArray[np.object_]) -> Any:
    """The grid as a frame of the same kind as ``X``, so that no names are missed."""
    if not hasattr(X, "columns"):
        return grid
    columns = {str(name): column for name, column in zip(names, grid.T, strict=True)}
    return type(X)(columns)


def _votes(separators: NDArray[np.floating], features: Any) -> NDArray[np.floating]:
    """Share of the separators that vote for the second class, one by one to save memory."""
    samples = np.asarray(features, dtype=float)
    votes = np.zeros(len(samples))
    for separator in separators:
        votes += samples @ separator[:-1] + separator[-1] > 0
    return votes / len(separators)


def _draw_band(
    ax: Axes,
    horizontal: NDArray[np.floating],
    vertical: NDArray[np.floating],
    votes: NDArray[np.floating],
) -> None:
    low, high = BAND_OF_VOTES
    ax.contourf(horizontal, vertical, votes, levels=[low, high], colors=[style.BAND])
    ax.fill([], [], color=style.BAND, label=f"{low:.0%} to {high:.0%} of votes")


def _draw_line(
    ax: Axes,
    horizontal: NDArray[np.floating],
    vertical: NDArray[np.floating],
    response: NDArray[np.floating],
    margin: float | None,
) -> NDArray[np.floating]:
    """Draw separator and margin; the points of the separator, none if it is out of sight."""

    def contour(level: float, **line: Any) -> NDArray[np.floating]:
        if not response.min() < level < response.max():
            return np.empty((0, 2))
        drawn = ax.contour(horizontal, vertical, response, levels=[level], **line)
        return np.concatenate([path.vertices for path in drawn.get_paths()])

    ax.plot([], [], color=style.INK, linewidth=1.6, label="separator")
    if margin is not None and margin > 0:
        ax.contourf(horizontal, vertical, response, levels=[-margin, margin], colors=[style.BAND])
        for level in (-margin, margin):
            contour(level, colors=style.FAINT, linewidths=0.9, linestyles="--")
        ax.plot(
            [], [], color=style.FAINT, linewidth=0.9, linestyle="--", label=f"margin ±{margin:.2g}"
        )
    separator = contour(0.0, colors=style.INK, linewidths=1.6)
    return separator


def _draw_regions(
    ax: Axes,
    horizontal: NDArray[np.floating],
    vertical: NDArray[np.floating],
    predicted: NDArray[np.intp],
) -> None:
    from matplotlib.colors import to_rgb

    regions = predicted.reshape(len(vertical), len(horizontal))
    present = np.unique(regions)
    palette = np.ones((present.max() + 1, 3))
    for index in present:
        palette[index] += REGION_STRENGTH * (np.array(to_rgb(style.colour(int(index)))) - 1)
    half = (horizontal[1] - horizontal[0]) / 2, (vertical[1] - vertical[0]) / 2
    limits = ax.axis()
    ax.imshow(
        palette[regions],
        origin="lower",
        extent=(
            horizontal[0] - half[0],
            horizontal[-1] + half[0],
            vertical[0] - half[1],
            vertical[-1] + half[1],
        ),
        aspect="auto",
        interpolation="nearest",
    )
    ax.axis(limits)
    for index in present[:-1]:  # the last has no border that the others do not have
        inside = (regions == index).astype(float)
        ax.contour(horizontal, vertical, inside, levels=[0.5], colors=style.INK, linewidths=0.9)
