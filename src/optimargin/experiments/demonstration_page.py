"""The demonstration as one self-contained page: a table, three figures, nothing from elsewhere."""

import base64
import io
from html import escape
from string import Template
from typing import Any

from optimargin import __version__
from optimargin.experiments.demonstration import DATA, Demonstration, Row, Summary


def demonstration_page(result: Demonstration) -> str:
    """The page as HTML text."""
    figures = "\n".join(
        _FIGURE.substitute(source=_as_source(figure), alt=escape(alt), caption=escape(caption))
        for figure, alt, caption in _figures(result)
    )
    return _PAGE.substitute(
        summary=escape(summary_sentence(result)),
        data=escape(DATA),
        n_samples=result.n_samples,
        n_features=result.n_features,
        n_splits=result.n_splits,
        rows="\n".join(_table_row(row, result) for row in result.rows),
        figures=figures,
        version=escape(__version__),
    )


def summary_sentence(result: Demonstration) -> str:
    """What the table says, whoever comes first."""
    parts = []
    for noise, words in enumerate(("after clean training", "after training with noise")):
        ranked = sorted(result.rows, key=lambda row: row.test[noise].mean)
        lowest, highest = (
            f"{100 * row.test[noise].mean:.1f} % ({row.method.title})"
            for row in (ranked[0], ranked[-1])
        )
        parts.append(f"{words} from {lowest} to {highest}")
    return f"On test rows the balanced accuracy goes {parts[0]}; {parts[1]}."


def in_percent(summary: Summary) -> str:
    """Mean and standard error as people write them."""
    error = "" if summary.error != summary.error else f" ± {100 * summary.error:.1f}"
    return f"{100 * summary.mean:.1f}{error}"


def in_seconds(summary: Summary) -> str:
    """A time with as many digits as matter."""
    if summary.mean < 0.1:
        return f"{1000 * summary.mean:.1f} ms"
    return f"{summary.mean:.2f} s"


def _table_row(row: Row, result: Demonstration) -> str:
    cells = [f'<th scope="row">{escape(row.method.title)}</th>']
    for noise, heading in enumerate(("Clean", "Noise")):
        parts = (("train", row.train), ("test", row.test))
        for part, summaries in parts:
            highest = max(getattr(other, part)[noise].mean for other in result.rows)
            summary = summaries[noise]
            mark = ' class="best"' if summary.mean == highest else ""
            cells.append(f'<td{mark} data-label="{heading}, {part}">{in_percent(summary)}</td>')
    cells.append(f'<td data-label="Time of a fit">{in_seconds(row.seconds)}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _figures(result: Demonstration) -> list[tuple[Any, str, str]]:
    from optimargin.plots import ConvergenceDisplay, ProjectionDisplay, WeightsDisplay

    fits = result.fits
    projection = ProjectionDisplay.from_estimator(fits.default, fits.X_test, fits.y_test)
    convergence = ConvergenceDisplay.from_estimators(
        {"the paper's OEC": fits.paper, "this library's default": fits.default}
    )
    weights = WeightsDisplay.from_estimator(
        fits.default, fits.X_train, feature_names=fits.names, max_features=12
    )
    return [
        (
            projection.figure_,
            "Histogram of the signed distances of benign and malignant test rows.",
            "Test rows on the direction that the library's default found in noisy training rows: "
            "one bar on the wrong side of the threshold is one share of a class in error.",
        ),
        (
            convergence.figure_,
            "Training score against the number of evaluated separators.",
            "The search: best training score so far, on the same noisy training rows.",
        ),
        (
            weights.figure_,
            "Bars of the largest weights with the names of their features.",
            "What the separator looks at: the largest weights, for features in units of their "
            "own spread.",
        ),
    ]


def _as_source(figure: Any) -> str:
    """A figure as a data address; an image, so that the figures' inner names do not clash."""
    from matplotlib import pyplot, rc_context

    stream = io.BytesIO()
    # A fixed salt and no date: the same results give the same page.
    with rc_context({"svg.hashsalt": "optimargin"}):
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    pyplot.close(figure)
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()


_FIGURE = Template(
    '<figure><img src="$source" alt="$alt"><figcaption>$caption</figcaption></figure>'
)

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>optimargin: a demonstration</title>
<style>
:root { --ink: #1f2328; --soft: #59636e; --line: #d9dee3; --paper: #ffffff; --mark: #e8f1fb; }
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
p { margin: 0 0 1rem; max-width: 44rem; }
.lead { font-size: 1.1rem; }
.soft, figcaption, caption { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { caption-side: bottom; text-align: left; padding-top: .6rem; }
th, td { padding: .5rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
th[scope="row"], thead tr:first-child th:first-child { text-align: left; padding-left: 0; }
th[scope="row"] { font-weight: 600; }
thead th { font-weight: 600; font-size: .9rem; color: var(--soft); vertical-align: bottom; }
thead tr:first-child th[colspan] { text-align: center; }
td { white-space: nowrap; }
td.best { background: var(--mark); font-weight: 600; }
.figures { display: grid; gap: 2rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
figure { margin: 0; }
figure:last-child { grid-column: 1 / -1; max-width: 40rem; }
img { width: 100%; height: auto; display: block; }
figcaption { margin-top: .5rem; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; }
@media (max-width: 44rem) {
  body { padding-top: 1.5rem; }
  .figures { grid-template-columns: 1fr; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, caption, tbody, tr, th, td { display: block; }
  tr { padding: .75rem 0; border-bottom: 1px solid var(--line); }
  th[scope="row"] { border: 0; padding: 0 0 .25rem; }
  td { display: flex; justify-content: space-between; border: 0; padding: .15rem .5rem; }
  td::before { content: attr(data-label); color: var(--soft); font-weight: 400; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; }
  figure, table { break-inside: avoid; }
  td.best { background: none; text-decoration: underline; }
  a { color: inherit; }
}
</style>
</head>
<body>
<h1>Five linear classifiers, clean data and noise</h1>
<p class="lead">$summary</p>
<p>Every method is trained on the same random 70 % of scikit-learn's $data data
($n_samples rows, $n_features features, two classes) and tested on the other 30 %, $n_splits times.
The figures are balanced accuracy in percent: the mean share of each class that is classified
correctly, with its standard error over the splits. For <em>noise</em>, 15 % of the malignant
training rows are replaced by uniform random ones, as in the paper; the test rows stay clean.</p>
<table>
<caption>The highest mean of each column is marked; means closer than their errors do not differ.
Times are of one fit, after compilation.</caption>
<thead>
<tr><th rowspan="2">Method</th><th colspan="2">Clean</th><th colspan="2">Noise</th>
<th rowspan="2">Time of<br>a fit</th></tr>
<tr><th>train</th><th>test</th><th>train</th><th>test</th></tr>
</thead>
<tbody>
$rows
</tbody>
</table>
<h2>One fit, looked at: the first split with noise</h2>
<div class="figures">
$figures
</div>
<h2>Where this comes from</h2>
<p>The classifier is that of M. R. Bonyadi and D. C. Reutens, <cite>Optimal-margin evolutionary
classifier</cite>. This page was written by <code>optimargin demo</code>, version $version.
Try it on your own table: <code>optimargin fit table.csv --target column -o my.model</code>.</p>
</body>
</html>
""")
