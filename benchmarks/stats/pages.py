"""What a benchmark's page in docs/ is made of: its promises, its tables, and its place
between two marks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """One promise, over everything that it speaks of."""

    holds: bool
    text: str

    @property
    def line(self) -> str:
        """For people."""
        return f"- {'holds' if self.holds else 'BROKEN'}: {self.text}"


def save_between(text: str, page: Path, begin: str, end: str) -> None:
    """Between the page's two marks. Raises ValueError where it has none."""
    whole = page.read_text()
    before, found_begin, rest = whole.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError(f"{page} lacks the marks {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{after}")


def percent(share: float) -> str:
    """A share in percent, with one digit."""
    return f"{100 * share:.1f}"


def markdown(headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
