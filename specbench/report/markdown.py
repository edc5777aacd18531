"""The report as Markdown for a pull request: the answers first, the figures folded
away below, then what should be known beside them."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from specbench.report import words
from specbench.report.answers import AnswerGroup, group_answers, neighbours
from specbench.report.blocks import Block, LoadRow, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.remarks import (
    VOID_NOTE,
    describe_datasets,
    describe_run,
    explain_dashes,
    explain_marks,
    group_by_code,
    spread_note,
)
from specbench.report.sides import Mark, Side
from specbench.schema.findings import RunFindings

ANSWER_HEAD = ("metric", "answer", "measured beside it", "first slower at concurrency")
FIGURE_HEAD = (
    "concurrency",
    "batch",
    "output tokens/s",
    "throughput speedup",
    "TPOT ms (median)",
    "TPOT speedup",
    "acceptance rate",
    "acceptance length",
    "tokens per step",
    "looping share",
    "window share",
    "drift",
    "client lag p99 ms",
    "flags",
)
Writer = Callable[[Side], str]

SIDES_NOTE = (
    "Two figures in one field: baseline / arm. Window share: of the whole run. Drift:"
    " throughput of the window's last third / of its first."
)


def report_markdown(findings: RunFindings, facts: RunFacts) -> str:
    """The whole report as one Markdown text."""
    lines = [f"## Does speculation pay? {_text(facts.sweep_name)}", ""]
    lines += [_text(describe_run(facts)), ""]
    groups = group_answers(findings.break_evens)
    if not groups:
        lines += ["No arm could be compared with its baseline.", ""]
    for group in groups:
        lines += _answer_lines(group, facts)
    for block in make_blocks(findings):
        lines += _block_lines(block, facts)
    lines += [f"{spread_note(facts)} {VOID_NOTE} {SIDES_NOTE}", ""]
    lines += _remark_lines(findings, facts)
    return "\n".join(lines).rstrip() + "\n"


def _answer_lines(group: AnswerGroup, facts: RunFacts) -> list[str]:
    rows = [
        (
            words.metric(answer.curve.metric),
            f"**{words.outcome(answer)}**",
            "; ".join(map(words.neighbour, neighbours(answer))) or words.DASH,
            words.first_slower(answer),
        )
        for answer in group.answers
    ]
    notes = [f"_{_text(note)}_" for note in group.notes()]
    return [
        f"### {_text(group.title(facts))}",
        "",
        *_table(ANSWER_HEAD, rows),
        "",
        *[line for note in notes for line in (note, "")],
    ]


def _block_lines(block: Block, facts: RunFacts) -> list[str]:
    notes = [
        f"- {words.DASH} {_text(line)}"
        for line in explain_dashes(block, has_window=True)
    ]
    notes += [f"- \\* {_text(line)}" for line in explain_marks(block)]
    return [
        f"<details><summary>{escape(block.title(facts))}</summary>",
        "",
        *_table(FIGURE_HEAD, [_figures(row) for row in block.rows]),
        "",
        *([*notes, ""] if notes else []),
        "</details>",
        "",
    ]


def _figures(row: LoadRow) -> tuple[str, ...]:
    base, arm = row.baseline, row.arm

    def both(write: Writer) -> str:
        return f"{write(base)} / {write(arm)}" if arm else write(base)

    def of_arm(write: Writer) -> str:
        return write(arm) if arm else ""

    return (
        str(row.concurrency),
        both(lambda s: words.estimate(s.running_batch, words.batch)),
        both(lambda s: words.estimate(s.output_throughput, words.significant)),
        words.with_spread(row.throughput_speedup, words.speedup) if arm else "",
        both(_tpot),
        words.with_spread(row.tpot_speedup, words.speedup) if arm else "",
        of_arm(lambda s: words.estimate(s.acceptance_rate, words.share)),
        of_arm(lambda s: words.estimate(s.acceptance_length, words.share)),
        of_arm(lambda s: words.estimate(s.tokens_per_step, words.share)),
        both(lambda s: words.estimate(s.looping_share, words.share)),
        both(lambda s: words.estimate(s.window_share, words.share)),
        both(lambda s: words.estimate(s.drift, words.share)),
        both(lambda s: words.estimate(s.client_lag_p99, words.lag)),
        _flags(row),
    )


def _flags(row: LoadRow) -> str:
    sides = (("baseline", row.baseline), ("arm", row.arm))
    return "; ".join(
        f"{name}: {words.listed(side.flags)}"
        for name, side in sides
        if side and side.flags
    )


def _tpot(side: Side) -> str:
    mark = "\\*" if Mark.USUAL_TPOT in side.marks else ""
    return words.estimate(side.tpot, words.milliseconds) + mark


def _remark_lines(findings: RunFindings, facts: RunFacts) -> list[str]:
    lines = []
    for remark in group_by_code(findings):
        lines.append(f"- **{_text(remark.title)}**")
        lines += [f"  - {_text(line)}" for line in remark.lines]
        lines += [f"  - advice: {_text(advice)}" for advice in remark.advice]
    lines += [f"- **launch failed**: {_text(x)}" for x in findings.failed_launches]
    lines += [f"- data set {_text(line)}" for line in describe_datasets(facts)]
    lines += [f"- note: {_text(note)}" for note in facts.notes]
    lines.append(
        f"- started {facts.started_utc}, specbench {facts.specbench_version},"
        f" measurement version {facts.measurement_version}"
    )
    return lines


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        _row(head),
        _row("---" for _ in head),
        *[_row(field.replace("|", "\\|") for field in row) for row in rows],
    ]


def _row(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _text(words_of_others: str) -> str:
    """Names and messages as plain text: a `<` or a line break in an engine's error
    must not become markup."""
    flat = " ".join(words_of_others.split())
    for sign in ("\\", "`", "*", "_", "<", ">", "[", "]"):
        flat = flat.replace(sign, f"\\{sign}")
    return flat
