"""How a break-even is said."""

from dataclasses import replace

import pytest

from specbench.report.answer_words import (
    crossing_in_short,
    details,
    first_slower,
    first_slower_context,
    neighbour,
    outcome,
    outcome_in_short,
    told_loads,
)
from specbench.schema.comparison import Axis, BreakEvenOutcome
from specbench.schema.estimate import Interval
from tests.golden.example_answers import (
    SOME,
    answer,
    at_context,
    crossed,
    example_answers,
    point,
)

ANSWERS = example_answers()


@pytest.mark.parametrize(
    ("name", "text", "short"),
    [
        (
            "pays up to",
            "pays up to batch 61 [55, 68] (concurrency 64)",
            "to batch 61 [55, 68] (c 64)",
        ),
        (
            "open interval",
            "pays up to batch 61 [55, beyond 125] (concurrency 64)",
            "to batch 61 [55, beyond 125] (c 64)",
        ),
        (
            "one launch",
            "pays up to batch 2.9 [no interval] (concurrency 3.0)",
            "to batch 2.9 [no interval] (c 3.0)",
        ),
        (
            "one launch, everywhere",
            "pays everywhere measured (to batch 2.0, concurrency 2), by the raw signs",
            "everywhere (to batch 2.0, c 2) by the raw signs",
        ),
        (
            "unknown batch",
            "pays up to concurrency 63 [55, 68] (running batch unknown)",
            "to c 63 [55, 68] (running batch unknown)",
        ),
        ("concurrency", "pays up to concurrency 61 [55, 68]", "to c 61 [55, 68]"),
        (
            "context",
            "pays from context 8213 [7104, 9399] tokens",
            "from context 8213 [7104, 9399] tokens",
        ),
        (
            "everywhere",
            "pays everywhere measured (to batch 251, concurrency 256)",
            "everywhere (to batch 251, c 256)",
        ),
        (
            "never",
            "never pays (from batch 1.0, concurrency 1)",
            "never (from batch 1.0, c 1)",
        ),
        (
            "several",
            "several crossings (near batch 3.0, 9.1, 33)",
            "several crossings (near batch 3.0, 9.1, 33)",
        ),
        (
            "capacity",
            "loses by capacity from concurrency 128 (crosses at batch 61 [55, 68])",
            "to batch 61 [55, 68], by capacity from c 128",
        ),
        (
            "undecided",
            "undecided (not told from 1 at concurrency 8, 64; if it crosses, within"
            " batch [3.1, 11.2])",
            "undecided",
        ),
        (
            "undecided, open to both sides",
            "undecided (nowhere told from 1)",
            "undecided",
        ),
        ("nothing", "undecided (no load has a speedup)", "undecided"),
    ],
)
def test_each_outcome_is_said_with_its_place(name: str, text: str, short: str) -> None:
    assert outcome(ANSWERS[name]) == text
    assert outcome_in_short(ANSWERS[name]) == short


def test_every_outcome_is_among_the_examples() -> None:
    assert {a.outcome for a in ANSWERS.values()} == set(BreakEvenOutcome)
    assert {a.axis for a in ANSWERS.values()} == set(Axis) - {Axis.RATE}


def test_several_crossings_at_unknown_batches_are_said_by_concurrency() -> None:
    below, above = (replace(p, running_batch=None) for p in SOME[:2])
    crossing = crossed(below, above, None, None, concurrency=2.0)
    found = answer(BreakEvenOutcome.SEVERAL, SOME, crossing, crossing)
    assert outcome(found) == "several crossings (near concurrency 2, 2)"


def test_undecided_over_contexts_names_contexts() -> None:
    points = (at_context(4000, 1.01, "?"), at_context(32000, 1.4, "+"))
    crossing = crossed(*points, 3000.0, Interval(None, 5100.0))
    found = answer(BreakEvenOutcome.UNDECIDED, points, crossing, axis=Axis.CONTEXT)
    assert outcome(found) == (
        "undecided (not told from 1 at context 4000; if it crosses, within context"
        " [below 4000, 5100] tokens)"
    )


def test_capacity_over_contexts_names_the_context() -> None:
    points = (at_context(4000, 1.2, "+"), at_context(32000, 0.9, "-"))
    crossing = crossed(*points, 9000.0, None)
    found = answer(
        BreakEvenOutcome.LOSES_BY_CAPACITY,
        points,
        crossing,
        axis=Axis.CONTEXT,
        capacity_from=32,
    )
    assert outcome(found) == (
        "loses by capacity from context 32000 tokens"
        " (crosses at context 9000 [no interval] tokens)"
    )


def test_pays_everywhere_without_a_batch_is_said_by_concurrency() -> None:
    alone = (replace(point(4, 1.3), running_batch=None),)
    found = answer(BreakEvenOutcome.PAYS_EVERYWHERE, alone)
    assert outcome(found) == "pays everywhere measured (to concurrency 4)"


def test_details_have_the_arms_batch_and_the_joint_interval() -> None:
    assert details(ANSWERS["pays up to"]) == (
        "arm's batch 59, jointly [50, beyond 125]",
    )
    assert details(ANSWERS["concurrency"]) == ()
    assert details(ANSWERS["unknown batch"]) == ()


def test_details_of_several_crossings_have_place_and_direction_of_each() -> None:
    down, up, again = details(ANSWERS["several"])
    assert down.startswith("falls at batch 3.0 [2.5, 3.5]")
    assert up.startswith("rises at batch 9.1 [7.7, 10.6]")
    assert again.startswith("falls at batch 33 [26, 42]")


def test_a_possible_crossing_has_no_details() -> None:
    assert details(ANSWERS["undecided"]) == ()


def test_loads_are_told_by_their_side_of_one() -> None:
    assert told_loads(ANSWERS["pays up to"]) == (
        "pays at concurrency 32; not told from 1 at 64; loses at 128"
    )
    assert told_loads(ANSWERS["context"]) == "pays at context 32000; loses at 4000"
    assert told_loads(ANSWERS["nothing"]) == "no speedup at concurrency 1"
    assert told_loads(ANSWERS["one launch"]).endswith(", by the raw signs")
    assert told_loads(answer(BreakEvenOutcome.UNDECIDED, ())) == ""


def test_nowhere_slower_differs_from_nothing_measured() -> None:
    assert first_slower(ANSWERS["everywhere"]) == "none"
    assert first_slower(ANSWERS["nothing"]) == "—"
    assert first_slower(ANSWERS["pays up to"]) == "128"


def test_first_slower_over_contexts_is_a_context() -> None:
    assert first_slower(ANSWERS["context"]) == "4000"
    assert first_slower_context(ANSWERS["context"]) == 4000
    assert first_slower_context(ANSWERS["never"]) is None


def test_neighbour_is_named_by_what_its_axis_knows() -> None:
    measured = point(8, 0.9)
    said = "0.90 [0.87, 0.93] at"
    assert neighbour(measured, Axis.BATCH) == f"{said} batch 7.8 (concurrency 8)"
    assert neighbour(measured, Axis.CONCURRENCY) == f"{said} concurrency 8"
    bare = replace(measured, running_batch=None)
    assert neighbour(bare, Axis.BATCH) == f"{said} concurrency 8"
    far = at_context(4000, 0.9, "-")
    assert neighbour(far, Axis.CONTEXT) == f"{said} context 4000 tokens"


def test_crossing_in_short_stands_alone() -> None:
    found = ANSWERS["pays up to"]
    assert crossing_in_short(found, found.crossings[0]) == "batch 61 [55, 68] (c 64)"
