"""Where text goes: results to standard output, everything else to standard error, so
that `specbench ... --format json | jq` works."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


class Format(StrEnum):
    """How a command prints its result."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class ReportFormat(StrEnum):
    """How a run is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def complain(message: str, hint: str = "") -> None:
    """One clear message on standard error."""
    sys.stderr.write(f"error: {message}\n")
    if hint:
        sys.stderr.write(f"hint: {hint}\n")


def tell(message: str) -> None:
    """A remark that is no part of the result."""
    sys.stderr.write(f"{message}\n")


def emit(text: str) -> None:
    """Part of the result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def result_console() -> "Console":
    """A console on standard output; 100 columns where there is no terminal."""
    from rich.console import Console

    if not sys.stdout.isatty():
        return Console(width=100)
    # tables need 80 columns: a narrower terminal wraps lines, and loses nothing
    console = Console()
    return console if console.width >= 80 else Console(width=80)
