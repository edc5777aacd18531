"""Shows what a run would do without starting anything: what runs in which order, where,
for how long, and with how much memory."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from specbench.cli.streams import Format, emit, result_console
from specbench.planning.duration import DurationEstimate
from specbench.planning.size import cell_size
from specbench.runner.forecast import FirstRound, Forecast
from specbench.schema.plan import LaunchPlan

COLUMNS = (
    "launch",
    "wave",
    "place",
    "gpus",
    "target",
    "arm",
    "replicate",
    "dataset",
    "context",
    "temperature",
    "concurrency",
    "request_rate",
    "warmup_requests",
    "measured_requests",
)


def show_forecast(forecast: Forecast, format_: Format) -> None:
    """Print it in the wanted form."""
    if format_ is Format.TABLE:
        from specbench.cli.dry_run_table import forecast_table

        result_console().print(forecast_table(forecast))
    elif format_ is Format.CSV:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in launch_rows(forecast, forecast.launches):
            writer.writerow(";".join(v) if isinstance(v, list) else v for v in row)
        emit(text.getvalue())
    else:
        import orjson

        document = forecast_document(forecast)
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def forecast_document(forecast: Forecast) -> dict[str, Any]:
    """As JSON. Of an adaptive search `launches`, `cells` and `expected_s` are those of
    the grid, which it does not exceed, and `first_rounds` is what it begins with."""
    from specbench.report.json_report import plain

    plan = forecast.plan
    document = {
        "mode": "adaptive" if plan.is_adaptive else "grid",
        "launches": len(plan.launches),
        "is_aa": plan.is_aa,
        "places": forecast.placement.places,
        "together": forecast.placement.together,
        "notes": list(forecast.notes),
        "cells": _named_rows(forecast, plan.launches),
        **_expected(forecast.expected),
        "memory": [plain(memory) for memory in forecast.memory],
    }
    if plan.is_adaptive:
        document["budget_s"] = plan.spec.search.budget_s
        document["first_rounds"] = [
            _round(forecast, one) for one in forecast.first_rounds
        ]
    return document


def _round(forecast: Forecast, first: FirstRound) -> dict[str, Any]:
    launches = [launch for wave in first.waves for launch in wave]
    return {
        "target": first.target,
        "why": first.round.why,
        "launches": len(launches),
        "cells": _named_rows(forecast, launches),
        **_expected(first.expected),
    }


def _expected(estimate: DurationEstimate) -> dict[str, Any]:
    return {
        "expected_s": estimate.seconds,
        "expected_cell_s": estimate.cell_s,
        "expected_basis": estimate.basis,
    }


def _named_rows(
    forecast: Forecast, launches: Iterable[LaunchPlan]
) -> list[dict[str, object]]:
    rows = launch_rows(forecast, launches)
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def launch_rows(
    forecast: Forecast, launches: Iterable[LaunchPlan]
) -> list[tuple[object, ...]]:
    """One row a cell, in the order in which they will be measured. What a loop does not
    have is None, and `gpus` are empty where the engine computes on the CPU."""
    rows: list[tuple[object, ...]] = []
    for launch in launches:
        places = forecast.placement.numbered(launch.target.label)
        gpus = places[launch.place].gpus
        for key in launch.cells:
            c = key.condition
            size = cell_size(forecast.plan.spec.measure, c)
            rows.append(
                (
                    launch.index,
                    launch.wave,
                    launch.place,
                    list(gpus),
                    c.target,
                    key.arm,
                    key.replicate,
                    c.dataset,
                    c.context,
                    c.temperature,
                    c.concurrency or None,
                    c.request_rate or None,
                    size.warmup,
                    size.measured,
                )
            )
    return rows
