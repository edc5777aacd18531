"""Prints a concluded run."""

from specbench.cli.streams import Format, emit, result_console
from specbench.runner.derive import Derived


def show_run(derived: Derived, format_: Format) -> None:
    """The tables, or the JSON document, or the cells as CSV."""
    findings, facts = derived.findings, derived.facts
    if format_ is Format.JSON:
        from specbench.report.json_report import report_json

        emit(report_json(findings, facts))
    elif format_ is Format.CSV:
        from specbench.report.csv_files import cells_csv

        emit(cells_csv(findings))
    else:
        from specbench.report.tables import run_tables

        result_console().print(run_tables(findings, facts))
