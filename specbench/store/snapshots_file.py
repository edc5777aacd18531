"""Readings of the metrics page as JSON lines, in the order in which they were taken.
Text in, text out."""

from collections.abc import Sequence

from specbench.schema.snapshot import MetricsSnapshot
from specbench.store.format import from_json, to_json


def encode_snapshots(snapshots: Sequence[MetricsSnapshot]) -> bytes:
    """The file's bytes."""
    return "".join(to_json(snapshot) + "\n" for snapshot in snapshots).encode()


def decode_snapshots(text: str, file: str) -> tuple[MetricsSnapshot, ...]:
    """Raises ResultsError naming file, line and field."""
    # JSON escapes line ends inside texts, and only "\n" ends a line here.
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(
        from_json(MetricsSnapshot, line, f"{file}, line {number}")
        for number, line in enumerate(lines, start=1)
    )
