"""What a step costs, term by term, and what the recorded steps say of it."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.config import (
    SimConfig,
    SimSpeculation,
    StepCost,
    StepLoad,
    kv_capacity_blocks,
    slowed,
    step_seconds,
)
from specbench.sim.model import Engine
from specbench.units import NS_PER_S
from tests.unit.sim.virtual import config, request

FULL_COST = StepCost(
    base_s=1.0,
    per_sequence_s=0.1,
    per_token_s=0.01,
    prefill_per_token_s=0.001,
    per_context_token_s=0.0001,
    eager_s=0.5,
    graph_tokens=12,
)
DRAFTER = SimSpeculation(2, (0.8, 0.6), draft_step_s=0.2, draft_per_sequence_s=0.03)
FULL = SimConfig(8, 1000, FULL_COST, DRAFTER)
LOAD = StepLoad(
    sequences=5,
    verified_tokens=12,
    prefill_tokens=70,
    draft_steps=2,
    context_tokens=900,
    drafting_sequences=4,
)


def test_a_step_costs_the_sum_of_its_terms() -> None:
    base, sequences, verified, prefill, context = 1.0, 0.5, 0.12, 0.07, 0.09
    drafts = 2 * (0.2 + 4 * 0.03)
    expected = base + sequences + verified + prefill + context + drafts
    assert step_seconds(FULL, LOAD) == pytest.approx(expected)


def test_plain_decoding_pays_for_no_drafter() -> None:
    plain = replace(FULL, speculation=None)
    free = SimSpeculation(2, (0.8, 0.6), draft_step_s=0.0)
    assert step_seconds(plain, LOAD) == step_seconds(
        replace(FULL, speculation=free), LOAD
    )


@pytest.mark.parametrize(("verified", "extra"), [(12, 0.0), (13, 0.5 + 0.01)])
def test_a_step_beyond_the_largest_graph_is_launched_kernel_by_kernel(
    verified: int, extra: float
) -> None:
    load = LOAD._replace(verified_tokens=verified)
    assert step_seconds(FULL, load) == pytest.approx(step_seconds(FULL, LOAD) + extra)


def test_without_a_limit_every_step_has_its_graph() -> None:
    unlimited = replace(FULL, cost=replace(FULL_COST, graph_tokens=None))
    load = LOAD._replace(verified_tokens=1000)
    inside = step_seconds(FULL, LOAD)
    assert step_seconds(unlimited, load) == pytest.approx(inside + 988 * 0.01)


def test_drafts_bring_an_arm_to_the_limit_at_a_smaller_batch() -> None:
    """Three sequences with two drafts each are nine tokens, without drafts three."""

    def slowest_s(speculation: SimSpeculation | None) -> float:
        cost = replace(config().cost, eager_s=1.0, graph_tokens=8)
        engine = Engine(replace(config(speculation), cost=cost), seed=0)
        for name in "abc":
            engine.submit(request(name, max_tokens=9), 0)
        longest = 0
        while engine.next_step_time() is not None:
            engine.step()
            assert engine.last_step is not None
            span = engine.last_step.ended_ns - engine.last_step.began_ns
            longest = max(longest, span)
        return longest / NS_PER_S

    assert slowest_s(None) < 1.0 < slowest_s(SimSpeculation(2, (0.8, 0.6), 0.001))


@given(st.floats(0.1, 10.0), st.integers(1, 30))
def test_a_slower_engine_pays_more_for_everything(factor: float, verified: int) -> None:
    load = LOAD._replace(verified_tokens=verified)
    slower = step_seconds(slowed(FULL, factor), load)
    assert slower == pytest.approx(factor * step_seconds(FULL, load))


def test_without_a_stated_capacity_the_longest_request_fits_in_every_slot() -> None:
    assert kv_capacity_blocks(SimConfig(3, 33, FULL_COST, None)) == 3 * 3
    small = SimConfig(3, 33, FULL_COST, None, kv_capacity_tokens=50)
    assert kv_capacity_blocks(small) == 3


def test_a_decoding_sequence_reads_all_tokens_that_it_has() -> None:
    costly = replace(config(), cost=replace(config().cost, per_context_token_s=0.001))
    engine = Engine(costly, seed=0)
    engine.submit(request("a", max_tokens=3, prompt_tokens=100), 0)
    spans = []
    while engine.next_step_time() is not None:
        engine.step()
        assert engine.last_step is not None
        spans.append(engine.last_step.ended_ns - engine.last_step.began_ns)
    decode_s = 0.0103
    assert spans[1] / NS_PER_S == pytest.approx(decode_s + 0.101)
    assert spans[2] / NS_PER_S == pytest.approx(decode_s + 0.102)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 30)), min_size=1, max_size=8),
    st.one_of(st.none(), st.integers(4, 40)),
)
def test_steps_follow_without_a_gap_and_account_for_every_token(
    shapes: list[tuple[int, int]], budget: int | None
) -> None:
    settings = replace(
        config(SimSpeculation(2, (0.7, 0.5), 0.001)), max_num_batched_tokens=budget
    )
    engine = Engine(settings, seed=0)
    for number, (prompt, output) in enumerate(shapes):
        engine.submit(request(str(number), output, prompt), 0)
    steps = []
    while engine.next_step_time() is not None:
        engine.step()
        assert engine.last_step is not None
        steps.append(engine.last_step)
    assert all(b.began_ns == a.ended_ns for a, b in pairwise(steps))
    assert sum(s.prefill_tokens for s in steps) == sum(p for p, _ in shapes)
    assert sum(s.output_tokens for s in steps) == sum(o for _, o in shapes)
    counters = engine.counters
    assert sum(s.drafts for s in steps) == counters.drafts
    assert sum(s.draft_tokens for s in steps) == counters.draft_tokens
    for position, count in enumerate(counters.accepted_by_position):
        assert sum(s.accepted_by_position[position] for s in steps) == count
    if budget is not None:
        assert all(s.prefill_tokens + s.verified_tokens <= budget for s in steps)
