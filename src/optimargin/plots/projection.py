"""How both classes fall on the direction of a separator, with its threshold and its margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimargin.plots import fitted, style
from optimargin.training import class_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import StepPatch

FEWEST_BINS = 16
MOST_BINS = 120
DASHED_OUTLINE = (0, (2.5, 0.8))  # of the second class, for eyes and printers without colour
BELOW_LEGEND = 0.78  # the part of the panel that the legend leaves free


class ProjectionDisplay:
    """Histogram of the signed distances from a separator, one panel a pair of classes.

    Each class is drawn as the share of its own samples, so that a small class is as visible as a
    large one. Whatever lies to the right of the threshold is given the second class: no bar
    reaches over it, so bars on the wrong side are errors and nothing else.

    Parameters
    ----------
    pair_scores : array of shape (n_samples,) or (n_samples, n_pairs)
        Signed distances from the separators of the pairs of classes; positive values speak for the
        second class of the pair.
    y : array of shape (n_samples,)
        The true labels.
    classes : array of shape (n_classes,)
        All labels, sorted.
    margins : array of shape (n_pairs,), optional
        Half the width of the empty band around each threshold, in the units of the distances.
    pairs : sequence of pairs of labels, optional
        The pairs to show; all of them by default.

    Attributes
    ----------
    axes_ : array of matplotlib axes, one a pair
    ax_ : matplotlib axes
        The first panel, the only one where there are two classes.
    figure_ : matplotlib figure

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.plots import ProjectionDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> display = ProjectionDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_ylabel()
    'share of the class in %'
    """

    figure_: Figure
    axes_: NDArray[np.object_]
    ax_: Axes

    def __init__(
        self,
        pair_scores: ArrayLike,
        y: ArrayLike,
        *,
        classes: ArrayLike,
        margins: ArrayLike | None = None,
        pairs: Sequence[tuple[object, object]] | None = None,
    ) -> None:
        self.pair_scores = pair_scores
        self.y = y
        self.classes = classes
        self.margins = margins
        self.pairs = pairs

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pairs: Sequence[tuple[object, object]] | None = None,
        bins: int | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Project ``X`` on the separators of a fitted classifier and draw.

        Parameters
        ----------
        estimator : fitted classifier, or a pipeline that ends in one
            With two classes, anything that has a decision function; with more, a classifier with
            one separator a pair of classes, as OptimalMarginClassifier.
        X, y : the samples to show, of training or of test
        pairs : sequence of pairs of labels, optional
            The pairs to show; all of them by default.
        bins, ax : see :meth:`plot`
        """
        style.pyplot(cls)
        classifier = fitted.last_step(estimator)
        display = cls(
            fitted.pair_scores(estimator, X),
            y,
            classes=classifier.classes_,
            margins=fitted.margins(estimator),
            pairs=pairs,
        )
        return display.plot(ax, bins=bins)

    def plot(self, ax: Axes | Sequence[Axes] | None = None, *, bins: int | None = None) -> Self:
        """Draw on ``ax`` (one axes a pair), or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, or a sequence with one a pair, optional
        bins : int, optional
            About how many bins to use; by default their width follows the spread of the classes.
        """
        classes = np.asarray(self.classes)
        scores = np.asarray(self.pair_scores, dtype=float)
        scores = scores.reshape(len(scores), -1)
        labels = fitted.class_indices(self.y, classes)
        columns = self._columns(classes)
        axes = style.panels(type(self), ax, len(columns))
        margins = None if self.margins is None else np.atleast_1d(np.asarray(self.margins))
        every_pair = class_pairs(len(classes))
        for panel, column in zip(axes, columns, strict=True):
            pair = every_pair[column]
            _draw_pair(
                panel,
                [scores[labels == index, column] for index in pair],
                [classes[index] for index in pair],
                style.pair_colours(pair, len(classes)),
                None if margins is None else float(margins[column]),
                bins,
            )
        self.axes_ = np.array(axes, dtype=object)
        self.ax_ = axes[0]
        self.figure_ = axes[0].figure  # type: ignore[assignment]
        return self

    def _columns(self, classes: NDArray[Any]) -> list[int]:
        every_pair = [(classes[i], classes[j]) for i, j in class_pairs(len(classes))]
        if self.pairs is None:
            return list(range(len(every_pair)))
        columns = []
        for first, second in self.pairs:
            found = [
                column for column, pair in enumerate(every_pair) if set(pair) == {first, second}
            ]
            if not found:
                raise ValueError(
                    f"There is no pair ({first!r}, {second!r}) among the classes "
                    f"{', '.join(map(str, classes))}."
                )
            columns += found
        return columns


