"""Acceptance by position over launches."""

from dataclasses import replace

import pytest

from specbench.report.blocks import Block, make_blocks
from specbench.report.positions import position_curves, why_no_positions
from specbench.schema.findings import CellStats
from tests.golden.comparing import compare
from tests.golden.synthetic import ArmCourse, Course, make_cells

COURSE = Course("d", (100.0,) * 3, {"a": ArmCourse((1.2,) * 3, (1.2,) * 3)})


def cells() -> tuple[CellStats, ...]:
    """One arm at three loads, two launches."""
    return make_cells((COURSE,), (1, 2, 4), 2)


def block(given: tuple[CellStats, ...]) -> Block:
    """The only block."""
    (only,) = make_blocks(compare(given))
    return only


def test_lowest_and_highest_load_are_shown() -> None:
    curves = position_curves(block(cells()))
    assert [curve.condition.concurrency for curve in curves] == [1, 4]


def test_one_load_is_shown_once() -> None:
    only = tuple(c for c in cells() if c.key.condition.concurrency == 2)
    assert [c.condition.concurrency for c in position_curves(block(only))] == [2]


def test_launches_weigh_by_their_drafts() -> None:
    changed = []
    for cell in cells():
        if cell.acceptance and cell.key.replicate == 2:
            heavier = replace(cell.acceptance, drafts=390.0, by_position=(1.0, 0.8, 0))
            cell = replace(cell, acceptance=heavier)
        changed.append(cell)
    first = position_curves(block(tuple(changed)))[0]
    assert first.unconditional == pytest.approx(
        ((0.62 + 3) / 4, (0.45 + 2.4) / 4, 0.33 / 4)
    )


def test_conditional_share_is_given_the_position_before() -> None:
    first = position_curves(block(cells()))[0]
    assert first.conditional == pytest.approx((0.62, 0.45 / 0.62, 0.33 / 0.45))


def test_nothing_accepted_before_leaves_no_conditional_share() -> None:
    changed = tuple(
        replace(c, acceptance=replace(c.acceptance, by_position=(0.0, 0.0)))
        if c.acceptance
        else c
        for c in cells()
    )
    assert position_curves(block(changed))[0].conditional == (0.0, None)


def test_without_acceptance_the_reason_is_given() -> None:
    bare = tuple(
        replace(c, acceptance=None, missing={"acceptance": "not exposed"})
        for c in cells()
    )
    assert position_curves(block(bare)) == ()
    assert why_no_positions(block(bare)) == "not exposed"


def test_counters_without_positions_are_told_from_no_counters() -> None:
    flat = tuple(
        replace(c, acceptance=replace(c.acceptance, by_position=None))
        if c.acceptance
        else c
        for c in cells()
    )
    assert "position" in why_no_positions(block(flat))


def test_launches_whose_positions_end_sooner_had_none_accepted_there() -> None:
    changed = tuple(
        replace(c, acceptance=replace(c.acceptance, by_position=(0.62, 0.45)))
        if c.acceptance and c.key.replicate == 2
        else c
        for c in cells()
    )
    first = position_curves(block(changed))[0]
    assert first.unconditional == pytest.approx((0.62, 0.45, 0.33 / 2))


def test_what_a_cell_says_of_positions_goes_before_other_reasons() -> None:
    flat = tuple(
        replace(
            c,
            acceptance=replace(c.acceptance, by_position=None, rate=None),
            missing={"acceptance_rate": "other", "acceptance_by_position": "this"},
        )
        if c.acceptance
        else c
        for c in cells()
    )
    assert why_no_positions(block(flat)) == "this"
