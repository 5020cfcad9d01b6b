"""The eight figures of the paper, from the store's cells and the seeded synthetic data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimargin.experiments.appearance import drawing, look, to_svg
from optimargin.experiments.figures import Picture
from optimargin.experiments.paper import plans
from optimargin.experiments.results import Results
from optimargin.experiments.sources import Problem
from optimargin.experiments.splits import Imbalanced, Whole
from optimargin.experiments.tables import seconds

# Light and dark as well, for a grey print.
_CLASS_COLOURS = ("#a6a6a6", "#bf4400")
_CLASS_MARKERS = ("o", "^")


def losses() -> Picture:
    """Figure 1: losses over the margin y f(x)."""
    margin = np.linspace(-2, 2, 401)
    curves = {
        "0-1": ((margin <= 0).astype(float), "-", "#000000"),
        "hinge": (np.maximum(0, 1 - margin), "--", "#d95f0e"),
        "logistic": (np.log1p(np.exp(-margin)), "-.", "#2171b5"),
        "sigmoid, k = 2": (1 / (1 + np.exp(2 * margin)), ":", "#00441b"),
        "sigmoid, k = 20": (1 / (1 + np.exp(20 * margin)), (0, (5, 1)), "#88419d"),
    }
    with drawing(5.2, 3.4) as (figure, axes):
        for label, (values, line, colour) in curves.items():
            axes.plot(margin, values, linestyle=line, color=colour, label=label)
        axes.set_xlabel("y f(x)")
        axes.set_ylabel("loss")
        axes.legend()
        svg = to_svg(figure)
    return Picture(
        "fig1-losses", "Losses (the paper's Fig. 1); the sigmoid with its sign right.", svg
    )


def scores_over_thresholds() -> Picture:
    """Figure 2: the loss of both orientations over the cut, and the optimal-margin cut."""
    from optimargin import optimal_margin_threshold

    rng = np.random.default_rng(3)
    z = np.sort(np.concatenate([rng.normal(-1, 1, 12), rng.normal(1.2, 1, 9)]))
    y = (rng.random(z.size) < 1 / (1 + np.exp(-2.0 * z))).astype(int)
    cuts = np.concatenate([[z[0] - 0.5], z, [z[-1] + 0.5]])
    left = [[np.mean(z[y == label] <= cut) for cut in cuts] for label in (0, 1)]
    fit = optimal_margin_threshold(z, y)
    with drawing(5.6, 3.4) as (figure, axes):
        first = np.array(left[0]) + 1 - np.array(left[1])
        axes.step(cuts, 2 - first, where="post", color="#08306b", label="class +1 to the right")
        axes.step(
            cuts, first, where="post", color="#d95f0e", linestyle="--", label="class +1 to the left"
        )
        for label in (0, 1):
            axes.plot(
                z[y == label], np.zeros((y == label).sum()), _CLASS_MARKERS[label],
                color=_CLASS_COLOURS[label], clip_on=False,
            )  # fmt: skip
        axes.axvline(fit.sign * fit.threshold, color="#000000", linestyle=":", label="optimal cut")
        axes.set_xlabel("threshold t")
        axes.set_ylabel("sum of the classes' error rates")
        axes.legend()
        svg = to_svg(figure)
    return Picture(
        "fig2-thresholds",
        "Loss over the threshold for both orientations of one-dimensional data (the paper's "
        "Fig. 2), and the optimal-margin threshold.",
        svg,
    )


def example(results: Results) -> list[Picture]:
    """Figures 3 and 4: the separator of the synthetic example, and the projections."""
    problem = plans.EXAMPLE_DATA.load()
    found = _separators(results, plans.EXAMPLE_DATA.name)
    if "oec-cmaes" not in found:
        return []
    weights, intercept = found["oec-cmaes"]
    with drawing(5.6, 4.4) as (figure, axes):
        _scatter(axes, problem)
        _line(axes, problem, weights, intercept, color="#08306b", label="separator")
        centre = -intercept * weights / (weights @ weights)
        reach = np.abs((problem.X - centre) @ weights).max() / np.linalg.norm(weights)
        unit = weights / np.linalg.norm(weights)
        ends = np.array([centre - reach * unit, centre + reach * unit])
        axes.plot(*ends.T, color="#555555", linestyle="--", label="direction w")
        axes.set_aspect("equal")
        axes.legend()
        separator = to_svg(figure)
    projection = problem.X @ weights + intercept
    with drawing(5.6, 3.2) as (figure, axes):
        bins = np.linspace(projection.min(), projection.max(), 41)
        for label, hatch in ((0, ""), (1, "//")):
            axes.hist(
                projection[problem.y == label], bins, color=_CLASS_COLOURS[label], alpha=0.75,
                hatch=hatch, edgecolor="white", label=f"class {problem.classes[label]}",
            )  # fmt: skip
        axes.axvline(0, color="#000000", linestyle="--", label="optimal-margin threshold")
        axes.set_xlabel("projection minus threshold")
        axes.set_ylabel("samples")
        axes.legend()
        histogram = to_svg(figure)
    return [
        Picture(
            "fig3-separator",
            "The synthetic example: direction and separator found by CMA-ES (the paper's Fig. 3).",
            separator,
        ),
        Picture(
            "fig4-projections",
            "The samples projected on the direction found (the paper's Fig. 4).",
            histogram,
        ),
    ]


def optimizer_curves(results: Results) -> Picture | None:
    """Figure 5: training score over generations, and time, of the three searches."""
    noise, rule = plans.NOISES[0].name, plans.PAPER_RULE.name
    sets = [
        name
        for name in plans.OPTIMIZER_SETS
        if any(results.outcomes((name, noise, rule, method)) for method in plans.OPTIMIZERS)
    ]
    if not sets:
        return None
    with drawing(7.2, 4.6, 2, 3) as (figure, panels):
        flat = panels.ravel()
        for axes, data in zip(flat, sets, strict=False):
            for method in plans.OPTIMIZERS:
                curves = [
                    outcome.extra["score_by_generation"]
                    for outcome in results.outcomes((data, noise, rule, method)).values()
                    if "score_by_generation" in outcome.extra
                ]
                if curves:
                    mean = _mean_curve(curves)
                    style = look(method)
                    axes.plot(
                        np.arange(1, mean.size + 1), 100 * mean, style.line,
                        color=style.colour, label=method,
                    )  # fmt: skip
            axes.set_title(data, fontsize=9)
            axes.set_xscale("log")
        for axes in flat[3:5]:
            axes.set_xlabel("generation")
        for axes in (flat[0], flat[3]):
            axes.set_ylabel("training score, %")
        for place, data in enumerate(sets):
            for number, method in enumerate(plans.OPTIMIZERS):
                style = look(method)
                time = results.median_seconds((data, noise, rule, method))
                flat[5].plot(place + 0.18 * (number - 1), time, style.marker, color=style.colour)
        flat[5].set_xticks(range(len(sets)), sets)
        flat[5].set_ylim(bottom=0)
        flat[5].yaxis.set_major_formatter(lambda value, place: seconds(value) if value else "0")
        flat[5].set_title("fit time", fontsize=9)
        handles, labels = flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        svg = to_svg(figure)
    return Picture(
        "fig5-optimizers",
        "Best training score over generations, mean over the splits, and median fit time of the "
        f"three searches on {', '.join(sets)} (the paper's figure does not name its five sets).",
        svg,
    )


def imbalance(results: Results) -> Picture | None:
    """Figure 6: the overlapping classes, and the test score over the share of class +1."""
    problem = plans.IMBALANCE_DATA.load()
    noise = plans.NOISES[0].name
    data = plans.IMBALANCE_DATA.name
    if data not in results.data:
        return None
    with drawing(7.4, 3.5, 1, 2) as (figure, (left, right)):
        _scatter(left, problem, size=2.5)
        left.set_title("(a) the data", fontsize=9)
        left.legend(fontsize=7.5, markerscale=2)
        for method in plans.IMBALANCE_METHODS:
            values = [
                results.summary((data, noise, Imbalanced(share).name, method), "test balanced").mean
                for share in plans.IMBALANCE_SHARES
            ]
            style = look(method)
            right.plot(
                100 * np.array(plans.IMBALANCE_SHARES), 100 * np.array(values),
                linestyle=style.line, marker=style.marker, color=style.colour, label=method,
                markersize=4,
            )  # fmt: skip
        right.set_xlabel("share of class +1 for training, %")
        right.set_ylabel("test balanced accuracy, %")
        right.set_title("(b) the same test rows for every share", fontsize=9)
        right.legend(fontsize=7.5)
        svg = to_svg(figure)
    return Picture(
        "fig6-imbalance",
        "Imbalance (the paper's Fig. 6): 70 % of class -1 and 5 to 70 % of class +1 for training, "
        f"{problem.y.size // 2} samples a class (the paper does not print its sizes).",
        svg,
    )


def outliers(results: Results) -> Picture | None:
    """Figure 7: separators in the presence of outliers, both ways to label them."""
    if plans.OUTLIER_DATA.name not in results.data:
        return None
    with drawing(7.6, 4.0, 1, 2) as (figure, panels):
        shown = (
            (plans.OUTLIER_DATA, "outliers labelled +1, as printed"),
            (
                plans.OPPOSITE_DATA,
                "outliers labelled -1",
            ),
        )
        for axes, (source, title) in zip(panels, shown, strict=True):
            problem = source.load()
            _scatter(axes, problem, size=2.5)
            for method, (weights, intercept) in _separators(results, source.name).items():
                style = look(method)
                _line(
                    axes, problem, weights, intercept,
                    color=style.colour, linestyle=style.line, label=method,
                )  # fmt: skip
            axes.set_title(title, fontsize=9)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=4, fontsize=8, markerscale=2
        )
        svg = to_svg(figure)
    return Picture(
        "fig7-outliers",
        "Separators with 50 outliers among 300 + 300 samples (the paper's Fig. 7): labelled as "
        "printed, and labelled as the other class, which gives the printed levels of OEC and SMP.",
        svg,
    )


def l1_weights(results: Results) -> Picture | None:
    """Figure 8: weights of unit separators at three weights of the L1 penalty."""
    gathered: dict[float, list[float]] = {}
    for alpha in plans.ALPHAS:
        method = plans.l1_method(alpha).name
        for data in results.data:
            group = (data, plans.NOISES[0].name, plans.PAPER_RULE.name, method)
            for outcome in results.outcomes(group).values():
                weights = np.asarray(outcome.extra.get("weights", []))
                if weights.size:
                    unit = weights / np.linalg.norm(weights)
                    gathered.setdefault(alpha, []).extend(unit.tolist())
    if not gathered:
        return None
    with drawing(7.2, 2.8, 1, len(plans.ALPHAS)) as (figure, panels):
        for axes, alpha in zip(panels, plans.ALPHAS, strict=True):
            if axes is not panels[0]:
                axes.sharey(panels[0])
            values = gathered.get(alpha, [])
            heights = np.full(len(values), 100 / max(len(values), 1))
            axes.hist(values, np.linspace(-1, 1, 42), weights=heights, color="#2171b5")
            axes.set_title(f"alpha = {alpha:g}", fontsize=9)
            axes.set_xlabel("weight")
            axes.set_yscale("log")
        panels[0].set_ylabel("share of weights, %")
        svg = to_svg(figure)
    return Picture(
        "fig8-l1",
        "Weights of the separators (unit length) over the two-class sets at three weights of the "
        "L1 penalty (the paper's Fig. 8).",
        svg,
    )


def _separators(results: Results, data: str) -> dict[str, tuple[NDArray[np.float64], float]]:
    found = {}
    for method in results.methods:
        group = (data, plans.NOISES[0].name, Whole().name, method)
        for outcome in results.outcomes(group).values():
            if "weights" in outcome.extra:
                # Fitted on standardised features: back to the axes of the picture.
                X = _load(data).X
                weights = np.asarray(outcome.extra["weights"]) / X.std(axis=0)
                intercept = outcome.extra["intercept"] - float(weights @ X.mean(axis=0))
                found[method] = (weights, intercept)
    return found


def _load(data: str) -> Problem:
    sources = (plans.OUTLIER_DATA, plans.OPPOSITE_DATA, plans.EXAMPLE_DATA)
    return next(source for source in sources if source.name == data).load()


def _scatter(axes: Any, problem: Problem, size: float = 3.5) -> None:
    for label in (0, 1):
        rows = problem.y == label
        axes.plot(
            *problem.X[rows].T, _CLASS_MARKERS[label], color=_CLASS_COLOURS[label],
            markersize=size, alpha=0.6, markeredgewidth=0, label=f"class {problem.classes[label]}",
        )  # fmt: skip


def _line(
    axes: Any, problem: Problem, weights: NDArray[np.float64], intercept: float, **style: Any
) -> None:
    low, high = problem.X.min(axis=0) - 1, problem.X.max(axis=0) + 1
    if abs(weights[1]) > abs(weights[0]):
        x = np.linspace(low[0], high[0], 400)
        points = np.column_stack([x, -(intercept + weights[0] * x) / weights[1]])
    else:
        y = np.linspace(low[1], high[1], 400)
        points = np.column_stack([-(intercept + weights[1] * y) / weights[0], y])
    inside = ((points >= low) & (points <= high)).all(axis=1)
    axes.plot(*points[inside].T, **style)


def _mean_curve(curves: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """The mean of curves of different lengths: a search that has ended keeps its last score."""
    length = max(len(curve) for curve in curves)
    padded = [[*curve, *[curve[-1]] * (length - len(curve))] for curve in curves]
    mean: NDArray[np.float64] = np.mean(padded, axis=0)
    return mean
