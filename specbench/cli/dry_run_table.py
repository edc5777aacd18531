"""A run that has not begun, for a terminal: its launches, where they run, what they
take, and the memory."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.host.gpu_choice import find_gpu
from specbench.planning.duration import estimate_launch
from specbench.planning.size import cell_size
from specbench.report import words
from specbench.report.memory_words import memory_rows
from specbench.runner.forecast import Forecast
from specbench.runner.placement import Place, Placement
from specbench.schema.plan import LaunchPlan


def forecast_table(forecast: Forecast) -> RenderableType:
    """All of it."""
    return Group(*_parts(forecast))


def _parts(forecast: Forecast) -> Iterator[RenderableType]:
    yield _launches(forecast)
    for line in placement_lines(forecast.placement):
        yield Text(line)
    caps = {x.target.label: x.caps.max_num_seqs for x in forecast.plan.launches}
    for label, sequences in caps.items():
        of = f" of {label}" if len(caps) > 1 else ""
        yield Text(f"admission cap: {sequences} sequences in all arms{of}")
    yield Text("")
    yield Text("Time", style="bold underline")
    yield from map(_indented, time_lines(forecast))
    yield Text("")
    for memory in forecast.memory:
        yield Text(f"Memory of {memory.target}", style="bold underline")
        yield _pairs(memory_rows(memory, forecast.plan.spec))
        yield Text("")
    yield from (Text(f"note: {note}") for note in forecast.notes)


def _launches(forecast: Forecast) -> Table:
    plan = forecast.plan
    where: tuple[str, ...] = ("wave", "place") if plan.is_side_by_side else ()
    gpus = [_gpu_numbers(forecast, launch) for launch in forecast.launches]
    if any(gpus):
        where = (*where, "GPU")
    title = "First round of the search" if plan.is_adaptive else "Launches, in order"
    table = Table(title=title)
    texts = {"GPU", "target", "engine", "arm"}
    turn = "round" if plan.is_adaptive else "replicate"
    heads = ("#", *where, "target", "engine", "arm", turn, "cells", "requests", "about")
    for name in heads:
        table.add_column(name, justify="left" if name in texts else "right")
    for launch, numbers in zip(forecast.launches, gpus, strict=True):
        expected = estimate_launch(plan, launch, {}, forecast.known)
        at = {"wave": str(launch.wave), "place": str(launch.place), "GPU": numbers}
        table.add_row(
            str(launch.index),
            *(at[name] for name in where),
            launch.target.label,
            launch.target.engine,
            launch.arm,
            str(launch.replicate),
            str(len(launch.cells)),
            str(_requests(forecast, launch)),
            words.duration(expected.seconds),
        )
    return table


def _gpu_numbers(forecast: Forecast, launch: LaunchPlan) -> str:
    """NVML's numbers of a launch's GPUs, or what else they are called by; empty = it
    computes on the CPU."""
    placement = forecast.placement
    place = placement.numbered(launch.target.label)[launch.place]
    found = [(entry, find_gpu(placement.host.gpus, entry)) for entry in place.gpus]
    return ", ".join(str(gpu.index) if gpu else entry for entry, gpu in found)


def _requests(forecast: Forecast, launch: LaunchPlan) -> int:
    sizes = [cell_size(forecast.plan.spec.measure, k.condition) for k in launch.cells]
    return sum(size.warmup + size.measured for size in sizes)


def time_lines(forecast: Forecast) -> Iterator[str]:
    """What the machine will be busy for, and what says so."""
    plan, expected = forecast.plan, forecast.expected
    about = f"about {words.duration(expected.seconds)} ({expected.basis})"
    if not plan.is_adaptive:
        launches = words.counted(len(plan.launches), "launch", "launches")
        yield f"{words.counted(plan.cell_count, 'cell')} in {launches}: {about}"
    else:
        for first in forecast.first_rounds:
            yield (
                f"first round on {first.target}: {first.round.why}; about"
                f" {words.duration(first.expected.seconds)} ({first.expected.basis})"
            )
        yield (
            f"at most, the grid of {words.counted(plan.cell_count, 'cell')} in"
            f" {words.counted(len(plan.launches), 'launch', 'launches')}: {about}"
        )
        if (budget_s := plan.spec.search.budget_s) is not None:
            yield (
                f"the budget: nothing new begins after {words.duration(budget_s)} of"
                " the whole run"
            )
    if plan.spec.workload.turns == "all":
        yield "first answers for second turns are asked once before that"


def placement_lines(placement: Placement) -> Iterator[str]:
    """Whether launches run side by side, and on what."""
    for label in placement.places:
        places = placement.numbered(label)
        each = [
            f"place {number}{f' has {on}' if (on := device_words(place)) else ''}"
            for number, place in places.items()
        ]
        if len(places) > 1:
            at_once = f"{len(places)} launches at a time, side by side: "
            yield f"{label}: {at_once}{'; '.join(each)}"
            continue
        ((number, place),) = places.items()
        on = device_words(place)
        where = f" (place {number})" if placement.most_places > 1 else ""
        yield f"{label}: one launch at a time{f', on {on}' if on else ''}{where}"
    for group in placement.together:
        if len(group) > 1:
            yield f"at the same time: {words.listed(group)}"
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


def _pairs(rows: tuple[tuple[str, str], ...]) -> Padding:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, line in rows:
        table.add_row(name, Text(line))
    return Padding(table, (0, 0, 0, 2))


def _indented(line: str) -> Padding:
    return Padding(Text(line), (0, 0, 0, 2))
