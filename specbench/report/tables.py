"""A run as rich renderables for a terminal: tables for each block, the break-evens,
the noise floor, and what should be known beside them. Colour only repeats what words
say."""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.acceptance_tables import rich_acceptance
from specbench.report.answers_table import answers_table
from specbench.report.blocks import make_blocks
from specbench.report.brackets import all_answers, interval_notes
from specbench.report.cells_table import block_tables
from specbench.report.comparison_tables import OPEN_MARK
from specbench.report.context_tables import context_tables
from specbench.report.facts import RunFacts
from specbench.report.launch_noise import (
    NO_NOISE,
    NOISE_NOTE,
    noise_metrics,
    noise_rows,
    prior_lines,
)
from specbench.report.naming import answer_title
from specbench.report.needs import NEEDS_NOTE, need_rows
from specbench.report.open_figures import OPEN_NOTE
from specbench.report.remarks import (
    VOID_NOTE,
    describe_datasets,
    describe_run,
    describe_texts,
    group_by_code,
)
from specbench.report.search_tables import search_tables
from specbench.report.target_rows import rich_targets
from specbench.schema.findings import RunFindings, Severity

FIGURES_NOTE = (
    f"Speedup over 1: the arm is faster. {OPEN_MARK}: not told from 1. batch: mean"
    " running batch, the baseline's. TPOT: median. lag: client lag p99, worst launch."
    " Figures are means over the launches that count, geometric for tokens/s and TPOT."
)


def run_tables(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """The whole report: figures, answers, noise, remarks."""
    return Group(
        Text(f"{facts.sweep_name}: {describe_run(facts)}"),
        Text(""),
        cell_tables(findings, facts),
        *rich_targets(findings, facts),
        break_even_table(findings, facts),
        *context_tables(findings, facts),
        *rich_acceptance(findings, facts),
        *search_tables(findings, facts),
        noise_table(findings),
        remarks(findings, facts),
    )


def cell_tables(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """The tables of each target, data set, context, temperature and arm."""
    blocks = make_blocks(findings)
    if not blocks:
        return Text("No cell was measured.")
    parts: list[RenderableType] = []
    for block in blocks:
        parts += [*block_tables(block, facts), Text("")]
    notes = [*interval_notes(findings, facts), FIGURES_NOTE, VOID_NOTE]
    if any(block.is_open for block in blocks):
        notes.insert(-1, OPEN_NOTE)
    if any(map(need_rows, blocks)):
        notes.insert(-1, NEEDS_NOTE)
    return Group(*parts, Text(" ".join(notes), style="dim"), Text(""))


def break_even_table(findings: RunFindings, facts: RunFacts) -> RenderableType:
    """Where each arm stops paying: the answer in words and the measured neighbours."""
    answers = findings.break_evens
    if not answers:
        return Text("No break-even: no arm could be compared with its baseline.\n")
    titles = [answer_title(answer, facts) for answer in answers]
    others = all_answers(findings)[len(answers) :]
    return answers_table(answers, titles, others)


def noise_table(findings: RunFindings) -> RenderableType:
    """The noise floor: launches of this run, and A/A runs of this machine."""
    return Group(*_noise_parts(findings))


def _noise_parts(findings: RunFindings) -> Iterator[RenderableType]:
    rows = noise_rows(findings)
    if not rows and not findings.curves and not findings.prior:
        return
    yield Text("Launch noise", style="bold underline")
    yield Text(NOISE_NOTE if rows or findings.prior else NO_NOISE, style="dim")
    if rows:
        table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
        for head in ("condition", "arm"):
            table.add_column(head, overflow="fold")
        metrics = noise_metrics(rows)
        for head in (*(f"{words.metric(m)}\n%" for m in metrics), "n", "loads"):
            table.add_column(head, justify="right", overflow="fold")
        for row in rows:
            table.add_row(
                row.condition,
                row.arm,
                *(row.deviations.get(m, words.DASH) for m in metrics),
                str(row.launches),
                str(row.loads),
            )
        yield table
    yield from map(Text, prior_lines(findings))
    yield Text("")


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
    lines += [Text(f"text {line}") for line in describe_texts(facts)]
    lines += [Text(f"note: {note}") for note in facts.notes]
    return Group(*lines)


def _indented(line: str) -> Padding:
    return Padding(Text(line), (0, 0, 0, 2))
