"""Columns of the tables of a block: what each says in the baseline's line and in the
arm's."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from specbench.report import words
from specbench.report.arm_figures import ArmFigures, Mark
from specbench.report.blocks import LoadRow
from specbench.schema.estimate import Estimate

CODE_WIDTH = 15
"""Flags wrap at their hyphens beyond this."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it says in the baseline's line and in the arm's."""

    header: str
    baseline: Callable[[LoadRow], str]
    arm: Callable[[LoadRow, ArmFigures], str]
    is_text: bool = False


def blank(_: LoadRow) -> str:
    """Nothing to say in the baseline's line."""
    return ""


def of_both(
    header: str, figure: Callable[[ArmFigures], Estimate], form: words.Form
) -> Column:
    """A figure of both arms."""
    return Column(
        header,
        lambda row: words.estimate(figure(row.baseline), form),
        lambda _, arm: words.estimate(figure(arm), form),
    )


def of_arm(header: str, figure: Callable[[ArmFigures], Estimate]) -> Column:
    """A share or a count of tokens that only the arm has."""
    return Column(
        header, blank, lambda _, arm: words.estimate(figure(arm), words.share)
    )


def tpot(header: str, figure: Callable[[ArmFigures], Estimate]) -> Column:
    """A TPOT in ms, marked where it is in its usual form."""

    def write(side: ArmFigures) -> str:
        mark = "*" if Mark.USUAL_TPOT in side.marks else ""
        return words.estimate(figure(side), words.milliseconds) + mark

    return Column(header, lambda row: write(row.baseline), lambda _, arm: write(arm))


def _flags(side: ArmFigures) -> str:
    """One code a line; codes are long words, so they break at hyphens."""
    return "\n".join(
        line for code in side.flags for line in textwrap.wrap(code, CODE_WIDTH)
    )


LOAD = Column("conc", lambda row: row.said_load, lambda *_: "")
WHO = Column("", lambda _: "base", lambda *_: "arm", is_text=True)
FLAGS = Column(
    "flags",
    lambda row: _flags(row.baseline),
    lambda _, arm: _flags(arm),
    is_text=True,
)
SPEED = (
    of_both("batch", lambda s: s.running_batch, words.batch),
    of_both("tokens/s", lambda s: s.output_throughput, words.significant),
    tpot("TPOT\nms", lambda s: s.tpot),
    tpot("p95\nTPOT", lambda s: s.tpot_p95),
)
DRAFTS = (
    of_arm("acc.\nrate", lambda s: s.acceptance_rate),
    of_arm("acc.\nlen.", lambda s: s.acceptance_length),
    of_arm("tok./\nstep", lambda s: s.tokens_per_step),
)
HEALTH = (
    of_both("loop", lambda s: s.looping_share, words.share),
    of_both("lag\nms", lambda s: s.client_lag_p99, words.lag),
)

Shapes = tuple[tuple[tuple[Column, ...], ...], ...]
"""Ways to show the same columns, the widest first: each a table or a few beneath each
other."""
