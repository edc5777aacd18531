"""The columns of an open loop's tables: the load, and the latencies of both arms."""

from dataclasses import replace

from specbench.report.arm_columns import (
    DRAFTS,
    FLAGS,
    HEALTH,
    LOAD,
    WHO,
    Column,
    Shapes,
    of_both,
)
from specbench.report.blocks import Block
from specbench.report.open_figures import LATENCY_FIGURES, OpenFigure, open_figures

RATE = replace(LOAD, header="rate")
ENOUGH_BESIDE = 6
"""Figures beside each other in a narrow terminal."""


def open_shapes(block: Block) -> tuple[Shapes, Shapes]:
    """Of the table of the load and of that of the latencies."""
    load = tuple(map(_column, open_figures(block)))
    drafts = DRAFTS if block.arm is not None else ()
    parts = tuple(tuple(map(_column, part)) for part in LATENCY_FIGURES.values())
    return (
        (
            ((RATE, WHO, *load, *drafts, *HEALTH, FLAGS),),
            (
                (RATE, WHO, *load[:ENOUGH_BESIDE]),
                (RATE, WHO, *load[ENOUGH_BESIDE:], *drafts, *HEALTH, FLAGS),
            ),
        ),
        (
            ((RATE, WHO, *(column for part in parts for column in part)),),
            tuple((RATE, WHO, *part) for part in parts),
        ),
    )


def _column(figure: OpenFigure) -> Column:
    return of_both(figure.head, figure.of, figure.form)
