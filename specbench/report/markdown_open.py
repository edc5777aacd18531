"""An open loop's figures as Markdown: the load with the speedups, then latencies."""

from collections.abc import Callable, Iterator, Sequence

from specbench.report import words
from specbench.report.blocks import Block, LoadRow
from specbench.report.markdown_text import markdown_table
from specbench.report.open_figures import LATENCY_FIGURES, OpenFigure, open_figures

DRAFT_HEAD = ("acceptance rate", "acceptance length", "tokens per step")


def open_lines(block: Block, flags: Callable[[LoadRow], str]) -> Iterator[str]:
    """Two tables. `flags`: what was found at a rate."""
    load = open_figures(block)
    metrics = block.metrics
    head = (
        "rate (requests/s)",
        *map(_head, load),
        *(f"{words.metric(metric)} speedup" for metric in metrics),
        *DRAFT_HEAD,
        "flags",
    )
    rows = [
        (
            *_figures(row, load),
            *(words.with_interval(row.speedup(m), words.speedup) for m in metrics),
            *_drafts(row),
            flags(row),
        )
        for row in block.rows
    ]
    yield from (*markdown_table(head, rows), "")
    latencies = [figure for part in LATENCY_FIGURES.values() for figure in part]
    yield from markdown_table(
        ("rate (requests/s)", *map(_head, latencies)),
        [_figures(row, latencies) for row in block.rows],
    )


def _head(figure: OpenFigure) -> str:
    return f"{figure.name} {figure.unit}".rstrip()


def _figures(row: LoadRow, figures: Sequence[OpenFigure]) -> tuple[str, ...]:
    sides = [side for side in (row.baseline, row.arm) if side is not None]
    return (
        row.said_load,
        *(
            " / ".join(words.estimate(figure.of(side), figure.form) for side in sides)
            for figure in figures
        ),
    )


def _drafts(row: LoadRow) -> tuple[str, ...]:
    if row.arm is None:
        return ("",) * len(DRAFT_HEAD)
    found = (
        row.arm.acceptance_rate,
        row.arm.acceptance_length,
        row.arm.tokens_per_step,
    )
    return tuple(words.estimate(figure, words.share) for figure in found)
