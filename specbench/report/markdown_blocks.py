"""The figures of one block as Markdown, folded away below its title."""

from collections.abc import Callable, Iterator
from html import escape

from specbench.report import words
from specbench.report.arm_figures import ArmFigures, Mark
from specbench.report.blocks import Block, LoadRow
from specbench.report.facts import RunFacts
from specbench.report.markdown_open import open_lines
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.report.needs import NEED_METRICS, NEEDS_NOTE, explain_needs, need_rows
from specbench.report.remarks import explain_dashes, explain_marks
from specbench.schema.comparison import CLOSED_LOOP
from specbench.schema.estimate import Estimate

FIGURE_HEAD = (
    "concurrency",
    "batch",
    "output tokens/s",
    "TPOT ms (median)",
    "TPOT ms (p95)",
    *(f"{words.metric(metric)} speedup" for metric in CLOSED_LOOP),
    "acceptance rate",
    "acceptance length",
    "tokens per step",
    "looping share",
    "window share",
    "drift",
    "client lag p99 ms",
    "flags",
)
NEED_HEAD = (
    "concurrency",
    "batch",
    "gets",
    *(
        head
        for name in NEED_METRICS.values()
        for head in (f"needs for {name}", "prefill share")
    ),
)
Writer = Callable[[ArmFigures], str]

SIDES_NOTE = (
    "Two figures in one field: baseline / arm. Window share: of the whole run. Drift:"
    " throughput of the window's last third / of its first."
)


def block_lines(block: Block, facts: RunFacts) -> list[str]:
    """Figures, why some are missing, and tokens per step."""
    notes = [
        f"- {words.DASH} {plain_text(line)}"
        for line in explain_dashes(block, has_window=True)
    ]
    notes += [f"- \\* {plain_text(line)}" for line in explain_marks(block)]
    if block.is_open:
        figures = list(open_lines(block, _flags))
    else:
        figures = markdown_table(FIGURE_HEAD, [_figures(row) for row in block.rows])
    return [
        f"<details><summary>{escape(block.title(facts))}</summary>",
        "",
        *figures,
        "",
        *([*notes, ""] if notes else []),
        *_need_lines(block),
        "</details>",
        "",
    ]


def _need_lines(block: Block) -> Iterator[str]:
    """Tokens per step that the arm gets and would need."""
    rows = [
        (
            row.said_load,
            words.estimate(row.batch, words.batch),
            words.with_interval(row.gets, words.share),
            *(f(m) for m in NEED_METRICS for f in (row.needed, row.prefill)),
        )
        for row in need_rows(block)
    ]
    if not rows:
        return
    yield from ("Tokens per step:", "", *markdown_table(NEED_HEAD, rows), "")
    yield from (f"- {plain_text(line)}" for line in explain_needs(block))
    yield from (f"- {plain_text(NEEDS_NOTE)}", "")


def _figures(row: LoadRow) -> tuple[str, ...]:
    base, arm = row.baseline, row.arm

    def both(write: Writer) -> str:
        return f"{write(base)} / {write(arm)}" if arm else write(base)

    def of_arm(write: Writer) -> str:
        return write(arm) if arm else ""

    return (
        row.said_load,
        both(lambda s: words.estimate(s.running_batch, words.batch)),
        both(lambda s: words.estimate(s.output_throughput, words.significant)),
        both(lambda s: _tpot(s, s.tpot)),
        both(lambda s: _tpot(s, s.tpot_p95)),
        *(
            words.with_interval(row.speedup(m), words.speedup) if arm else ""
            for m in CLOSED_LOOP
        ),
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


def _tpot(side: ArmFigures, figure: Estimate) -> str:
    mark = "\\*" if Mark.USUAL_TPOT in side.marks else ""
    return words.estimate(figure, words.milliseconds) + mark
