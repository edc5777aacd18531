"""The client benchmark: what its reference may be, and where its bounds lie."""

import ast
import importlib
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "client"
MODULES = ("table", "trial", "metering", "peers")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Its modules, which lie beside each other and in no package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def figures(bench: dict[str, Any], **changed: float) -> Any:
    """A trial like any other."""
    usual = bench["trial"].Figures(
        seconds=20.0,
        cpu_us_per_chunk=10.0,
        lag_p50_s=0.0001,
        lag_p99_s=0.0004,
        ttft_error_p50_s=0.0002,
        ttft_error_p99_s=0.0005,
        tpot_error_p50=0.0,
        tpot_error_p99=0.0,
        delivered_share=1.0,
        lost_chunks=0,
        failed=0,
        server_late_p99_s=0.0004,
    )
    return replace(usual, **changed)


def verdicts(bench: dict[str, Any], **rows: Any) -> list[bool]:
    """Which bounds hold, in their order."""
    table = bench["table"]
    named = {name: table.summarise(name, [found]) for name, found in rows.items()}
    return [bound.holds for bound in table.check(named)]


def test_the_reference_is_short_and_imports_nothing_of_ours() -> None:
    text = (FOLDER / "reference.py").read_text()
    assert len(text.splitlines()) < 60
    imported = {
        name.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported == {"asyncio", "orjson", "pathlib", "sys", "time", "uvloop"}


@pytest.mark.parametrize("name", ["lag_p50_s", "lag_p99_s"])
def test_lag_is_held_to_the_reference_s_with_a_little_room(
    bench: dict[str, Any], name: str
) -> None:
    reference = figures(bench)
    bound = 1.25 * getattr(reference, name) + 0.0002
    inside = figures(bench, **{name: bound * 0.999})
    outside = figures(bench, **{name: bound * 1.001})
    assert verdicts(bench, reference=reference, ours=inside) == [True] * 3
    assert verdicts(bench, reference=reference, ours=outside).count(False) == 1


@pytest.mark.parametrize(("other", "part"), [("plain_httpx", 5), ("with_aiohttp", 2)])
def test_cpu_is_held_to_a_part_of_the_others(
    bench: dict[str, Any], other: str, part: int
) -> None:
    just = {other: figures(bench, cpu_us_per_chunk=10.0 * part)}
    under = {other: figures(bench, cpu_us_per_chunk=9.99 * part)}
    assert verdicts(bench, ours=figures(bench), **just) == [True, True]
    assert verdicts(bench, ours=figures(bench), **under) == [True, False]


@pytest.mark.parametrize("name", ["lost_chunks", "failed"])
def test_a_loss_in_any_block_fails(bench: dict[str, Any], name: str) -> None:
    table = bench["table"]
    blocks = [figures(bench), figures(bench, **{name: 1}), figures(bench)]
    row = table.summarise("ours", blocks)
    assert not table.check({"ours": row})[0].holds


def test_blocks_are_joined_by_their_medians(bench: dict[str, Any]) -> None:
    blocks = [figures(bench, lag_p99_s=lag) for lag in (0.001, 5.0, 0.002)]
    row = bench["table"].summarise("ours", blocks)
    assert row.figures.lag_p99_s == 0.002
    assert row.figures.seconds == 60.0
    assert row.blocks == 3


def test_a_rate_that_is_unknown_is_a_dash(bench: dict[str, Any]) -> None:
    row = bench["table"].summarise("x", [figures(bench, delivered_share=math.nan)])
    text = bench["table"].markdown([row])
    assert "nan" not in text
    assert "–" in text


def test_a_program_that_is_not_there_is_said_and_not_an_error(
    bench: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIPERF", str(tmp_path / "absent"))
    run = bench["peers"].run_peer("aiperf", 1, 1.0, tmp_path)
    assert run.figures is None
    assert any("AIPERF" in line for line in bench["peers"].peer_table([run]))
