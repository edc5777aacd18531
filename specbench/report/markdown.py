"""The report as Markdown for a pull request: the answers first, the figures folded
away below, then what should be known beside them."""

from collections.abc import Iterator

from specbench.report import words
from specbench.report.acceptance_tables import markdown_acceptance
from specbench.report.answer_words import (
    details,
    first_slower,
    neighbour,
    outcome,
    told_loads,
)
from specbench.report.answers import AnswerGroup, group_answers, neighbours
from specbench.report.blocks import make_blocks
from specbench.report.brackets import all_answers, interval_notes, multiplicity_note
from specbench.report.facts import RunFacts
from specbench.report.launch_noise import (
    NO_NOISE,
    NOISE_NOTE,
    noise_metrics,
    noise_rows,
    prior_lines,
)
from specbench.report.markdown_blocks import SIDES_NOTE, block_lines
from specbench.report.markdown_contexts import context_lines, text_lines
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.report.naming import answer_title
from specbench.report.open_figures import OPEN_NOTE
from specbench.report.remarks import (
    VOID_NOTE,
    describe_datasets,
    describe_run,
    group_by_code,
)
from specbench.report.search_tables import search_lines
from specbench.report.target_rows import markdown_targets
from specbench.schema.findings import RunFindings

ANSWER_HEAD = (
    "metric",
    "answer",
    "beside it",
    "measured there",
    "loads",
    "first slower",
)


def report_markdown(findings: RunFindings, facts: RunFacts) -> str:
    """The whole report as one Markdown text."""
    lines = [f"## Does speculation pay? {plain_text(facts.sweep_name)}", ""]
    lines += [plain_text(describe_run(facts)), ""]
    answers = findings.break_evens
    if not answers:
        lines += ["No arm could be compared with its baseline.", ""]
    lines += markdown_targets(findings, facts)
    titles = [answer_title(answer, facts) for answer in answers]
    for group in group_answers(answers, titles):
        lines += _answer_lines(group)
    if note := multiplicity_note(all_answers(findings)):
        lines += [note, ""]
    lines += context_lines(findings, facts)
    lines += markdown_acceptance(findings, facts)
    lines += search_lines(findings, facts)
    blocks = make_blocks(findings)
    for block in blocks:
        lines += block_lines(block, facts)
    notes = [*map(plain_text, interval_notes(findings, facts)), VOID_NOTE, SIDES_NOTE]
    if any(block.is_open for block in blocks):
        notes.append(plain_text(OPEN_NOTE))
    lines += [" ".join(notes), ""]
    lines += _noise_lines(findings)
    lines += text_lines(facts)
    lines += _remark_lines(findings, facts)
    return "\n".join(lines).rstrip() + "\n"


def _answer_lines(group: AnswerGroup) -> list[str]:
    rows = [
        (
            words.metric(answer.curve.metric),
            f"**{outcome(answer)}**",
            "; ".join(details(answer)) or words.DASH,
            "; ".join(neighbour(p, answer.axis) for p in neighbours(answer))
            or words.DASH,
            told_loads(answer) or words.DASH,
            first_slower(answer),
        )
        for answer in group.answers
    ]
    notes = [f"_{plain_text(note)}_" for note in group.notes()]
    notes += [f"Next: {plain_text(step)}" for step in group.next_steps()]
    return [
        f"### {plain_text(group.title)}",
        "",
        *markdown_table(ANSWER_HEAD, rows),
        "",
        *[line for note in notes for line in (note, "")],
    ]


def _noise_lines(findings: RunFindings) -> Iterator[str]:
    """The noise floor: launches of this run, and A/A runs of this machine."""
    found = noise_rows(findings)
    metrics = noise_metrics(found)
    rows = [
        (
            plain_text(row.condition),
            plain_text(row.arm),
            *(row.deviations.get(m, words.DASH) for m in metrics),
            str(row.launches),
            str(row.loads),
        )
        for row in found
    ]
    if not rows and not findings.curves and not findings.prior:
        return
    known = rows or findings.prior
    yield from ("### Launch noise", "", NOISE_NOTE if known else NO_NOISE, "")
    if rows:
        names = (f"{words.metric(metric)} %" for metric in metrics)
        head = ("condition", "arm", *names, "launches", "loads")
        yield from (*markdown_table(head, rows), "")
    for line in prior_lines(findings):
        yield from (f"- {plain_text(line)}", "")


def _remark_lines(findings: RunFindings, facts: RunFacts) -> list[str]:
    lines = []
    for remark in group_by_code(findings):
        lines.append(f"- **{plain_text(remark.title)}**")
        lines += [f"  - {plain_text(line)}" for line in remark.lines]
        lines += [f"  - advice: {plain_text(advice)}" for advice in remark.advice]
    lines += [f"- **launch failed**: {plain_text(x)}" for x in findings.failed_launches]
    lines += [f"- data set {plain_text(line)}" for line in describe_datasets(facts)]
    lines += [f"- note: {plain_text(note)}" for note in facts.notes]
    lines.append(
        f"- started {facts.started_utc}, specbench {facts.specbench_version},"
        f" measurement version {facts.measurement_version}"
    )
    return lines
