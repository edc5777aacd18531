"""The text of a metrics page to series. Names stay as exposed (`..._total`), label
values are unescaped, comment lines decide nothing: the type lines are left out before
parsing, because prometheus_client renames the samples of counters by them."""

from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

from specbench.wire.errors import WireError

_DERIVED = ("_bucket", "_created")
"""Companions of a series that no figure is made of: histogram buckets, and the time
of creation that each counter carries (some 1.8e9, easily taken for a count)."""

_PARSER_ERRORS = (ValueError, IndexError, OverflowError)
"""What prometheus_client 0.26 raises for lines that are no samples."""

_QUOTED_CHARS = 120


@dataclass(frozen=True, slots=True)
class Series:
    """One sample line."""

    name: str
    labels: dict[str, str]
    value: float


def parse_exposition(text: str) -> list[Series]:
    """All sample lines, in order. Raises WireError naming the line that is none."""
    found: list[Series] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith("#"):
            found += _parse_line(line, number)
    return found


def _parse_line(line: str, number: int) -> list[Series]:
    """Line by line, because the parser does not say where it failed."""
    try:
        return [
            Series(sample.name, dict(sample.labels), float(sample.value))
            for family in text_string_to_metric_families(line)
            for sample in family.samples
        ]
    except _PARSER_ERRORS as error:
        quoted = repr(line[:_QUOTED_CHARS])
        raise WireError(f"line {number} is not a metrics sample: {quoted}") from error


def cut_to_prefix(text: str, prefix: str) -> str:
    """Only the sample lines whose name begins with `prefix`, without buckets and
    creation times. Nothing is parsed: a page is read once a second under load."""
    kept = [
        line
        for line in text.split("\n")
        if line.startswith(prefix)
        and not line.startswith("#")
        and not _name(line).endswith(_DERIVED)
    ]
    return "\n".join(kept) + "\n" if kept else ""


def _name(line: str) -> str:
    """Up to the labels or the value; labels may hold anything, names of metrics too."""
    head = line.partition("{")[0].split(maxsplit=1)
    return head[0] if head else ""
