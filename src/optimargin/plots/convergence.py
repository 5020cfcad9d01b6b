"""How the best score and the step size went while a separator was searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimargin.plots import fitted, style
from optimargin.training import class_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NAMED = 8


class ConvergenceDisplay:
    """Best training score so far, and step size, against the work done.

    Parameters
    ----------
    histories : mapping from a name to a history
        One curve each. A history holds arrays by generation: ``"score"``, ``"evaluations"`` and,
        where the search has one, ``"sigma"``; an entry of ``history_`` of a fitted classifier.

    Attributes
    ----------
    axes_ : array of matplotlib axes
        The score and, where any search has a step size, that below it.
    ax_ : matplotlib axes
        The panel of the score.
    figure_ : matplotlib figure

    Examples
    --------
    >>> from optimargin.plots import ConvergenceDisplay
    >>> history = {"score": [0.7, 0.8, 0.9], "evaluations": [10, 20, 30]}
    >>> display = ConvergenceDisplay({"by hand": history}).plot()
    >>> display.ax_.get_xlabel()
    'evaluations'
    """

    figure_: Figure
    axes_: NDArray[np.object_]
    ax_: Axes

    def __init__(self, histories: Mapping[str, Mapping[str, ArrayLike]]) -> None:
        self.histories = histories

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        name: str | None = None,
        against: Literal["evaluations", "generations"] = "evaluations",
        ax: Sequence[Axes] | Axes | None = None,
    ) -> Self:
        """Draw the search of a fitted classifier, one curve a pair of classes.

        Parameters
        ----------
        estimator : fitted classifier with ``history_``, or a pipeline that ends in one
        name : str, optional
            The name of the curve where there is only one.
        against, ax : see :meth:`plot`
        """
        return cls.from_estimators(
            {name or type(fitted.last_step(estimator)).__name__: estimator}, against=against, ax=ax
        )

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        *,
        against: Literal["evaluations", "generations"] = "evaluations",
        ax: Sequence[Axes] | Axes | None = None,
    ) -> Self:
        """Draw the searches of several fitted classifiers over each other.

        Parameters
        ----------
        estimators : mapping from a name to a fitted classifier with ``history_``
        against, ax : see :meth:`plot`
        """
        style.pyplot(cls)
        histories: dict[str, Mapping[str, ArrayLike]] = {}
        for name, estimator in estimators.items():
            histories |= _named_histories(name, estimator, alone=len(estimators) == 1)
        return cls(histories).plot(ax, against=against)

    def plot(
        self,
        ax: Sequence[Axes] | Axes | None = None,
        *,
        against: Literal["evaluations", "generations"] = "evaluations",
    ) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, or two of them, optional
            One takes the score alone, a second takes the step size.
        against : {"evaluations", "generations"}, default="evaluations"
            Evaluations compare searches of different population sizes fairly.
        """
        if against not in ("evaluations", "generations"):
            raise ValueError(f'against must be "evaluations" or "generations", not {against!r}.')
        curves = {name: _Curve(history, against) for name, history in self.histories.items()}
        with_sigma = any(curve.has_sigma for curve in curves.values())
        axes = self._axes(ax, with_sigma)
        ranked = sorted(curves, key=lambda name: curves[name].final_score)
        named = list(curves) if len(curves) <= MOST_NAMED else ranked[: MOST_NAMED - 1]
        for name in curves:
            if name not in named:
                curves[name].draw(axes, color="#C9C9C9", linewidth=0.8, zorder=1.5)
        for index, name in enumerate(named):
            curves[name].draw(
                axes,
                label=f"{name}: {curves[name].result}",
                color=style.colour(index),
                linestyle=style.dashes(index),
                linewidth=1.8,
            )
        if len(named) < len(curves):
            axes[0].plot(
                [], [], color="#C9C9C9", label=f"{len(curves) - len(named)} others, none lower"
            )
        for panel in axes:
            style.dress(panel, grid="both")
        # Scores end at 1, and so does the axis; where all are equal it still shows a range.
        bottom = min([0.95, *(curve.score.min(initial=1.0) for curve in curves.values())])
        axes[0].set_ylim(bottom - 0.05 * (1 - bottom), 1 + 0.05 * (1 - bottom))
        axes[0].set_ylabel("best training score")
        axes[0].legend(frameon=False, fontsize=9, loc="lower right")
        if len(axes) > 1:
            axes[1].set_yscale("log")
            axes[1].set_ylabel("step size")
        axes[-1].set_xlabel(against)
        self.axes_ = np.array(axes, dtype=object)
        self.ax_ = axes[0]
        self.figure_ = axes[0].figure  # type: ignore[assignment]
        return self

    def _axes(self, ax: Sequence[Axes] | Axes | None, with_sigma: bool) -> list[Axes]:
        plt = style.pyplot(type(self))
        if ax is not None:
            given = list(np.ravel(np.asarray(ax, dtype=object)))
            if len(given) > 2:
                raise ValueError(
                    f"ConvergenceDisplay draws at most 2 panels, but was given {len(given)} axes."
                )
            return given
        if not with_sigma:
            return style.panels(type(self), None, 1)
        _, axes = plt.subplots(
            2,
            1,
            sharex=True,
            figsize=(6.4, 5.0),
            height_ratios=(2, 1),
            layout="constrained",
        )
        return list(axes)


class _Curve:
    def __init__(self, history: Mapping[str, ArrayLike], against: str) -> None:
        self.score = np.asarray(history["score"], dtype=float)
        evaluations = np.asarray(history["evaluations"], dtype=float)
        self.work = evaluations if against == "evaluations" else np.arange(1, len(self.score) + 1)
        self.sigma = np.asarray(history.get("sigma", np.full(len(self.score), np.nan)), dtype=float)
        self.has_sigma = bool(np.isfinite(self.sigma).any())
        # A problem of one feature has one direction and nothing to search.
        self.final_score = float(self.score[-1]) if self.score.size else np.inf
        self.result = f"{self.final_score:.3f}" if self.score.size else "not searched"

    def draw(self, axes: Sequence[Axes], **line: Any) -> None:
        # The best so far holds until the next generation is done. A dot says where the search
        # ended: one that was finished after its first round would have no line to be seen.
        end: dict[str, Any] = {"marker": "o", "markersize": 5} if self.score.size else {}
        axes[0].step(self.work, self.score, where="post", markevery=[-1], **end, **line)
        if len(axes) > 1 and self.has_sigma:
            axes[1].plot(self.work, self.sigma, **line)


def _named_histories(
    name: str, estimator: Any, *, alone: bool
) -> dict[str, Mapping[str, ArrayLike]]:
    classifier = fitted.last_step(estimator)
    if not hasattr(classifier, "history_"):
        raise TypeError(
            f"{type(classifier).__name__} has no attribute history_: only a classifier that "
            "searches, as OptimalMarginClassifier, can show how its search converged."
        )
    classes = classifier.classes_
    if len(classes) == 2:
        return {name: classifier.history_[0]}
    prefix = "" if alone else f"{name}, "
    return {
        f"{prefix}{classes[i]} | {classes[j]}": history
        for (i, j), history in zip(class_pairs(len(classes)), classifier.history_, strict=True)
    }
