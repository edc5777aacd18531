"""The selftest as a table and as rows."""

from dataclasses import replace

from rich.console import Console

from specbench.report.selftest_table import COLUMNS, selftest_csv_rows, selftest_table
from specbench.schema.selftest import SelftestVerdict
from tests.unit.selftests import level

WIDTH = 100


def shown(*streams: int) -> str:
    """The table as text."""
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as capture:
        console.print(selftest_table([level(n) for n in streams]))
    return capture.get()


def test_each_level_is_a_line_and_fits_a_terminal() -> None:
    lines = shown(16, 1000).splitlines()
    assert all(len(line.rstrip()) <= WIDTH for line in lines)
    assert "…" not in "".join(lines)
    assert any("16 " in line and "carries" in line for line in lines)
    assert any("1000 " in line and "carries" in line for line in lines)


def test_what_is_unknown_is_a_dash_in_the_table_and_empty_in_the_rows() -> None:
    unknown = replace(level(16), lag_p99_s=None, delivered_chunks_per_s=None)
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as capture:
        console.print(selftest_table([unknown]))
    assert capture.get().count("–") == 2
    header, row = selftest_csv_rows([unknown])
    assert row[header.index("lag_p99_s")] == ""
    assert row[header.index("lag_p50_s")] == "0.0001"


def test_every_row_has_a_cell_for_every_column() -> None:
    erring = level(64, SelftestVerdict.ERRS)
    header, *rows = selftest_csv_rows([level(16), erring])
    assert header == [column.name for column in COLUMNS]
    assert {len(row) for row in rows} == {len(header)}
    assert rows[1][header.index("verdict")] == "errs"
    assert rows[1][header.index("reasons")] == "lag p99 9.0 ms (bound 2.0 ms)"
