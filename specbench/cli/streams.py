"""Where text goes: results to standard output, everything else to standard error, so
that `specbench ... --format json | jq` works."""

import contextlib
import os
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from specbench.errors import ExitCode

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


@contextlib.contextmanager
def told_when_interrupted(what: str) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the command with a word about what is left of it."""
    try:
        yield
    except KeyboardInterrupt:
        import typer

        tell(f"interrupted; {what}")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def result_console() -> "Console":
    """A console on standard output; 100 columns where there is no terminal."""
    from rich.console import Console

    if not sys.stdout.isatty():
        return Console(width=100)
    # tables need 80 columns: a narrower terminal wraps lines, and loses nothing
    console = Console()
    return console if console.width >= 80 else Console(width=80)


def open_standard_streams() -> None:
    """Give a process that was started with a closed standard stream an empty one: else
    the next file or socket that is opened takes its number, and children take it for
    the stream."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115
