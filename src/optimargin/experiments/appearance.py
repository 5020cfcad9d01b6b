"""One colour and one marker for each method, the same in every figure.

Neighbouring methods differ in lightness as well, and no two share both colour and marker, so that
the figures can be read in a grey print.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from optimargin.experiments.splits import seed_of


@dataclass(frozen=True)
class Look:
    """How a method is drawn."""

    colour: str
    marker: str
    line: str = "-"


# Dark blue tones for this library and the paper's method, warm tones for the paper's competitors,
# greens and greys for what scikit-learn has.
_LOOKS = {
    # Dashed, as it often lies on the paper's method.
    "omc": Look("#08306b", "o", "--"),
    "omc-best": Look("#1c9099", "h", "-."),
    "oec-cmaes": Look("#2171b5", "s"),
    "oec-es": Look("#6baed6", "^", "--"),
    "oec-pso": Look("#9ecae1", "v", ":"),
    "sla": Look("#67000d", "D", "-."),
    "svm": Look("#d95f0e", "s", "--"),
    "svm-tuned": Look("#fe9929", "^", "-."),
    "smp": Look("#a63603", "P", ":"),
    "del": Look("#de2d26", "X", "--"),
    "wsv": Look("#fb6a4a", "v"),
    "mba": Look("#c994c7", "<", "-."),
    "tsv": Look("#88419d", ">", ":"),
    "mpm": Look("#4d004b", "p"),
    "lr": Look("#525252", "o", "--"),
    "lr-elastic-net": Look("#969696", "s", ":"),
    "lr-balanced": Look("#252525", "D"),
    "lda": Look("#00441b", "v", "--"),
    "lda-plain": Look("#66c2a4", "d", ":"),
    "svm-balanced": Look("#41ab5d", "^"),
    "lr-threshold": Look("#006d2c", "P", "-."),
    "svm-threshold": Look("#74c476", "X", ":"),
    "lr-free-threshold": Look("#238b45", "<", "--"),
    "lr-tuned-threshold": Look("#a1d99b", ">", "-."),
}
_OTHERS = (
    Look("#8c510a", "h"),
    Look("#01665e", "8", "--"),
    Look("#c51b7d", "*", "-."),
    Look("#5e3c99", "d", ":"),
    Look("#bf812d", "H"),
)


def look(method: str) -> Look:
    """The look of a method; a method of the user gets one by its name."""
    return _LOOKS.get(method) or _OTHERS[seed_of("look", method) % len(_OTHERS)]


@contextmanager
def drawing(
    width: float = 6.4, height: float = 4.0, rows: int = 1, columns: int = 1
) -> Iterator[tuple[Any, Any]]:
    """A figure and its axes (an array of them if several) in the common style, without a window."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, figure.subplots(rows, columns)


STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.5,
    "svg.fonttype": "path",
    # The same figure gives the same file.
    "svg.hashsalt": "optimargin",
}


def to_svg(figure: Any) -> str:
    """The figure as an SVG element, without the XML declaration and without a date."""
    import io

    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context(STYLE):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
