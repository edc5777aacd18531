"""Prints a concluded run."""

from specbench.cli.streams import ReportFormat, emit, result_console
from specbench.runner.derive import Derived


def show_run(derived: Derived, format_: ReportFormat) -> None:
    """The tables, the JSON document, the cells as CSV, or Markdown."""
    findings, facts = derived.findings, derived.facts
    if format_ is ReportFormat.JSON:
        from specbench.report.json_report import report_json

        emit(report_json(findings, facts))
    elif format_ is ReportFormat.CSV:
        from specbench.report.csv_files import cells_csv

        emit(cells_csv(findings))
    elif format_ is ReportFormat.MARKDOWN:
        from specbench.report.markdown import report_markdown

        emit(report_markdown(findings, facts))
    else:
        from specbench.report.tables import run_tables

        result_console().print(run_tables(findings, facts))
