"""Rules of a sweep file that join several keys or need a sentence of explanation. Pure:
parts in, problems out; what could not be read is passed over, not guessed."""

from collections.abc import Collection, Hashable, Iterator, Sequence

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
from specbench.schema.sweep import AA, BASELINE, Arm, Load, Measure, Workload

MOST_REQUESTS = 1_000_000
"""Requests that one cell may hold; more is taken for a slip of the pen."""


def check_rules(parts: Parts, engines: Collection[str] | None) -> Iterator[Problem]:
    """All broken rules. `engines`: names that have an adapter; None = not checked."""
    yield from check_labels(parts.targets)
    for place, target in parts.targets:
        yield from check_engine(place, target, engines)
        yield from check_args(place, target)
    yield from check_arms(parts.arms)
    if parts.workload:
        yield from check_workload(parts.workload)
    if parts.load:
        concurrency = parts.load.concurrency
        yield from _duplicates(("load", "concurrency"), concurrency)
    for place, target in parts.targets:
        if parts.load:
            yield from check_caps(place, target, parts.load)
        if parts.workload:
            yield from check_length(place, target, parts.workload)
        if parts.measure:
            yield from check_port(place, target, parts.measure)
    if parts.measure and parts.load:
        yield from check_measure(parts.measure, parts.load)


def check_arms(arms: Sequence[tuple[Place, Arm]]) -> Iterator[Problem]:
    """Arms are told apart by name, and each of them speculates."""
    first: dict[str, Place] = {}
    for place, arm in arms:
        owner = first.setdefault(arm.name, place)
        if arm.name.casefold() == BASELINE:
            yield Problem(
                (*place, "name"),
                f'"{arm.name}" is the arm without speculation, which is always there;'
                " choose another name",
            )
        elif arm.name.casefold() == AA:
            yield Problem(
                (*place, "name"),
                f'"{arm.name}" is the second baseline of `specbench run --aa`; choose'
                " another name",
            )
        elif owner != place:
            message = f'"{arm.name}" is already the name of {describe_place(owner)}'
            yield Problem((*place, "name"), message)
        if not arm.speculative:
            yield Problem(
                (*place, "speculative"),
                "is empty, so the arm would be a second baseline; expected the"
                " engine's own speculative configuration",
            )


def check_workload(work: Workload) -> Iterator[Problem]:
    """Every entry of an axis is a different point."""
    for i, name in enumerate(work.datasets):
        if not name.strip():
            where = ("workload", "datasets", i)
            yield Problem(where, "expected a name or a path, got a blank")
    yield from _duplicates(("workload", "datasets"), work.datasets)
    yield from _duplicates(("workload", "context"), work.context)
    # Six digits, as in the names of cells: 0.7 and 0.7000001 are one point.
    temperatures = [f"{value:g}" for value in work.temperature]
    yield from _duplicates(("workload", "temperature"), temperatures)


def check_measure(measure: Measure, load: Load) -> Iterator[Problem]:
    """The largest cell is one that somebody can mean."""
    highest = max(load.concurrency)
    if highest > MOST_REQUESTS:
        place: Place = ("load", "concurrency", load.concurrency.index(highest))
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


def _duplicates(place: Place, values: Sequence[Hashable]) -> Iterator[Problem]:
    first: dict[Hashable, int] = {}
    for i, value in enumerate(values):
        owner = first.setdefault(value, i)
        if owner != i:
            message = f"{value} is there already, as {describe_place((*place, owner))}"
            yield Problem((*place, i), message)
