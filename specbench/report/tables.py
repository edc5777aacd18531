"""A run as rich renderables for a terminal: a table for each block, the break-even
table, and what should be known beside them. Colour only repeats what words say."""

from collections.abc import Iterable

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.answers import AnswerGroup, group_answers, neighbours
from specbench.report.blocks import make_blocks
from specbench.report.cells_table import BlockTable
from specbench.report.facts import RunFacts
from specbench.report.remarks import (
    VOID_NOTE,
    describe_datasets,
    describe_run,
    group_by_code,
    spread_note,
)
from specbench.schema.comparison import BreakEvenOutcome
from specbench.schema.findings import RunFindings, Severity

OUTCOME_STYLES = {
    BreakEvenOutcome.PAYS_EVERYWHERE: "bold green",
    BreakEvenOutcome.NEVER_PAYS: "bold red",
    BreakEvenOutcome.UNDECIDED: "bold yellow",
}


def run_tables(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """The whole report: figures, answers, remarks."""
    return Group(
        Text(f"{facts.sweep_name}: {describe_run(facts)}"),
        Text(""),
        cell_tables(findings, facts),
        break_even_table(findings, facts),
        remarks(findings, facts),
    )


def cell_tables(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """One table for each target, data set, context, temperature and arm."""
    blocks = [
        part
        for block in make_blocks(findings)
        for part in (BlockTable(block, facts), Text(""))
    ]
    if not blocks:
        return Text("No cell was measured.")
    legend = (
        f"{spread_note(facts)} Speedup over 1: the arm is faster. batch: mean running"
        " batch. TPOT: median. lag: client lag p99, worst launch. Figures are means"
        " over the launches that count, geometric for tokens/s and TPOT."
        f" {VOID_NOTE}"
    )
    return Group(*blocks, Text(legend, style="dim"), Text(""))


def break_even_table(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """Where each arm stops paying: the answer in words and the measured neighbours."""
    groups = group_answers(findings.break_evens)
    if not groups:
        return Text("No break-even: no arm could be compared with its baseline.\n")
    parts: list[RenderableType] = [
        Text("Break-even", style="bold underline"),
        Text(
            "beside: the measured loads that the answer rests on. first slower: first"
            " measured concurrency where the arm is slower.",
            style="dim",
        ),
        Text(""),
    ]
    for group in groups:
        parts.append(Text(group.title(facts), style="bold"))
        parts.append(_answers(group))
        parts += [Padding(Text(n, style="dim"), (0, 0, 0, 1)) for n in group.notes()]
        parts.append(Text(""))
    return Group(*parts)


def _answers(group: AnswerGroup) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("answer", min_width=24, overflow="fold")
    table.add_column("beside:\nbatch", justify="right", overflow="fold")
    table.add_column("\nconc", justify="right", overflow="fold")
    table.add_column("\nspeedup", overflow="fold")
    table.add_column("first\nslower", justify="right", overflow="fold")
    for answer in group.answers:
        points = neighbours(answer)
        style = OUTCOME_STYLES.get(answer.outcome, "bold")
        table.add_row(
            words.metric(answer.curve.metric),
            Text(words.outcome(answer), style=style),
            _lines(words.shown(p.running_batch, words.batch) for p in points),
            _lines(str(p.condition.concurrency) for p in points),
            _lines(words.with_spread(p.speedup, words.speedup) for p in points),
            words.first_slower(answer),
        )
    return table


def remarks(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """Findings with advice, data sets, failed launches and notes."""
    lines: list[RenderableType] = []
    for remark in group_by_code(findings):
        is_void = remark.severity is Severity.VOID
        lines.append(Text(remark.title, style="bold red" if is_void else "bold yellow"))
        lines += [_indented(line) for line in remark.lines]
        lines += [_indented(f"advice: {advice}") for advice in remark.advice]
    for failed in findings.failed_launches:
        lines.append(Text(f"launch failed: {failed}", style="bold red"))
    lines += [Text(f"data set {line}") for line in describe_datasets(facts)]
    lines += [Text(f"note: {note}") for note in facts.notes]
    return Group(*lines)


def _lines(items: Iterable[str]) -> str:
    return "\n".join(items) or words.DASH


def _indented(line: str) -> Padding:
    return Padding(Text(line), (0, 0, 0, 2))
