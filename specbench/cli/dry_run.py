"""Shows a plan without starting anything."""

import csv
import io

from specbench.cli.streams import Format, emit, result_console
from specbench.planning.duration import estimate_remaining
from specbench.planning.size import cell_size
from specbench.schema.plan import SweepPlan

COLUMNS = (
    "launch",
    "target",
    "arm",
    "replicate",
    "dataset",
    "context",
    "temperature",
    "concurrency",
    "warmup_requests",
    "measured_requests",
)


def show_plan(plan: SweepPlan, format_: Format) -> None:
    """Print launches, cells and expected time."""
    if format_ is Format.TABLE:
        _show_table(plan)
        return
    rows = plan_rows(plan)
    if format_ is Format.CSV:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
        emit(text.getvalue())
        return
    import orjson

    expected = estimate_remaining(plan, {})
    document = {
        "launches": len(plan.launches),
        "cells": [dict(zip(COLUMNS, row, strict=True)) for row in rows],
        "expected_s": expected.seconds,
        "expected_basis": expected.basis,
    }
    emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def plan_rows(plan: SweepPlan) -> list[tuple[object, ...]]:
    """One row a cell, in the order in which they will be measured."""
    rows: list[tuple[object, ...]] = []
    for launch in plan.launches:
        for key in launch.cells:
            c = key.condition
            size = cell_size(plan.spec.measure, c.concurrency)
            rows.append(
                (
                    launch.index,
                    c.target,
                    key.arm,
                    key.replicate,
                    c.dataset,
                    c.context,
                    c.temperature,
                    c.concurrency,
                    size.warmup,
                    size.measured,
                )
            )
    return rows


def _show_table(plan: SweepPlan) -> None:
    from rich.table import Table

    console = result_console()
    table = Table(title="Launches, in order")
    for name in ("#", "target", "engine", "arm", "replicate", "cells", "requests"):
        table.add_column(
            name, justify="left" if name in {"target", "engine", "arm"} else "right"
        )
    for launch in plan.launches:
        requests = 0
        for key in launch.cells:
            size = cell_size(plan.spec.measure, key.condition.concurrency)
            requests += size.warmup + size.measured
        table.add_row(
            str(launch.index),
            launch.target.label,
            launch.target.engine,
            launch.arm,
            str(launch.replicate),
            str(len(launch.cells)),
            str(requests),
        )
    console.print(table)
    expected = estimate_remaining(plan, {})
    caps = plan.launches[0].caps
    console.print(
        f"{plan.cell_count} cells; admission cap {caps.max_num_seqs} sequences in all"
        f" arms; about {expected.seconds / 60:.0f} min ({expected.basis}).",
        highlight=False,
    )
