"""The largest weights of a separator, signed: which feature speaks for which class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from optimargin.plots import fitted, style
from optimargin.training import class_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORIGINAL_UNITS = "weight of one unit"
SCALED_UNITS = "weight of one standard deviation"
THE_OTHERS = "the others"
SPAN = 0.05, 0.95
SPAN_UNITS = "lines: nine tenths of the sampled separators"


class WeightsDisplay:
    """Horizontal bars of the largest weights, one panel a separator.

    Bars to the right speak for the second class of the pair, bars to the left for the first. For
    a mean of sampled separators a line across the end of each bar spans nine tenths of the sampled
    weights; where it crosses zero the bar is pale, because the data do not make the sign sure.

    Parameters
    ----------
    weights : array of shape (n_features,) or (n_separators, n_features)
    feature_names : sequence of str
    sides : sequence of pairs of labels
        For every separator what its negative and its positive side mean.
    units : str
        The label of the axis.
    sampled : sequence of arrays of shape (n_sampled, n_features), optional
        For every separator the weights of those that it is a mean of.

    Attributes
    ----------
    axes_ : array of matplotlib axes, one a separator
    ax_ : matplotlib axes
        The first panel, the only one where there are two classes.
    figure_ : matplotlib figure

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from optimargin.plots import WeightsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> display = WeightsDisplay.from_estimator(model, max_features=3)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['worst texture', 'radius error', 'worst radius']
    """

    figure_: Figure
    axes_: NDArray[np.object_]
    ax_: Axes

    def __init__(
        self,
        weights: ArrayLike,
        feature_names: Sequence[str],
        *,
        sides: Sequence[tuple[object, object]],
        units: str = ORIGINAL_UNITS,
        sampled: Sequence[ArrayLike] | None = None,
    ) -> None:
        self.weights = weights
        self.feature_names = feature_names
        self.sides = sides
        self.units = units
        self.sampled = sampled

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        max_features: int = 12,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : fitted linear classifier, or a pipeline that ends in one
        X : array, optional
            Given samples, every weight is multiplied by the standard deviation of its feature
            among them: weights of features in different units become comparable.
        feature_names : sequence of str, optional
            By default the names that the classifier saw in ``fit``.
        max_features, ax : see :meth:`plot`
        """
        style.pyplot(cls)
        classifier = fitted.last_step(estimator)
        weights = fitted.coefficients(estimator)
        sampled = None
        drawn = fitted.sampled_separators(estimator)
        if drawn is not None:
            sampled = [
                _as_long(one[:, :-1], mean) for one, mean in zip(drawn, weights, strict=True)
            ]
        units = ORIGINAL_UNITS
        if X is not None:
            spread = _spread(fitted.as_last_step_sees(estimator, X))
            weights = weights * spread
            if sampled is not None:
                sampled = [one * spread for one in sampled]
            units = SCALED_UNITS
        names = feature_names
        if names is None:
            names = fitted.feature_names(estimator, weights.shape[1])
        sides = _sides(classifier, len(weights))
        display = cls(weights, names, sides=sides, units=units, sampled=sampled)
        return display.plot(ax, max_features=max_features)

    def plot(self, ax: Axes | Sequence[Axes] | None = None, *, max_features: int = 12) -> Self:
        """Draw on ``ax`` (one axes a separator), or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, or a sequence with one a separator, optional
        max_features : int, default=12
            How many of the largest weights to show; weights of exactly zero are never shown.
        """
        weights = np.atleast_2d(np.asarray(self.weights, dtype=float))
        names = np.asarray(self.feature_names, dtype=object)
        if len(names) != weights.shape[1]:
            raise ValueError(
                f"There are {weights.shape[1]} weights in a separator, but {len(names)} "
                "feature names."
            )
        tallest = min(max_features, int((weights != 0).sum(axis=1).max(initial=1)))
        axes = style.panels(type(self), ax, len(weights), height=1.3 + 0.28 * max(tallest, 3))
        sampled = [None] * len(weights) if self.sampled is None else self.sampled
        drawn = zip(axes, weights, self.sides, _colours(self.sides), sampled, strict=True)
        for panel, own, sides, colours, draws in drawn:
            spans = None
            if draws is not None:
                spans = np.quantile(np.asarray(draws, dtype=float), SPAN, axis=0)
            _draw_weights(panel, own, names, sides, colours, max_features, spans)
            panel.set_xlabel(self.units if spans is None else f"{self.units}\n{SPAN_UNITS}")
        self.axes_ = np.array(axes, dtype=object)
        self.ax_ = axes[0]
        self.figure_ = axes[0].figure  # type: ignore[assignment]
        return self


