"""Tables in the first of several shapes that the terminal is wide enough for."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.table import Table

UNBOUNDED = 10_000
"""Columns; wider than any table."""


@dataclass(frozen=True, slots=True)
class FirstThatFits:
    """Rich renderable: the first shape that needs no breaking, else the last."""

    shapes: tuple[tuple[Table, ...], ...]
    """Each a table, or a few beneath each other."""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[Table]:
        """The tables of the shape."""
        unbounded = options.update(max_width=UNBOUNDED)

        def fits(table: Table) -> bool:
            needed = Measurement.get(console, unbounded, table).maximum
            return needed <= options.max_width

        for shape in self.shapes[:-1]:
            if all(map(fits, shape)):
                yield from shape
                return
        yield from self.shapes[-1]
