"""``optimargin reproduce``: the paper's tables and figures again."""

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="datasets, overview, optimizers, near-optimal, imbalance, binary, binary-noise, "
            "grouped, outliers, l1, multiclass, generalisation, or all.",
        ),
    ],
    splits: Annotated[int, typer.Option(help="Random splits; the paper's are 100.", min=1)] = 10,
    large_splits: Annotated[
        int, typer.Option(help="Splits of MD and SR at most; the digits have 1.", min=1)
    ] = 3,
    digits: Annotated[
        str, typer.Option(help="The digits as a part of 6000, whole, both, or none.")
    ] = "part",
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data files; else OPTIMARGIN_DATA.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes; 0 is one a core.", min=0)] = 0,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for one fit and its predictions.", min=0.01)
    ] = 300.0,
    store: Annotated[
        Path, typer.Option(help="File that keeps the results; resumes from it.")
    ] = Path("optimargin-results.sqlite"),
    cells: Annotated[
        Path | None,
        typer.Option(help="Exported results (.csv, .csv.gz, .parquet): read before, if there."),
    ] = None,
    export: Annotated[Path | None, typer.Option(help="File for every single result.")] = None,
    report: Annotated[Path, typer.Option(help="HTML page to write.")] = Path(
        "optimargin-report.html"
    ),
    page: Annotated[
        Path | None, typer.Option(help="Markdown page to write, with a folder of figures.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run failures and time-outs again.")
    ] = False,
    forget: Annotated[
        list[str] | None, typer.Option(help="Method whose stored results to discard first; repeat.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Write the report of what is stored; run nothing.")
    ] = False,
) -> None:
    """Run parts of the paper's experiments; interrupted, the same command goes on."""
    from optimargin.experiments.exchange import export_cells, import_cells
    from optimargin.experiments.paper import reproduce as paper
    from optimargin.experiments.paper.plans import Effort
    from optimargin.experiments.progress import Bar
    from optimargin.experiments.store import Store

    if digits not in ("part", "whole", "both", "none"):
        raise typer.BadParameter(f"{digits!r} is not one of part, whole, both, none")
    effort = Effort(splits, large_splits, digits=digits, folder=None if data is None else str(data))
    reproduction = paper.plan_of(names, effort)
    interrupted = False
    with Store(store) as opened:
        if cells is not None and cells.exists():
            print(f"{import_cells(opened, cells)} results read from {cells}")
        for method in forget or ():
            print(f"{opened.forget(method)} results of {method} discarded")
        if not show:
            ran = paper.compute(
                reproduction,
                opened,
                jobs=jobs or paper.default_jobs(),
                time_limit=time_limit,
                retry_failed=retry_failed,
                progress=Bar(),
            )
            interrupted = ran.interrupted
            counts = ", ".join(f"{count} {status}" for status, count in ran.statuses.items())
            print(f"{ran.computed} cells computed ({counts or 'none'}), {ran.found} found")
        # What was run, not where it wrote: the same results give the same page.
        command = f"optimargin reproduce {' '.join(names)} --splits {splits}"
        command += f" --large-splits {large_splits} --digits {digits}"
        document = paper.write_document(reproduction, opened, command)
        print(f"Wrote {document.write_html(report)}")
        if page is not None:
            print(f"Wrote {document.write_markdown(page)}")
        if export is not None:
            print(f"Wrote {export_cells(opened, export)} results to {export}")
    if interrupted:
        raise typer.Exit(130)
