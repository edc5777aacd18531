"""Tables of replicates whose truth is known: each figure is its column's value, the
deviation of its row, and one of its own. Some may be absent."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from specbench.stats.mean_squares import Rows

Table = tuple[tuple[float | None, ...], ...]


def noisy_table(
    random: Random,
    values: Sequence[float],
    rows: int,
    deviations: tuple[float, float],
    absent: float = 0.0,
) -> Table:
    """`deviations`: of rows, and of single figures beyond that. `absent`: the chance
    that a figure is not there."""
    made = []
    for _ in range(rows):
        of_row = random.gauss(0, deviations[0])
        made.append(
            tuple(
                None
                if absent and random.random() < absent
                else value + of_row + random.gauss(0, deviations[1])
                for value in values
            )
        )
    return tuple(made)


def with_gaps(rows: Rows, there: Sequence[Sequence[bool]]) -> Table:
    """The table without the figures that are not `there`."""
    return tuple(
        tuple(value if keep else None for value, keep in zip(row, mask, strict=True))
        for row, mask in zip(rows, there, strict=True)
    )


@st.composite
def gappy_tables(draw: st.DrawFn, most_rows: int = 5, most_columns: int = 6) -> Table:
    """Any table, with any figures absent."""
    columns = draw(st.integers(1, most_columns))
    cell = st.one_of(st.none(), st.floats(-3, 3).map(lambda v: round(v, 3)))
    row = st.tuples(*[cell] * columns)
    return tuple(draw(st.lists(row, min_size=1, max_size=most_rows)))
