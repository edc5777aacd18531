"""What stands below the figures: why a dash is a dash, what was found in which cells
with advice, what was left out of the data sets, which launches failed. Text in plain
lines; tables and Markdown only set it."""

from collections.abc import Iterable
from dataclasses import dataclass

from specbench.report import words
from specbench.report.arm_figures import NOT_MEASURED, ArmFigures
from specbench.report.blocks import Block, LoadRow
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.open_figures import LATENCY_FIGURES, open_figures
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import RunFindings, Severity

MAX_LINES = 6
"""Cells listed for one code; the JSON report has all of them."""

VOID_NOTE = "A VOID cell takes part in nothing; a flagged one counts."


@dataclass(frozen=True, slots=True)
class CodeRemark:
    """One code over the whole run."""

    code: str
    severity: Severity
    cell_count: int
    advice: tuple[str, ...]
    lines: tuple[str, ...]
    """`cells: message`; loads with the same message and launches share a line."""

    @property
    def title(self) -> str:
        """Severity in words, so that no colour is needed to see it."""
        effect = "VOID" if self.severity is Severity.VOID else "flagged"
        return f"{self.code}: {words.counted(self.cell_count, 'cell')} {effect}"


def group_by_code(findings: RunFindings) -> tuple[CodeRemark, ...]:
    """Findings of all cells, void codes first, in the order in which they came up."""
    naming = name_conditions(findings)
    cells: dict[tuple[Severity, str], set[str]] = {}
    advice: dict[tuple[Severity, str], dict[str, None]] = {}
    places: dict[tuple[Severity, str], dict[Line, dict[str, list[int]]]] = {}
    for cell in findings.cells:
        for found in cell.findings:
            code = (found.severity, found.code)
            cells.setdefault(code, set()).add(cell.key.cell_id)
            advice.setdefault(code, {})[found.advice] = None
            line = (naming.condition(cell.key.condition), cell.key.arm, found.message)
            loads = places.setdefault(code, {}).setdefault(line, {})
            load = words.load_mark(cell.key.condition)
            loads.setdefault(load, []).append(cell.key.replicate)
    remarks = [
        CodeRemark(
            code=code[1],
            severity=code[0],
            cell_count=len(cells[code]),
            advice=tuple(advice[code]),
            lines=tuple(_code_lines(places[code])),
        )
        for code in cells
    ]
    return tuple(sorted(remarks, key=lambda r: r.severity is not Severity.VOID))


Line = tuple[str, str, str]
"""Condition without its load, arm, message."""

Places = dict[str, dict[str, list[str]]]
"""Sentence -> figure or arm -> loads."""


def explain_dashes(block: Block, *, has_window: bool = False) -> tuple[str, ...]:
    """Why figures are missing in a block: one line a reason, with figure and loads.
    `has_window`: the reader is also shown how the window was."""
    places: Places = {}
    for row in block.rows:
        figures = [*_figures(row, block)]
        # an open loop's tables do not show how the window was
        figures += _window_figures(row) if has_window and not block.is_open else ()
        for name, figure in figures:
            if figure.missing is not None:
                loads = places.setdefault(figure.missing, {}).setdefault(name, [])
                loads.append(row.said_load)
    return tuple(place_lines(places))


def explain_marks(block: Block) -> tuple[str, ...]:
    """Which figures were made in another way than the usual one, and how."""
    places: Places = {}
    for row in block.rows:
        for name, side in (("baseline", row.baseline), ("arm", row.arm)):
            for mark in sorted(side.marks) if side else ():
                loads = places.setdefault(mark.value, {}).setdefault(name, [])
                loads.append(row.said_load)
    return tuple(place_lines(places))


def describe_datasets(facts: RunFacts) -> tuple[str, ...]:
    """Each data set with how much of it was used and left out."""
    return tuple(
        f"{use.name}: {words.counted(use.used, 'entry', 'entries')} used,"
        f" {len(use.skipped)} skipped{_reasons(use.skipped)}"
        for use in facts.datasets
    )


def describe_texts(facts: RunFacts) -> tuple[str, ...]:
    """Each text that made prompts longer, with length, licence and hash."""
    return tuple(
        f"{text.name}: {text.words:,} words, licence {text.licence}, sha256"
        f" {text.sha256}"
        for text in facts.texts
    )


def describe_run(facts: RunFacts) -> str:
    """One line: on what, with what, how often."""
    launches = facts.launches_words
    parts = [
        ", ".join(facts.models),
        facts.device,
        ", ".join(facts.engines),
        ", ".join(use.name for use in facts.datasets),
        f"{launches} per arm",
        f"run {facts.run_id}",
    ]
    return " · ".join(part for part in parts if part)


def place_lines(places: Places) -> Iterable[str]:
    """`sentence: figure at 1, 2; other figure at 4`."""
    for sentence, names in places.items():
        where = (f"{name} at {words.listed(at)}" for name, at in names.items())
        yield f"{sentence}: {'; '.join(where)}"


def _code_lines(places: dict[Line, dict[str, list[int]]]) -> Iterable[str]:
    lines = [
        f"{condition}, {words.listed(loads)}, {arm},"
        f" {'launch' if len(launches) == 1 else 'launches'} {words.listed(launches)}:"
        f" {message}"
        for (condition, arm, message), by_load in places.items()
        for launches, loads in _by_launches(by_load)
    ]
    yield from lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        yield f"and {len(lines) - MAX_LINES} more (the JSON report has all)"


def _by_launches(
    by_load: dict[str, list[int]],
) -> list[tuple[tuple[int, ...], list[str]]]:
    """Loads of the same launches together."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for load, launches in by_load.items():
        groups.setdefault(tuple(launches), []).append(load)
    return list(groups.items())


def _figures(row: LoadRow, block: Block) -> Iterable[tuple[str, Estimate]]:
    yield from _side_figures("baseline", row.baseline, block)
    if row.arm is None:
        return
    yield from _side_figures("arm", row.arm, block)
    if row.arm.cells:
        yield "acceptance rate", row.arm.acceptance_rate
        yield "acceptance length", row.arm.acceptance_length
        yield "tokens per step", row.arm.tokens_per_step
    for metric in block.metrics:
        yield f"{words.metric(metric)} speedup", row.speedup(metric)


def _side_figures(
    name: str, side: ArmFigures, block: Block
) -> Iterable[tuple[str, Estimate]]:
    if not side.cells:
        yield name, absent(NOT_MEASURED)
        return
    if block.is_open:
        for figure in open_figures(block):
            yield f"{name} {figure.name}", figure.of(side)
        for label, (median, *_) in LATENCY_FIGURES.items():
            yield f"{name} {label}", median.of(side)
    else:
        yield f"{name} batch", side.running_batch
        yield f"{name} throughput", side.output_throughput
        yield f"{name} TPOT", side.tpot
    yield f"{name} looping share", side.looping_share
    yield f"{name} client lag", side.client_lag_p99


def _window_figures(row: LoadRow) -> Iterable[tuple[str, Estimate]]:
    for name, side in (("baseline", row.baseline), ("arm", row.arm)):
        if side is not None and side.cells:
            yield f"{name} window share", side.window_share
            yield f"{name} drift", side.drift


def _reasons(skipped: tuple[str, ...]) -> str:
    if not skipped:
        return ""
    more = f"; and {len(skipped) - 3} more" if len(skipped) > 3 else ""
    return f" ({'; '.join(skipped[:3])}{more})"
