"""The adaptive search as a whole, on a toy machine."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.schema.comparison import BreakEvenOutcome
from specbench.schema.findings import Finding, Severity
from specbench.schema.search import CurveName, SearchEnd, SearchRound, StopReason
from specbench.schema.sweep import BASELINE
from specbench.search.adaptive import SearchState, neighbours_per_launch, next_round
from specbench.search.stopping import half_width
from specbench.search.view import view_curves
from tests.unit.search.toy import (
    OCTAVES,
    Toy,
    conditions_of,
    falling,
    flat,
    loads_of,
    state,
    sweep,
)

CURVE = CurveName("questions", 0, 0.0, "eagle")


def grid_seconds(toy: Toy, loads: int = 9, arms: int = 1, curves: int = 1) -> float:
    return 3 * loads * (1 + arms) * curves * toy.cell_s


def spent(now: SearchState) -> float:
    return math.fsum(now.cell_s.values())


def reasons(end: SearchEnd) -> set[StopReason]:
    return {each.reason for each in end.ends}


def test_the_first_launch_looks_at_every_listed_load() -> None:
    first = next_round(state(sweep()))
    assert loads_of(first) == list(OCTAVES)


def test_loads_nearer_than_an_octave_are_not_all_needed_at_first() -> None:
    dense = sorted({round(2 ** (i / 3)) for i in range(25)})
    first = loads_of(next_round(state(sweep(dense))))
    assert set(first) < set(dense)
    assert (first[0], first[-1]) == (dense[0], dense[-1])
    assert all(high / low <= 2.15 for low, high in pairwise(first))


def test_the_first_launch_guards_both_sides_of_any_crossing() -> None:
    toy = Toy({"eagle": falling(40)})
    now, _ = toy.search(state(sweep()))
    measured = {load for asked in now.rounds for load in loads_of(asked)}
    assert measured >= set(OCTAVES)


def test_where_a_single_crossing_is_known_fewer_loads_are_looked_at() -> None:
    first = next_round(state(sweep(assume="single-crossing")))
    assert loads_of(first) == [4, 16, 64]


def test_a_known_single_crossing_needs_no_load_far_from_it() -> None:
    toy = Toy({"eagle": falling(40)})
    now, end = toy.search(state(sweep(assume="single-crossing", precision=0.1)))
    measured = {load for asked in now.rounds for load in loads_of(asked)}
    assert reasons(end) == {StopReason.PRECISE}
    assert not measured & {1, 2, 256}


def test_a_single_crossing_beyond_the_inner_loads_is_found_towards_that_end() -> None:
    toy = Toy({"eagle": falling(150)})
    now, end = toy.search(state(sweep(assume="single-crossing", precision=0.1)))
    assert 256 in loads_of(now.rounds[1])
    assert reasons(end) == {StopReason.PRECISE}
    assert 1 not in {load for asked in now.rounds for load in loads_of(asked)}


def test_a_crossing_next_to_the_last_inner_load_is_bracketed_from_outside() -> None:
    toy = Toy({"eagle": falling(60)})
    now, end = toy.search(state(sweep(assume="single-crossing", precision=0.1)))
    assert 128 in loads_of(now.rounds[1])
    assert reasons(end) == {StopReason.PRECISE}


def test_without_a_crossing_between_them_both_ends_are_measured() -> None:
    toy = Toy({"eagle": flat(0.5)})
    now, end = toy.search(state(sweep(assume="single-crossing")))
    assert reasons(end) == {StopReason.DECIDED}
    assert {1, 256} <= {load for asked in now.rounds for load in loads_of(asked)}


def test_later_launches_measure_near_the_crossing_only() -> None:
    toy = Toy({"eagle": falling(40)})
    now, _ = toy.search(state(sweep()))
    later = [load for asked in now.rounds[1:] for load in loads_of(asked)]
    assert later
    assert all(32 <= load <= 64 for load in later)


def test_a_load_that_cannot_change_the_outcome_is_left_out_and_named() -> None:
    toy = Toy({"eagle": falling(40)})
    _, end = toy.search(state(sweep()))
    few = {each.load: each for each in end.left_out}
    assert set(few) >= {1, 2, 4, 8, 128, 256}
    assert few[1].launches == 1
    assert "pays" in few[1].why
    assert "loses" in few[256].why


def test_the_baseline_measures_what_any_arm_does_and_nothing_else() -> None:
    toy = Toy({"eagle": falling(20), "medusa": falling(100)})
    now, _ = toy.search(state(sweep(arms=("eagle", "medusa"))))
    for asked in now.rounds:
        assert set(asked.cells[BASELINE]) == conditions_of(asked)


def test_contexts_and_data_sets_share_the_launches_of_an_arm() -> None:
    spec = sweep(datasets=["chat", "code"], context=[256, 4096])
    toy = Toy({"eagle": falling(40)}, by_context={4096: falling(90)})
    now, end = toy.search(state(spec))
    assert len(conditions_of(now.rounds[0])) == 4 * len(OCTAVES)
    assert [asked.number for asked in now.rounds] == list(range(1, len(now.rounds) + 1))
    assert len(end.ends) == 4
    assert reasons(end) == {StopReason.PRECISE}


def test_an_arm_whose_curves_are_done_is_launched_no_more() -> None:
    toy = Toy({"eagle": flat(1.0), "medusa": falling(40)})
    now, _ = toy.search(state(sweep(arms=("eagle", "medusa"), precision=0.02)))
    assert "eagle" not in now.rounds[-1].cells


def test_a_lost_arm_is_not_chosen_again() -> None:
    spec = sweep(arms=("eagle", "medusa"))
    toy = Toy({"eagle": falling(40), "medusa": falling(40)})
    begin = state(spec, lost=frozenset({"medusa"}))
    now, end = toy.search(begin)
    assert all("medusa" not in asked.cells for asked in now.rounds)
    lost = {each.curve.arm for each in end.ends if each.reason is StopReason.LOST}
    assert lost == {"medusa"}


def test_without_its_baseline_no_arm_can_be_compared() -> None:
    end = next_round(state(sweep(), lost=frozenset({BASELINE})))
    assert isinstance(end, SearchEnd)
    assert reasons(end) == {StopReason.LOST}


def test_a_condition_that_does_not_fit_is_never_chosen() -> None:
    spec = sweep(context=[256, 4096])
    big = {state(spec).condition(CURVE, load) for load in (128, 256)}
    big = {replace(c, context=4096) for c in big}
    toy = Toy({"eagle": falling(40)})
    now, _ = toy.search(state(spec, impossible=frozenset(big)))
    assert not {c for asked in now.rounds for c in conditions_of(asked)} & big


def test_an_interval_is_believed_from_three_launches_on() -> None:
    toy = Toy({"eagle": falling(40)}, noise=0.0001)
    now, end = toy.search(state(sweep(precision=1.0)))
    assert len(now.rounds) == 3
    assert reasons(end) == {StopReason.PRECISE}


def test_the_search_stops_when_the_interval_is_as_narrow_as_was_asked() -> None:
    toy = Toy({"eagle": falling(40)})
    now, end = toy.search(state(sweep(precision=0.06)))
    assert reasons(end) == {StopReason.PRECISE}
    answer = view_curves(now)[CURVE].answer
    assert answer.crossing is not None
    assert half_width(answer.crossing.interval) <= 0.06
    before = replace(
        now,
        cells=tuple(c for c in now.cells if c.key.replicate < len(now.rounds)),
        rounds=now.rounds[:-1],
    )
    assert isinstance(next_round(before), SearchRound)


def test_a_narrower_interval_costs_more() -> None:
    toy = Toy({"eagle": falling(40)}, noise=0.01)
    wide, _ = toy.search(state(sweep(precision=0.3)))
    narrow, _ = toy.search(state(sweep(precision=0.08)))
    assert spent(wide) < spent(narrow)


def test_a_new_load_stands_at_the_crossing_where_the_line_may_hide_too_much() -> None:
    def bent(load: float) -> float:
        return 0.05 * (math.log2(45 / load)) * (1 + abs(math.log2(load / 16)))

    toy = Toy({"eagle": bent}, noise=0.001)
    now, _ = toy.search(state(sweep(precision=0.02)))
    new = {load for asked in now.rounds for load in loads_of(asked)} - set(OCTAVES)
    assert any(40 <= load <= 50 for load in new)


def test_two_crossings_are_both_found_and_both_narrowed() -> None:
    def dips(load: float) -> float:
        return 0.25 * (abs(math.log2(load / 45)) - 1.2)

    toy = Toy({"eagle": dips}, noise=0.002)
    now, end = toy.search(state(sweep(precision=0.1)))
    answer = view_curves(now)[CURVE].answer
    assert answer.outcome is BreakEvenOutcome.SEVERAL
    assert reasons(end) == {StopReason.PRECISE}
    assert all(half_width(c.interval) <= 0.1 for c in answer.crossings)


def test_a_jump_is_narrowed_until_no_load_lies_between() -> None:
    toy = Toy({"eagle": lambda load: 0.3 if load < 10.5 else -0.3}, noise=0.001)
    now, end = toy.search(state(sweep(precision=0.001), startup_s=0.1))
    assert reasons(end) == {StopReason.DECIDED}
    crossing = view_curves(now)[CURVE].answer.crossing
    assert crossing is not None
    assert (crossing.below.condition.load, crossing.above.condition.load) == (10, 11)


def test_an_arm_that_pays_everywhere_needs_few_cells() -> None:
    toy = Toy({"eagle": flat(0.5)})
    now, end = toy.search(state(sweep()))
    assert reasons(end) == {StopReason.DECIDED}
    assert spent(now) <= 0.45 * grid_seconds(toy)


def test_arms_that_are_alike_are_given_up_before_the_grid_is_spent() -> None:
    toy = Toy({"eagle": flat(0.0)}, noise=0.02)
    now, end = toy.search(state(sweep()))
    assert reasons(end) == {StopReason.HOPELESS}
    assert spent(now) < 0.8 * grid_seconds(toy)


def test_a_search_that_falls_short_says_so_within_the_grids_cost() -> None:
    toy = Toy({"eagle": falling(40, slope=0.1)}, noise=0.03)
    now, end = toy.search(state(sweep(precision=0.01)))
    assert reasons(end) == {StopReason.GRID_COST}
    assert spent(now) <= grid_seconds(toy)
    assert "grid" in end.ends[0].words


def test_launches_count_towards_the_grids_cost() -> None:
    toy = Toy({"eagle": falling(40, slope=0.1)}, noise=0.03, cell_s=5.0)
    now, _ = toy.search(state(sweep(precision=0.01), startup_s=300.0))
    assert now.spent_s <= 6 * 300.0 + grid_seconds(toy)


def test_nothing_begins_that_the_budget_has_no_room_for() -> None:
    toy = Toy({"eagle": falling(40)})
    one_round = 2 * 60.0 + 18 * toy.cell_s
    now, end = toy.search(state(sweep(), budget_s=one_round + 150.0))
    assert len(now.rounds) == 1
    assert now.budget_s is not None
    assert now.budget_s >= 0
    assert reasons(end) == {StopReason.BUDGET}


def test_with_a_budget_of_nothing_nothing_is_launched() -> None:
    end = next_round(state(sweep(), budget_s=0.0))
    assert isinstance(end, SearchEnd)
    assert reasons(end) == {StopReason.BUDGET}
    assert [each.launches for each in end.left_out] == [0] * 9


def test_a_void_load_is_measured_again_and_then_given_up() -> None:
    toy = Toy({"eagle": falling(40)})
    void = (Finding(Severity.VOID, "client-lag", "late", "use fewer"),)
    now = state(sweep(precision=0.1))
    while isinstance(choice := next_round(now), SearchRound):
        now = toy.after(now, choice)
        spoiled = tuple(
            replace(c, findings=void) if c.key.condition.load == 2 else c
            for c in now.cells
        )
        now = replace(now, cells=spoiled)
    assert [2 in loads_of(asked) for asked in now.rounds[:3]] == [True, True, False]
    assert isinstance(choice, SearchEnd)
    why = next(each.why for each in choice.left_out if each.load == 2)
    assert "no speedup" in why
    assert "load 2 gave no speedup" in choice.ends[0].words


def test_an_open_loop_is_searched_by_its_median_latency() -> None:
    toy = Toy({"eagle": falling(3.0)})
    rates = (0.5, 1.0, 2.0, 4.0, 8.0)
    now, end = toy.search(state(sweep(rates=rates, precision=0.1)))
    assert reasons(end) == {StopReason.PRECISE}
    for asked in now.rounds:
        assert all(c.is_open and c.concurrency == 0 for c in conditions_of(asked))
    assert all(0.5 <= load <= 8.0 for asked in now.rounds for load in loads_of(asked))


def test_one_replicate_is_one_look() -> None:
    toy = Toy({"eagle": falling(40)})
    now, end = toy.search(state(sweep(replicates=1)))
    assert len(now.rounds) == 1
    assert reasons(end) == {StopReason.GRID_COST}


def test_an_end_that_is_not_told_from_1_is_measured_until_it_is() -> None:
    # above 64 the arm is hardly slower than its baseline
    toy = Toy({"eagle": lambda load: max(-0.03, falling(40)(load))}, noise=0.01)
    now, _ = toy.search(state(sweep(precision=0.1)))
    counts = [256 in loads_of(asked) for asked in now.rounds]
    assert sum(counts) > 1


@pytest.mark.parametrize(
    ("launch_s", "cell_s", "count"), [(60.0, 60.0, 1), (60.0, 20.0, 2), (0.0, 1.0, 1)]
)
def test_a_launch_that_is_dear_beside_its_cells_measures_more(
    launch_s: float, cell_s: float, count: int
) -> None:
    assert neighbours_per_launch(launch_s, cell_s) == count


@settings(max_examples=15, deadline=None)
@given(
    crossing=st.floats(0.5, 500),
    slope=st.floats(-0.4, 0.4),
    noise=st.sampled_from([0.002, 0.02, 0.1]),
    seed=st.integers(0, 10_000),
    is_single=st.booleans(),
)
def test_a_search_ends_within_the_grids_cost_and_inside_the_listed_range(
    crossing: float, slope: float, noise: float, seed: int, is_single: bool
) -> None:
    toy = Toy({"eagle": falling(crossing, slope)}, noise=noise, seed=seed)
    assume = "single-crossing" if is_single else "nothing"
    now, end = toy.search(state(sweep(precision=0.05, assume=assume)))
    assert spent(now) <= grid_seconds(toy)
    assert len(end.ends) == 1
    for asked in now.rounds:
        assert all(1 <= load <= 256 for load in loads_of(asked))
        assert len(set(loads_of(asked))) == len(loads_of(asked))
        assert asked.why
    assert next_round(now) == end
