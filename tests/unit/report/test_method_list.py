"""The registry as rows, and the page that is made from it."""

from pathlib import Path

import pytest
from rich.console import Console

from specbench.engines import ADAPTERS
from specbench.engines.known_methods import METHODS_BY_ENGINE
from specbench.report.method_list import (
    COLUMNS,
    method_csv_rows,
    method_document,
    method_rows,
)
from specbench.report.method_tables import method_tables
from specbench.report.methods_page import methods_markdown

PAGE = Path(__file__).parents[3] / "docs" / "methods.md"
NAMES = {name: adapter.methods for name, adapter in ADAPTERS.items()}
ROWS = method_rows(NAMES, METHODS_BY_ENGINE)


def shown(width: int) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        for part in method_tables(NAMES, METHODS_BY_ENGINE):
            console.print(part)
    return capture.get()


def test_every_method_and_every_engine_has_a_row() -> None:
    listed = {(row.engine, row.name) for row in ROWS if row.kind == "method"}
    for engine, methods in METHODS_BY_ENGINE.items():
        if engine in NAMES:
            assert {(engine, method.name) for method in methods.methods} <= listed
    assert {engine for engine, _ in listed} == set(NAMES)


def test_rows_say_what_a_method_is() -> None:
    (suffix,) = [row for row in ROWS if row.name == "suffix"]
    assert suffix.learns is True
    assert suffix.reset is not None
    assert suffix.package == "arctic-inference==0.1.1"
    assert suffix.lossless == "by key: rejection_sample_method"
    assert "suffix_decoding_max_tree_depth" in suffix.keys
    assert "prompt_lookup_max" not in suffix.keys


def test_csv_has_a_field_for_each_documented_column() -> None:
    header, *lines = method_csv_rows(ROWS)
    assert header == [column.name for column in COLUMNS]
    assert len(lines) == len(ROWS)
    assert all(len(line) == len(header) for line in lines)
    assert list(method_document(ROWS)[0]) == header
    assert all(column.meaning for column in COLUMNS)


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_and_keep_every_name_whole(width: int) -> None:
    text = shown(width)
    assert max(len(line) for line in text.splitlines()) <= width
    for row in ROWS:
        if row.kind == "method" and row.name is not None:
            assert row.name in text
    assert "…" not in text
    for row in ROWS:
        for word in (row.good_for or "").split() if row.absent is None else ():
            assert word in text


def test_page_of_the_methods_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == methods_markdown(METHODS_BY_ENGINE)
