"""`specbench import`: measurements that somebody else has made."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from specbench.cli.streams import ReportFormat, emit, result_console

if TYPE_CHECKING:
    from specbench.schema.point import PointFindings

app = typer.Typer(
    help="Break-evens from measurements that were made elsewhere.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def about() -> None:
    """Break-evens from measurements that were made elsewhere."""


@app.command()
def points(
    file: Path = typer.Argument(
        ..., help="A CSV file of points.", metavar="FILE", show_default=False
    ),
    format_: ReportFormat = typer.Option(
        ReportFormat.TABLE, "--format", help="How the answers are printed."
    ),
) -> None:
    """Break-evens from a CSV file of measured points or of ready speedups.

    One row a point; docs/points.md describes the columns. An arm is set beside a
    baseline (drafter `none`) only where source, GPU, engine and its version, model,
    weights, cache, data set and context all agree. Rows with several replicates give
    intervals.

    Example: specbench import points published/gpu-points.csv
    """
    from specbench.analysis.point_answers import conclude_points
    from specbench.store.points_file import read_points

    _show(conclude_points(read_points(file)), format_)


def _show(findings: "PointFindings", format_: ReportFormat) -> None:
    if format_ is ReportFormat.JSON:
        from specbench.report.points_json import points_json

        emit(points_json(findings))
    elif format_ is ReportFormat.CSV:
        from specbench.report.points_csv import points_csv

        emit(points_csv(findings))
    elif format_ is ReportFormat.MARKDOWN:
        from specbench.report.points_markdown import points_markdown

        emit(points_markdown(findings))
    else:
        from specbench.report.points_table import points_table

        result_console().print(points_table(findings))
