"""Figures over methods: scores with their errors, accuracy against time, mean ranks."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimargin.experiments.appearance import drawing, look, to_svg
from optimargin.experiments.results import Results, complete_block
from optimargin.experiments.statistics import RankComparison
from optimargin.experiments.tables import seconds


@dataclass(frozen=True)
class Picture:
    """An SVG figure with the caption under it and a short name for its file."""

    name: str
    caption: str
    svg: str


def scores_of_methods(results: Results, data: str, noise: str, rule: str) -> Picture:
    """Test (and training) score of every method on one data set, with standard errors."""
    methods = [m for m in results.methods if results.has((data, noise, rule, m))]
    shown = []
    for method in methods:
        train, test = (results.summary((data, noise, rule, method), m) for m in _BALANCED)
        if test.n_splits:
            shown.append((method, train, test))
    shown.sort(key=lambda entry: entry[2].mean)
    with drawing(6.4, 0.9 + 0.32 * len(shown)) as (figure, axes):
        for place, (method, train, test) in enumerate(shown):
            style = look(method)
            error = 0.0 if np.isnan(test.error) else 100 * test.error
            axes.errorbar(
                100 * test.mean, place, xerr=error, fmt=style.marker, color=style.colour, capsize=3
            )
            axes.plot(100 * train.mean, place, marker="|", color=style.colour, markersize=9)
        axes.set_yticks(range(len(shown)), [entry[0] for entry in shown])
        axes.set_ylim(-0.6, len(shown) - 0.4)
        axes.set_xlabel("balanced accuracy, %")
        svg = to_svg(figure)
    return Picture(
        f"scores-{_plain(data)}-{_plain(noise)}",
        f"{data}, {noise_in_words(noise)}: test balanced accuracy with its standard error "
        "(marker), and the training score (upright bar).",
        svg,
    )


def accuracy_against_time(
    results: Results, noise: str, rule: str, name: str | None = None
) -> Picture | None:
    """Mean test score and median fit time of the methods that have results on most data sets."""
    scores = results.mean_table(noise, rule, results.methods, "test balanced")
    sets, complete = complete_block(scores)
    methods = [name for name, full in zip(results.methods, complete, strict=True) if full]
    from matplotlib.ticker import LogLocator

    rows: list[tuple[float, float]] = []
    for method in methods:
        shown = [data for data, kept in zip(results.data, sets, strict=True) if kept]
        times = [results.median_seconds((data, noise, rule, method)) for data in shown]
        time = np.exp(np.mean(np.log(np.maximum(times, 1e-6))))
        score = scores[sets, results.methods.index(method)].mean()
        rows.append((float(time), float(100 * score)))
    if not rows:
        return None
    with drawing(6.4, 4.6) as (figure, axes):
        for method, point in zip(methods, rows, strict=True):
            style = look(method)
            axes.plot(
                *point, style.marker, color=style.colour, markersize=8,
                markeredgecolor="white", markeredgewidth=0.6,
            )  # fmt: skip
        axes.margins(y=0.1)
        times = [time for time, _ in rows]
        room = 1.3 * (max(times) / min(times)) ** 0.1
        axes.set_xlim(min(times) / room, max(times) * room)
        axes.set_xscale("log")
        if max(times) < 30 * min(times):
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(lambda value, place: seconds(value))
        axes.xaxis.set_minor_formatter("")
        write_names(axes, methods, rows)
        mean = " (geometric mean over the data sets)" if sets.sum() > 1 else ""
        axes.set_xlabel(f"median fit time{mean}")
        axes.set_ylabel("test balanced accuracy, %")
        svg = to_svg(figure)
    most = int(sets.sum())
    left_out = sorted(set(results.methods) - set(methods))
    remark = (
        f" Left out, for want of results on some set: {', '.join(left_out)}." if left_out else ""
    )
    return Picture(
        f"accuracy-time-{_plain(name or noise)}",
        f"Accuracy against time, mean over {most} data set{'s' * (most != 1)}, "
        f"{noise_in_words(noise)}; up and to the left is better.{remark}",
        svg,
    )


def critical_difference(comparison: RankComparison, title: str, name: str) -> Picture:
    """Mean ranks on a line; methods joined by a bar are not shown to differ (Nemenyi)."""
    order = np.argsort(comparison.mean_ranks, kind="stable")
    ranks = np.asarray(comparison.mean_ranks)[order]
    names = [comparison.methods[i] for i in order]
    half = (len(names) + 1) // 2
    bars = comparison.cliques()
    depth = 0.7 + 0.35 * len(bars)
    with drawing(6.8, 1.0 + 0.17 * len(bars) + 0.24 * half) as (figure, axes):
        axes.set_axis_off()
        low, high = 1.0, float(max(len(names), 2))
        axes.plot([low, high], [0, 0], color="black", linewidth=1)
        for tick in range(int(low), int(high) + 1):
            axes.plot([tick, tick], [0, 0.15], color="black", linewidth=1)
            axes.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=8)
        for number, (first, last) in enumerate(bars):
            height = -0.3 - 0.35 * number
            axes.plot(
                [ranks[first] - 0.04, ranks[last] + 0.04], [height, height],
                color="black", linewidth=3, solid_capstyle="butt",
            )  # fmt: skip
        for place, (method, rank) in enumerate(zip(names, ranks, strict=True)):
            left = place < half
            row = place if left else len(names) - 1 - place
            height = -depth - 0.55 * row
            edge = low - 0.15 if left else high + 0.15
            axes.plot([rank, rank, edge], [0, height, height], color="#777777", linewidth=0.8)
            style = look(method)
            axes.plot(rank, 0, style.marker, color=style.colour, markersize=6, clip_on=False)
            beside = edge + 0.01 * (high - low) * (-1 if left else 1)
            axes.text(
                beside, height, f"{method}  {rank:.2f}" if left else f"{rank:.2f}  {method}",
                ha="right" if left else "left", va="center", fontsize=8,
            )  # fmt: skip
        difference = comparison.critical_difference
        axes.plot([low, low + min(difference, high - low)], [1.05, 1.05], color="black")
        axes.text(low, 1.15, f"critical difference {difference:.2f}", fontsize=8, va="bottom")
        axes.set_xlim(low - 0.32 * (high - low), high + 0.32 * (high - low))
        axes.set_ylim(-depth - 0.55 * half, 1.6)
        svg = to_svg(figure)
    return Picture(
        name,
        f"{title}: mean ranks over {comparison.n_sets} data sets (1 is best; Friedman's "
        f"p = {comparison.p_friedman:.2g}). Methods joined by a bar are not shown to differ "
        "(Nemenyi, 5 %).",
        svg,
    )


def write_names(axes: Any, names: list[str], points: list[tuple[float, float]]) -> None:
    """Write names beside points, where they cover neither each other nor a marker."""
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    axes.figure.draw_without_rendering()
    half = 5.0 * axes.figure.dpi / 72
    taken = [
        Bbox.from_extents(x - half, y - half, x + half, y + half)
        for x, y in axes.transData.transform(points)
    ]
    for number in sorted(range(len(points)), key=lambda i: -points[i][1]):
        for place in _PLACES:
            text = axes.annotate(
                names[number], points[number], xytext=place[:2], textcoords="offset points",
                ha=place[2], va="center", fontsize=7.5,
                arrowprops={"arrowstyle": "-", "color": "#777777", "linewidth": 0.6}
                if place in _FAR else None,
            )  # fmt: skip
            # The text alone: an annotation counts its line as its own.
            text.update_positions(axes.figure.canvas.get_renderer())
            box = Text.get_window_extent(text)
            # Another size of pixel moves things a little.
            inside = axes.bbox.x0 + half < box.x0 and box.x1 < axes.bbox.x1 - half
            if inside and not any(box.overlaps(other) for other in taken):
                break
            if place != _PLACES[-1]:
                text.remove()
        taken.append(box)


# Where a name may stand, in points from its marker: beside it first, further off with a line to it.
_NEAR = ((7, 0, "left"), (-7, 0, "right"), (0, 10, "center"), (0, -10, "center"))
_FAR = tuple(
    (side * x, sign * y, "left" if side > 0 else "right")
    for y in (10, 20, 30, 40)
    for x in (10, 22)
    for side in (1, -1)
    for sign in (1, -1)
)
_PLACES = _NEAR + _FAR


def noise_in_words(noise: str) -> str:
    """The name of a noise as a caption says it.

    Examples
    --------
    >>> from optimargin.experiments.figures import noise_in_words
    >>> noise_in_words("none"), noise_in_words("flip(rate=0.1)")
    ('no noise', '10 % noise (flip)')
    """
    found = re.match(r"(\w+)\(rate=([\d.]+)", noise)
    if found is None:
        return "no noise" if noise == "none" else f"noise {noise}"
    return f"{100 * float(found[2]):g} % noise ({found[1]})"


_BALANCED = ("train balanced", "test balanced")


def _plain(text: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in text).strip("-").lower()
