"""Acceptance by position over launches: how often the i-th draft token is accepted, of
all drafts and of those whose previous token was."""

import math
from dataclasses import dataclass

from specbench.report.arm_figures import ArmFigures
from specbench.report.blocks import Block, LoadRow
from specbench.schema.cell import Condition


@dataclass(frozen=True, slots=True)
class PositionCurve:
    """One arm at one load."""

    condition: Condition
    length: float | None
    """Acceptance length."""
    unconditional: tuple[float, ...]
    """accepted at i / drafts, i = 1, 2, ..."""
    conditional: tuple[float | None, ...]
    """accepted at i / accepted at i-1."""


def position_curves(block: Block) -> tuple[PositionCurve, ...]:
    """Lowest and highest load that have figures; one where both are the same."""
    curves = [curve for row in block.rows if (curve := _curve(row)) is not None]
    return tuple(curves[:1] + curves[1:][-1:])


def why_no_positions(block: Block) -> str:
    """The reasons why no load has figures."""
    reasons = dict.fromkeys(
        _why_none(row.arm) for row in block.rows if row.arm is not None
    )
    return "; ".join(reasons) or "not measured"


def _curve(row: LoadRow) -> PositionCurve | None:
    if row.arm is None:
        return None
    unconditional = _pooled(row.arm)
    if not unconditional:
        return None
    given = (1.0, *unconditional[:-1])
    return PositionCurve(
        condition=row.condition,
        length=row.arm.acceptance_length.value,
        unconditional=unconditional,
        conditional=tuple(
            now / before if before > 0 else None
            for now, before in zip(unconditional, given, strict=True)
        ),
    )


def _why_none(side: ArmFigures) -> str:
    """Where nothing is said of positions alone, why there is no acceptance at all."""
    said = [cell.missing.get("acceptance_by_position") for cell in side.counted]
    return (
        next((why for why in said if why), None)
        or side.acceptance_length.missing
        or "the server does not say at which position tokens were accepted"
    )


def _pooled(side: ArmFigures) -> tuple[float, ...]:
    """Shares over launches, each launch weighted by its drafts."""
    known = [
        (cell.acceptance.drafts, cell.acceptance.by_position)
        for cell in side.counted
        if cell.acceptance
        and cell.acceptance.by_position
        and cell.acceptance.drafts > 0
    ]
    if not known:
        return ()
    drafts = math.fsum(weight for weight, _ in known)
    # one that is shorter had no draft accepted further on
    depth = max(len(shares) for _, shares in known)
    return tuple(
        math.fsum(w * shares[i] for w, shares in known if i < len(shares)) / drafts
        for i in range(depth)
    )