def bin_edges(values: Sequence[NDArray[np.floating]], bins: int | None) -> NDArray[np.floating]:
    """Edges of equal width, one of them at the threshold, chosen for the narrower class."""
    together = np.concatenate(values)
    if together.size == 0:
        return np.array([-1.0, 0.0, 1.0])
    low, high = min(float(together.min()), 0.0), max(float(together.max()), 0.0)
    if low == high:
        return np.array([-1.0, 0.0, 1.0])
    if bins is None:
        width = min((_natural_width(v) for v in values if v.size), default=0.0)
        width = np.clip(width, (high - low) / MOST_BINS, (high - low) / FEWEST_BINS)
    else:
        width = (high - low) / bins
    first, last = np.floor(low / width), np.ceil(high / width)
    edges: NDArray[np.floating] = np.arange(first, last + 1) * width
    return edges


def shares(values: NDArray[np.floating], edges: NDArray[np.floating]) -> NDArray[np.floating]:
    """Percentage of the values in each bin; a bin owns its right edge, as the decision rule does.

    (A score of exactly 0 is given the first class.)
    """
    bins = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(edges) - 2)
    counts = np.bincount(bins, minlength=len(edges) - 1)
    percentages: NDArray[np.floating] = 100 * counts / max(len(values), 1)
    return percentages


def _natural_width(values: NDArray[np.floating]) -> float:
    """The rule of Freedman and Diaconis, which a few far outliers do not disturb."""
    quartiles = np.percentile(values, [25, 75])
    return float(2 * (quartiles[1] - quartiles[0]) / len(values) ** (1 / 3))


def _balanced_accuracy(values: Sequence[NDArray[np.floating]]) -> float:
    first, second = values
    return float(np.mean(first <= 0) + np.mean(second > 0)) / 2


def _draw_pair(
    ax: Axes,
    values: Sequence[NDArray[np.floating]],
    labels: Sequence[object],
    colours: tuple[str, str],
    margin: float | None,
    bins: int | None,
) -> None:
    edges = bin_edges(values, bins)
    heights = [shares(own, edges) for own in values]
    entries: list[tuple[Any, str]] = [
        (_draw_bars(ax, own, edges, colour, dashes), style.with_count(label, len(members)))
        for own, colour, dashes, label, members in zip(
            heights, colours, ("-", DASHED_OUTLINE), labels, values, strict=True
        )
    ]
    hatched = _hatch(ax, np.where(edges[:-1] >= 0, heights[0], heights[1]), edges)
    if hatched is not None:
        entries.append((hatched, "misclassified"))
    entries.append(_draw_threshold(ax, margin))

    style.dress(ax, grid="y")
    tallest = max(float(own.max()) for own in heights)
    ax.set_ylim(0, tallest / (BELOW_LEGEND - 0.03) or 1)
    ax.set_xlabel("decision function" if margin is None else "signed distance from the separator")
    ax.set_ylabel("share of the class in %")
    if all(len(members) for members in values):
        ax.set_title(f"balanced accuracy {100 * _balanced_accuracy(values):.1f} %", fontsize=11)
    legend = ax.legend(
        *zip(*entries, strict=True), fontsize=8.5, loc="upper center", ncols=2, framealpha=1
    )
    legend.get_frame().set_edgecolor("none")  # opaque: no grid lines behind it


def _draw_bars(
    ax: Axes,
    heights: NDArray[np.floating],
    edges: NDArray[np.floating],
    colour: str,
    dashes: Any,
) -> StepPatch:
    return ax.stairs(
        _without_empty(heights),
        edges,
        fill=True,
        facecolor=style.translucent(colour),
        edgecolor=colour,
        linewidth=1.4,
        linestyle=dashes,
    )


def _hatch(
    ax: Axes, heights: NDArray[np.floating], edges: NDArray[np.floating]
) -> StepPatch | None:
    if not heights.any():
        return None
    return ax.stairs(
        _without_empty(heights),
        edges,
        fill=True,
        facecolor="none",
        edgecolor=style.INK,
        hatch="//////",
        linewidth=0,
    )


def _draw_threshold(ax: Axes, margin: float | None) -> tuple[Any, str]:
    line = ax.axvline(0, ymax=BELOW_LEGEND, color=style.INK, linewidth=1.4, linestyle="--")
    if margin is None:
        return line, "threshold"
    band = ax.axvspan(-margin, margin, ymax=BELOW_LEGEND, color=style.BAND, linewidth=0, zorder=0)
    return (band, line), f"threshold, margin ±{margin:.2g}"


def _without_empty(heights: NDArray[np.floating]) -> NDArray[np.floating]:
    """No outline is drawn where a height is not a number."""
    return np.where(heights > 0, heights, np.nan)