def _spread(X: Any) -> NDArray[np.floating]:
    features = check_array(X, accept_sparse="csr", dtype=float)
    variances = StandardScaler(with_mean=False).fit(features).var_
    spread: NDArray[np.floating] = np.sqrt(variances)
    return spread


def _as_long(sampled: NDArray[np.floating], weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """The sampled weights multiplied by the number that makes them agree with their mean.

    In scaled coordinates each has unit length, and so has the final separator, but the mean of unit
    vectors is shorter.
    """
    mean = sampled.mean(axis=0)
    length = float(mean @ mean)
    return sampled * (float(mean @ weights) / length) if length > 0 else sampled


def _sides(classifier: Any, n_separators: int) -> list[tuple[object, object]]:
    classes = classifier.classes_
    if n_separators == 1:
        return [(classes[0], classes[1])]
    if fitted.separates_pairs(classifier):
        return [(classes[i], classes[j]) for i, j in class_pairs(len(classes))]
    if n_separators == len(classes) and not hasattr(classifier, "dual_coef_"):
        return [(THE_OTHERS, label) for label in classes]
    raise ValueError(
        f"What the {n_separators} separators of {type(classifier).__name__} mean for its "
        f"{len(classes)} classes is not known here; say it yourself: "
        "WeightsDisplay(weights, feature_names, sides=...).plot()."
    )


def _colours(sides: Sequence[tuple[object, object]]) -> list[tuple[str, str]]:
    """For both sides of each separator the colours that the other figures give to these classes."""
    together = [label for pair in sides for label in pair if label is not THE_OTHERS]
    labels = list(dict.fromkeys(together))
    return [
        (style.FAINT, style.colour(labels.index(second)))
        if first is THE_OTHERS
        else style.pair_colours((labels.index(first), labels.index(second)), len(labels))
        for first, second in sides
    ]


def _draw_weights(
    ax: Axes,
    weights: NDArray[np.floating],
    names: NDArray[np.object_],
    sides: tuple[object, object],
    colours: tuple[str, str],
    max_features: int,
    spans: NDArray[np.floating] | None,
) -> None:
    order = np.argsort(-np.abs(weights), kind="stable")
    order = order[: min(max_features, int(np.count_nonzero(weights)))]
    shown = weights[order]
    places = np.arange(len(shown))
    sure = np.ones(len(shown), dtype=bool)
    ends = shown
    if spans is not None:
        low, high = ends = spans[:, order]
        sure = (low > 0) | (high < 0)
        ax.hlines(places, low, high, color=style.INK, linewidth=1.6, zorder=3)
    ax.barh(
        places,
        shown,
        height=0.68,
        color=[
            colours[int(weight > 0)] if certain else style.translucent(colours[int(weight > 0)])
            for weight, certain in zip(shown, sure, strict=True)
        ],
    )
    ax.axvline(0, color=style.INK, linewidth=1)
    ax.set_yticks(places, [str(name) for name in names[order]])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    style.dress(ax, grid="x")
    ax.spines["left"].set_visible(False)
    reach = 1.08 * float(max(np.abs(shown).max(initial=0.0), np.abs(ends).max(initial=0.0))) or 1.0
    ax.set_xlim(-reach, reach)
    ax.locator_params(axis="x", nbins=5)
    ax.set_title(f"← {sides[0]}", loc="left", fontsize=10, color=style.INK)
    ax.set_title(f"{sides[1]} →", loc="right", fontsize=10, color=style.INK)
    if len(shown) < len(weights):
        ax.set_title(f"{len(shown)} of {len(weights)} weights", fontsize=9, color=style.FAINT)
