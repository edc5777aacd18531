"""An adaptive search in words: what it cost beside the grid, what each round was for,
why it stopped, and which loads were left out. Text in plain lines; tables and Markdown
only set it."""

from collections.abc import Iterable
from dataclasses import dataclass

from specbench.report import words
from specbench.report.naming import Naming, name_conditions
from specbench.schema.cell import Condition
from specbench.schema.findings import RunFindings
from specbench.schema.search import CurveName, SearchEnd, SearchLog

INTERRUPTED = "It was interrupted: whatever it had not yet decided is open."


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The search of one target."""

    title: str
    cost: str
    rounds: tuple[str, ...]
    ends: tuple[str, ...]
    """A line for each curve, or that it was interrupted."""
    left_out: tuple[str, ...]


def describe_search(log: SearchLog, findings: RunFindings) -> SearchWords:
    """What a reader of the answers should know of the way to them."""
    naming = name_conditions(findings)
    return SearchWords(
        title=f"Search on {log.target}",
        cost=_cost(log, findings),
        rounds=tuple(
            f"round {r.number}: {r.why}"
            f" ({words.counted(sum(map(len, r.cells.values())), 'cell')} in"
            f" {words.counted(len(r.cells), 'launch', 'launches')})"
            for r in log.rounds
        ),
        ends=_ends(log, naming) if log.end else (INTERRUPTED,),
        left_out=tuple(_left_out(log.target, log.end, naming)) if log.end else (),
    )


def _cost(log: SearchLog, findings: RunFindings) -> str:
    cells = sum(cell.key.condition.target == log.target for cell in findings.cells)
    said = (
        f"{words.counted(len(log.rounds), 'round')},"
        f" {words.counted(cells, 'cell')}, {words.duration(log.seconds)}"
    )
    if not log.grid_cell_seconds or not log.grid_seconds:
        return f"{said}; what the grid would have taken is not known"
    return (
        f"{said}: {words.percent(log.cell_seconds / log.grid_cell_seconds)} of the"
        f" grid's cell time (about {words.duration(log.grid_cell_seconds)}),"
        f" {words.percent(log.seconds / log.grid_seconds)} of its whole time with"
        f" launches (about {words.duration(log.grid_seconds)})"
    )


def _ends(log: SearchLog, naming: Naming) -> tuple[str, ...]:
    assert log.end is not None
    return tuple(
        f"{_curve(log.target, end.curve, naming)}: {end.reason.value}: {end.words}"
        for end in log.end.ends
    )


def _left_out(target: str, end: SearchEnd, naming: Naming) -> Iterable[str]:
    """Loads of one curve with one reason share a line."""
    groups: dict[tuple[CurveName, str, int], list[float]] = {}
    for one in end.left_out:
        groups.setdefault((one.curve, one.why, one.launches), []).append(one.load)
    for (curve, why, launches), loads in groups.items():
        often = words.counted(launches, "launch", "launches") if launches else "none"
        listed = words.listed([words.asked(load) for load in loads])
        name = _curve(target, curve, naming)
        yield f"{name}, load {listed}: measured in {often}: {why}"


def _curve(target: str, curve: CurveName, naming: Naming) -> str:
    """The target stands in the title."""
    condition = Condition(target, curve.dataset, curve.context, curve.temperature, 0)
    name = naming.condition(condition).removeprefix(f"{target}, ")
    return f"{curve.arm}, {name}"
