"""Shows a plan without starting anything: what runs in which order, where, and for how
long."""

import csv
import io
from collections.abc import Iterator

from specbench.cli.streams import Format, emit, result_console
from specbench.planning.duration import estimate_remaining
from specbench.planning.size import cell_size
from specbench.runner.placement import Place, Placement
from specbench.schema.plan import SweepPlan

COLUMNS = (
    "launch",
    "wave",
    "place",
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


def show_plan(plan: SweepPlan, placement: Placement, format_: Format) -> None:
    """Print launches, cells and expected time."""
    if format_ is Format.TABLE:
        _show_table(plan, placement)
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
        "is_aa": plan.is_aa,
        "places": placement.places,
        "notes": [*plan.notes, *placement.notes],
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
            size = cell_size(plan.spec.measure, c)
            rows.append(
                (
                    launch.index,
                    launch.wave,
                    launch.place,
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


def _show_table(plan: SweepPlan, placement: Placement) -> None:
    from rich.table import Table

    console = result_console()
    where = ("wave", "place") if plan.is_side_by_side else ()
    table = Table(title="Launches, in order")
    texts = {"target", "engine", "arm"}
    for name in (
        "#",
        *where,
        "target",
        "engine",
        "arm",
        "replicate",
        "cells",
        "requests",
    ):
        table.add_column(name, justify="left" if name in texts else "right")
    for launch in plan.launches:
        requests = 0
        for key in launch.cells:
            size = cell_size(plan.spec.measure, key.condition)
            requests += size.warmup + size.measured
        table.add_row(
            str(launch.index),
            *((str(launch.wave), str(launch.place)) if where else ()),
            launch.target.label,
            launch.target.engine,
            launch.arm,
            str(launch.replicate),
            str(len(launch.cells)),
            str(requests),
        )
    console.print(table)
    for line in (*placement_lines(placement), *plan.notes, *placement.notes):
        console.print(line, highlight=False, markup=False)
    expected = estimate_remaining(plan, {})
    caps = plan.launches[0].caps
    console.print(
        f"{plan.cell_count} cells; admission cap {caps.max_num_seqs} sequences in all"
        f" arms; about {expected.seconds / 60:.0f} min ({expected.basis}).",
        highlight=False,
    )


def placement_lines(placement: Placement) -> Iterator[str]:
    """Whether launches of a target run side by side, and on what."""
    for label, places in placement.places.items():
        if len(places) == 1:
            on = device_words(places[0])
            yield f"{label}: one launch at a time{f', on {on}' if on else ''}"
            continue
        each = "; ".join(
            f"place {number} has {device_words(place)}"
            for number, place in enumerate(places)
        )
        yield f"{label}: {len(places)} launches at a time, side by side: {each}"
    if placement.client_cpus is not None:
        yield f"load generator: {_numbered('CPU', placement.client_cpus)}"


def device_words(place: Place) -> str:
    """What an engine computes on; empty = whatever there is."""
    if place.gpus:
        return _numbered("GPU", place.gpus)
    return _numbered("CPU", place.engine_cpus or ())


def _numbered(what: str, which: tuple[str, ...] | tuple[int, ...]) -> str:
    if not which:
        return ""
    return f"{what}{'s' if len(which) > 1 else ''} {', '.join(map(str, which))}"
