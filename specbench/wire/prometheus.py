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
    lines = [
        "" if line.lstrip().startswith("#") else line.rstrip("\r")
        for line in text.split("\n")
    ]
    try:
        return _parse("\n".join(lines))
    except _PARSER_ERRORS as error:
        raise _broken_line(lines, error) from error


def _parse(text: str) -> list[Series]:
    return [
        Series(sample.name, dict(sample.labels), float(sample.value))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    ]


def _broken_line(lines: list[str], error: Exception) -> WireError:
    """The parser does not say where it failed: ask it line by line."""
    for number, line in enumerate(lines, start=1):
        try:
            _parse(line)
        except _PARSER_ERRORS:
            quoted = repr(line[:_QUOTED_CHARS])
            return WireError(f"line {number} is not a metrics sample: {quoted}")
    return WireError(f"not a metrics page: {error}")


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
