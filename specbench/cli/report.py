"""`specbench report`: tables, CSV, Markdown, JSON and plots from a stored run."""

from pathlib import Path

import typer

from specbench.cli.streams import ReportFormat, tell
from specbench.errors import ExitCode


def report(
    run: str = typer.Argument(
        "latest", help="A run's folder, or `latest`.", metavar="RUN"
    ),
    results: Path = typer.Option(
        Path("results"), "--results", metavar="DIR", help="Where runs are stored."
    ),
    out: Path | None = typer.Option(
        None,
        "--out",
        metavar="DIR",
        help="Write the derived files there; by default into the run's folder.",
        show_default=False,
    ),
    no_files: bool = typer.Option(
        False, "--no-files", help="Only print; write no file."
    ),
    format_: ReportFormat = typer.Option(
        ReportFormat.TABLE, "--format", help="How the result is printed."
    ),
) -> None:
    """Derive every figure again from a stored run, print it and write the files.

    Example: specbench report latest --format csv --no-files
    """
    from specbench.cli.show import show_run
    from specbench.runner.derive import conclude_run, write_reports
    from specbench.store.derived import DerivedWriter
    from specbench.store.reader import open_run

    stored = open_run(run, results)
    derived = conclude_run(stored)
    if not no_files:
        folder = out or stored.folder
        write_reports(DerivedWriter(folder), derived)
        tell(f"files written to {folder}")
    show_run(derived, format_)
    if derived.damaged:
        for line in derived.damaged:
            tell(f"error: {line}")
        raise typer.Exit(ExitCode.RESULTS_DAMAGED)
