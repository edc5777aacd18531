"""Rules of a sweep file that join several keys or need a sentence of explanation. Pure:
parts in, problems out; what could not be read is passed over, not guessed."""

from collections.abc import Collection, Hashable, Iterator, Sequence

from specbench.planning.arm_rules import check_arms
from specbench.planning.gpu_rules import check_gpus
from specbench.planning.problems import Place, Problem, describe_place
from specbench.planning.tables import Parts
from specbench.planning.target_rules import (
    check_args,
    check_caps,
    check_engine,
    check_labels,
    check_length,
    check_port,
)
from specbench.schema.sweep import (
    Load,
    Measure,
    Search,
    Slo,
    Workload,
)

MOST_REQUESTS = 1_000_000
"""Requests that one cell may hold; more is taken for a slip of the pen."""


def check_rules(parts: Parts, engines: Collection[str] | None) -> Iterator[Problem]:
    """All broken rules. `engines`: names that have an adapter; None = not checked."""
    yield from check_labels(parts.targets)
    for place, target in parts.targets:
        yield from check_engine(place, target, engines)
        yield from check_args(place, target)
    yield from check_arms(parts.arms, [target.label for _, target in parts.targets])
    if parts.workload:
        yield from check_workload(parts.workload)
    if parts.load:
        yield from check_load(parts.load, parts.slo)
    if parts.search and parts.load:
        yield from check_search(parts.search, parts.load)
    yield from _check_targets(parts)
    if parts.measure:
        yield from check_gpus(parts.measure)
    if parts.measure and parts.load:
        yield from check_measure(parts.measure, parts.load)


def _check_targets(parts: Parts) -> Iterator[Problem]:
    """Each target beside what is asked of it."""
    for place, target in parts.targets:
        if parts.load:
            yield from check_caps(place, target, parts.load)
        if parts.workload:
            yield from check_length(place, target, parts.workload)
        if parts.measure:
            yield from check_port(place, target, parts.measure)


def check_workload(work: Workload) -> Iterator[Problem]:
    """Every entry of an axis is a different point."""
    for i, name in enumerate(work.datasets):
        if not name.strip():
            where = ("workload", "datasets", i)
            yield Problem(where, "expected a name or a path, got a blank")
    yield from _duplicates(("workload", "datasets"), work.datasets)
    yield from _duplicates(("workload", "context"), work.context)
    for i, name in enumerate(work.texts):
        if not name.strip():
            yield Problem(("workload", "texts", i), "expected a path, got a blank")
    yield from _duplicates(("workload", "texts"), work.texts)
    # Six digits, as in the names of cells: 0.7 and 0.7000001 are one point.
    temperatures = [f"{value:g}" for value in work.temperature]
    yield from _duplicates(("workload", "temperature"), temperatures)


def check_load(load: Load, slo: Slo | None) -> Iterator[Problem]:
    """A closed or an open loop, each load once; an SLO is about something."""
    if (load.concurrency is None) is (load.request_rate is None):
        found = "neither" if load.concurrency is None else "both"
        yield Problem(
            ("load",),
            "expected either `concurrency = [1, 4, 16, 64]` (a closed loop) or"
            f" `request_rate = [0.5, 1, 2]` (requests per second), found {found}",
        )
    yield from _duplicates(("load", "concurrency"), load.concurrencies)
    # six digits, as in the names of cells
    rates = [f"{rate:g}" for rate in load.rates]
    yield from _duplicates(("load", "request_rate"), rates)
    if slo is not None and not slo.model_dump(exclude_none=True):
        yield Problem(
            ("slo",), "is empty; expected `ttft_ms`, `tpot_ms` or `e2e_ms`, or no table"
        )


def check_search(search: Search, load: Load) -> Iterator[Problem]:
    """The adaptive search has ends to search between."""
    if search.mode == "grid":
        for key, default in (("budget", None), ("assume", "nothing")):
            if getattr(search, key) != default:
                yield Problem(
                    ("search", key), 'only steers `mode = "adaptive"`; a grid has none'
                )
    elif len(load.rates or load.concurrencies) < 2:
        key = "request_rate" if load.is_open else "concurrency"
        yield Problem(
            ("load", key),
            "the adaptive search looks between loads; expected at least two, or"
            ' `search.mode = "grid"`',
        )


def check_measure(measure: Measure, load: Load) -> Iterator[Problem]:
    """The largest cell is one that somebody can mean."""
    if load.is_open:
        yield from _check_open_cells(measure, load)
        return
    highest = max(load.concurrencies, default=1)
    if highest > MOST_REQUESTS:
        place: Place = ("load", "concurrency", load.concurrencies.index(highest))
        yield Problem(place, f"expected at most {MOST_REQUESTS}, got {highest}")
        return
    for place, requests in (
        (("measure", "min_requests"), measure.min_requests),
        (("measure", "requests_per_slot"), measure.requests_per_slot * highest),
    ):
        if requests > MOST_REQUESTS:
            yield Problem(
                place,
                f"a cell at load.concurrency {highest} would send {requests}"
                f" requests; expected at most {MOST_REQUESTS}",
            )


def _check_open_cells(measure: Measure, load: Load) -> Iterator[Problem]:
    highest = max(load.rates)
    if highest * measure.seconds_per_rate > MOST_REQUESTS:
        yield Problem(
            ("load", "request_rate", load.rates.index(highest)),
            f"{measure.seconds_per_rate:g} s at {highest:g} requests per second"
            f" (measure.seconds_per_rate) are more than {MOST_REQUESTS} requests",
        )
    if measure.min_requests > MOST_REQUESTS:
        yield Problem(
            ("measure", "min_requests"),
            f"a cell would send {measure.min_requests} requests; expected at most"
            f" {MOST_REQUESTS}",
        )


def _duplicates(place: Place, values: Sequence[Hashable]) -> Iterator[Problem]:
    first: dict[Hashable, int] = {}
    for i, value in enumerate(values):
        owner = first.setdefault(value, i)
        if owner != i:
            message = f"{value} is there already, as {describe_place((*place, owner))}"
            yield Problem((*place, i), message)
