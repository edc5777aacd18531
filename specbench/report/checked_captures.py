"""What a check of an adapter found, as rows, and as a table for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.table import Table

from specbench.engines.checking.verdicts import CheckedItem, Verdict

COLUMNS = ("arm", "item", "verdict", "said", "place")
STYLES = {
    Verdict.OK: "green",
    Verdict.MISSING: "bold red",
    Verdict.WRONG: "bold red",
    Verdict.UNSAID: "yellow",
}


def checked_csv_rows(items: Sequence[CheckedItem]) -> list[list[str]]:
    """Header and one line an item."""
    return [list(COLUMNS), *([str(getattr(i, c)) for c in COLUMNS] for i in items)]


def checked_document(items: Sequence[CheckedItem]) -> list[dict[str, str]]:
    """The same for JSON."""
    return [{c: str(getattr(item, c)) for c in COLUMNS} for item in items]


def checked_tables(items: Sequence[CheckedItem]) -> Iterator[Table]:
    """A table for each arm."""
    for arm, own in groupby(items, key=lambda item: item.arm):
        table = Table(
            title=arm,
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            pad_edge=False,
        )
        table.add_column("item", min_width=14, max_width=24)
        table.add_column("", no_wrap=True)
        table.add_column("what the adapter reads", min_width=30, overflow="fold")
        table.add_column("file", overflow="fold", max_width=30)
        for item in own:
            table.add_row(
                item.item,
                item.verdict.value,
                item.said,
                item.place.removeprefix(f"{arm}/"),
                style=STYLES[item.verdict] if item.is_failed else None,
            )
        yield table


def checked_summary(items: Sequence[CheckedItem]) -> str:
    """One line: how many of each."""
    counts = Counter(item.verdict for item in items)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
