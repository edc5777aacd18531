"""A run of several targets at a glance: one row for each model, GPU and engine, arm and
condition, with its answers. Nothing where there is one target."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.answer_words import outcome
from specbench.report.facts import RunFacts, TargetFacts
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.report.naming import name_conditions
from specbench.schema.cell import Condition
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import RunFindings

TITLE = "By model, GPU and engine"


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One arm of one target under one condition."""

    target: TargetFacts
    arm: str
    condition: str
    answers: dict[SpeedupMetric, str]
    """In words; a metric that was not compared is not in it."""


def target_rows(findings: RunFindings, facts: RunFacts) -> tuple[TargetRow, ...]:
    """In the order in which the analysis found the answers."""
    if len(facts.targets) < 2:
        return ()
    naming = replace(name_conditions(findings), has_targets=False)
    found: dict[tuple[str, str, str], dict[SpeedupMetric, str]] = {}
    for answer in findings.break_evens:
        c = answer.curve
        condition = Condition(c.target, c.dataset, c.context, c.temperature, 0)
        place = (c.target, c.arm, naming.condition(condition))
        found.setdefault(place, {})[c.metric] = outcome(answer)
    return tuple(
        TargetRow(facts.target(label), facts.arm_name(label, arm), condition, answers)
        for (label, arm, condition), answers in found.items()
    )


def rich_targets(findings: RunFindings, facts: RunFacts) -> Iterator[RenderableType]:
    """For a terminal, where columns are few."""
    rows = target_rows(findings, facts)
    if not rows:
        return
    yield Text(TITLE, style="bold underline")
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_lines=True)
    for head in ("target: model, GPU, engine", "arm, condition", "answers"):
        table.add_column(head, overflow="fold")
    for row in rows:
        one = row.target
        table.add_row(
            "\n".join((f"{one.label}:", one.model, one.device, one.engine)),
            f"{row.arm}\n{row.condition}",
            "\n".join(f"{words.metric(m)}: {said}" for m, said in row.answers.items()),
        )
    yield table
    yield Text("")


def markdown_targets(findings: RunFindings, facts: RunFacts) -> Iterator[str]:
    """The same as Markdown, a column for each metric."""
    rows = target_rows(findings, facts)
    if not rows:
        return
    metrics = tuple(dict.fromkeys(metric for row in rows for metric in row.answers))
    names = ("target", "model", "GPU", "engine", "arm", "condition")
    head = (*names, *map(words.metric, metrics))
    yield from (f"### {TITLE}", "")
    yield from markdown_table(head, [_fields(row, metrics) for row in rows])
    yield ""


def _fields(row: TargetRow, metrics: tuple[SpeedupMetric, ...]) -> tuple[str, ...]:
    one = row.target
    names = (one.label, one.model, one.device, one.engine, row.arm, row.condition)
    answers = (row.answers.get(metric, words.DASH) for metric in metrics)
    return (*map(plain_text, names), *answers)
