"""Cells of one server without a partner: a table and a JSON document."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.json_report import plain, plain_cell
from specbench.schema.findings import CellStats, Distribution
from specbench.schema.record import EngineFacts

FORMAT_VERSION = 1


def measured_json(facts: EngineFacts, cells: Sequence[CellStats]) -> str:
    """Strict JSON, unrounded; the figures of the whole run are under `whole_run`."""
    document: dict[str, Any] = {
        "format": "specbench-measure",
        "format_version": FORMAT_VERSION,
        "server": plain(facts),
        "cells": [plain_cell(cell) for cell in cells],
    }
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(document, option=options).decode()


def measured_table(facts: EngineFacts, cells: Sequence[CellStats]) -> RenderableType:
    """Figures down, loads across: window first, then the whole run."""
    title = f"{facts.model_id or 'unknown model'} on {facts.engine}"
    if facts.version:
        title += f" {facts.version}"
    table = Table(title=title, title_justify="left")
    table.add_column("figure")
    table.add_column("unit")
    for cell in cells:
        table.add_column(f"c={cell.key.condition.concurrency}", justify="right")
    for name, unit, pick in ROWS:
        if name == WHOLE_RUN:
            table.add_section()
        table.add_row(name, unit, *(pick(cell) for cell in cells))
    remarks = [
        Text(
            f"c={c.key.condition.concurrency}: {f.severity.value}: {f.message};"
            f" {f.advice}"
        )
        for c in cells
        for f in c.findings
    ]
    return Group(table, *remarks)


Pick = Callable[[CellStats], str]
WHOLE_RUN = "whole run: output throughput"


def _figure(name: str, form: words.Form) -> Pick:
    return lambda cell: words.shown(getattr(cell, name), form)


def _latency(name: str, quantile: str) -> Pick:
    return lambda cell: _of(getattr(cell, name), quantile)


def _whole(name: str, quantile: str) -> Pick:
    return lambda cell: _of(getattr(cell.whole_run, name), quantile)


def _of(latency: Distribution | None, quantile: str) -> str:
    value = None if latency is None else getattr(latency, quantile)
    return words.shown(value, words.milliseconds)


def _acceptance(name: str) -> Pick:
    def pick(cell: CellStats) -> str:
        value = getattr(cell.acceptance, name) if cell.acceptance else None
        return words.shown(value, words.significant)

    return pick


def _drift(cell: CellStats) -> str:
    return words.shown(cell.drift.ratio if cell.drift else None, words.share)


def _outcomes(cell: CellStats) -> str:
    return f"{cell.completed} / {cell.empty} / {cell.failed}"


ROWS: tuple[tuple[str, str, Pick], ...] = (
    ("completed / of these empty / failed", "requests", _outcomes),
    ("window", "s", _figure("window_s", words.significant)),
    ("in flight", "requests", _figure("in_flight", words.batch)),
    ("running batch", "sequences", _figure("running_batch", words.batch)),
    ("output throughput", "tokens/s", _figure("output_throughput", words.significant)),
    ("TTFT p50", "ms", _latency("ttft", "p50")),
    ("TTFT p99", "ms", _latency("ttft", "p99")),
    ("TPOT p50", "ms", _latency("tpot", "p50")),
    ("TPOT p99", "ms", _latency("tpot", "p99")),
    ("chunk gap p50", "ms", _latency("chunk_gap", "p50")),
    ("ITL mean", "ms", _latency("itl", "mean")),
    ("end-to-end p50", "ms", _latency("e2e_latency", "p50")),
    ("acceptance rate", "", _acceptance("rate")),
    ("acceptance length", "tokens", _acceptance("length")),
    ("tokens per step", "tokens", _figure("tokens_per_step", words.significant)),
    ("looping share", "", _figure("looping_share", words.share)),
    ("client lag p99", "ms", _figure("client_lag_p99", words.lag)),
    ("client CPU", "", _figure("client_cpu_share", words.share)),
    ("window / whole run", "", _figure("window_share", words.share)),
    ("drift, last / first third", "", _drift),
    (
        WHOLE_RUN,
        "tokens/s",
        lambda c: words.shown(c.whole_run.output_throughput, words.significant),
    ),
    ("whole run: TTFT mean", "ms", _whole("ttft", "mean")),
    ("whole run: TPOT mean", "ms", _whole("tpot", "mean")),
    ("whole run: usual TPOT mean", "ms", _whole("tpot_usual", "mean")),
)
