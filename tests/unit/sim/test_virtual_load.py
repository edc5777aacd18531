"""The closed loop in virtual time: it records what a client would, and the analysis
finds the programmed truth in it."""

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.snapshot import Phase
from specbench.sim.config import SimConfig, SimSpeculation
from specbench.sim.virtual_load import BEGIN_NS, VirtualCell
from specbench.theory.acceptance import expected_tokens_per_step
from specbench.units import NS_PER_S
from tests.unit.sim.virtual_cells import engine, prompts, run_cell, summarise

RATES = (0.8, 0.6, 0.4)
DRAFTER = SimSpeculation(3, RATES, draft_step_s=0.001)


def by_slot(cell: VirtualCell) -> dict[int, list[RequestSample]]:
    slots = defaultdict(list)
    for sample in cell.samples:
        slots[sample.slot].append(sample)
    return slots


@settings(max_examples=40, deadline=None)
@given(
    concurrency=st.integers(1, 9),
    rounds=st.integers(1, 5),
    output=st.integers(1, 40),
    request_s=st.floats(0, 0.5),
    config=st.builds(
        lambda cap, ranks, drafter: replace(engine(drafter, cap), ranks=ranks),
        st.integers(1, 9),
        st.integers(1, 3),
        st.sampled_from([None, DRAFTER]),
    ),
)
def test_every_prompt_is_asked_once_and_each_slot_sends_when_its_last_one_ended(
    concurrency: int,
    rounds: int,
    output: int,
    request_s: float,
    config: SimConfig,
) -> None:
    asked = prompts(concurrency * rounds, output, spread=output // 2)
    cell = run_cell(config, concurrency, asked, request_s)
    assert [s.index for s in cell.samples] == list(range(len(asked)))
    for sample, prompt in zip(cell.samples, asked, strict=True):
        assert sample.prompt_id == prompt.prompt_id
        assert sample.output_tokens == prompt.output_tokens
        assert sample.outcome is Outcome.OK
        assert sample.finish_reason == "stop"
        is_warmup = sample.index < concurrency
        assert sample.role is (Role.WARMUP if is_warmup else Role.MEASURED)
    for slot, sent in by_slot(cell).items():
        in_order = sorted(sent, key=lambda s: s.sent_ns)
        start = BEGIN_NS + slot * request_s / concurrency * NS_PER_S
        assert in_order[0].sent_ns == pytest.approx(start, abs=1)
        for before, after in itertools.pairwise(in_order):
            assert after.sent_ns == after.scheduled_ns == before.end_ns


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 8), st.integers(1, 60), st.integers(0, 5))
def test_chunks_are_those_of_a_stream_with_running_counts(
    concurrency: int, output: int, seed: int
) -> None:
    asked = prompts(3 * concurrency, output)
    cell = run_cell(engine(DRAFTER), concurrency, asked, seed=seed)
    for sample in cell.samples:
        role_only, *texts = sample.chunks
        assert (role_only.text, role_only.tokens_so_far) == ("", 0)
        assert texts[-1].arrival_ns == sample.end_ns
        counts = [chunk.tokens_so_far or 0 for chunk in texts]
        assert counts[0] == 1  # prefill gives one token
        assert counts[-1] == output
        assert all(0 < b - a <= 4 for a, b in itertools.pairwise(counts))
        instants = [chunk.arrival_ns for chunk in sample.chunks]
        assert instants == sorted(instants)
        assert sample.sent_ns < instants[0]
        words = [chunk.text for chunk in texts]
        assert all(words)
        assert len(set(words)) == len(words)


def test_an_output_longer_than_the_limit_ends_there() -> None:
    asked = prompts(2, 5000)
    cell = run_cell(engine(), 1, asked)
    assert [s.output_tokens for s in cell.samples] == [4096, 4096]
    assert [s.finish_reason for s in cell.samples] == ["length", "length"]


def test_readings_come_at_the_edges_and_densely_then_each_second_inside() -> None:
    cell = run_cell(engine(), 4, prompts(40, 100, spread=30), request_s=1.0)
    phases = [r.phase for r in cell.readings]
    inside = phases.count(Phase.INSIDE)
    assert inside > 4
    edges = [Phase.BEFORE, Phase.OPEN, *[Phase.INSIDE] * inside]
    assert phases == [*edges, Phase.CLOSE, Phase.AFTER]
    instants = [r.instant_ns for r in cell.readings]
    assert instants == sorted(instants)
    pauses = [b - a for a, b in itertools.pairwise(instants[1:-2])]
    assert [p / NS_PER_S for p in pauses[:5]] == [0.1, 0.2, 0.4, 0.8, 1.0]
    assert set(pauses[4:]) == {NS_PER_S}
    opened = max(min(s.end_ns for s in sent) for sent in by_slot(cell).values())
    closed = min(max(s.end_ns for s in sent) for sent in by_slot(cell).values())
    assert instants[1] == opened
    assert instants[-2] == closed


def test_a_cell_of_one_request_a_slot_never_opens_a_window() -> None:
    cell = run_cell(engine(), 2, prompts(2, 10))
    assert Phase.OPEN not in [r.phase for r in cell.readings]
    assert [r.phase for r in cell.readings].count(Phase.CLOSE) == 1


def test_a_baseline_shows_no_speculation_anywhere() -> None:
    cell = run_cell(engine(), 2, prompts(20, 10))
    assert all(s.speculation is None for s in cell.samples)
    assert all(r.counters.drafts is None for r in cell.readings)
    assert all(r.counters.accepted_by_position is None for r in cell.readings)
    assert summarise(cell, 2).acceptance is None


def test_the_same_seed_gives_the_same_cell_and_another_one_other_draws() -> None:
    asked = prompts(20, 30)
    first, again, other = (
        run_cell(engine(DRAFTER), 3, asked, seed=seed) for seed in (1, 1, 2)
    )
    assert first.samples == again.samples
    assert first.readings == again.readings
    assert [s.speculation for s in first.samples] != [
        s.speculation for s in other.samples
    ]


@pytest.mark.parametrize("concurrency", [1, 8, 64])
def test_tpot_is_the_cost_of_a_step_at_that_batch(concurrency: int) -> None:
    cell = run_cell(engine(), concurrency, prompts(4 * concurrency, 400))
    stats = summarise(cell, concurrency)
    assert stats.tpot is not None
    step_s = 0.010 + concurrency * 0.0003
    assert stats.tpot.p50 == pytest.approx(step_s, rel=0.002)
    assert not stats.is_void


@pytest.mark.parametrize("concurrency", [1, 8, 64])
def test_throughput_follows_from_the_cycle_of_a_slot(concurrency: int) -> None:
    # A step costs 10 ms whatever is in it. A slot's request misses the step that has
    # begun, is prefilled in the next and then gets a token a step: N + 1 steps. Alone
    # it finds the engine idle and misses none.
    missed = 0 if concurrency == 1 else 1
    flat = replace(engine(), cost=replace(engine().cost, per_sequence_s=0.0))
    flat = replace(flat, cost=replace(flat.cost, per_token_s=0.0))
    cell = run_cell(flat, concurrency, prompts(30 * concurrency, 50))
    stats = summarise(cell, concurrency)
    assert stats.output_throughput == pytest.approx(
        concurrency * 50 / ((50 + missed) * 0.010), rel=0.002
    )
    assert stats.ttft is not None
    assert stats.ttft.p50 == pytest.approx(0.010 * (1 + missed))
    assert stats.in_flight == pytest.approx(concurrency, rel=0.001)


def test_throughput_is_batch_times_tokens_per_step_over_step_time() -> None:
    concurrency = 16
    cell = run_cell(engine(DRAFTER), concurrency, prompts(10 * concurrency, 1500, 300))
    stats = summarise(cell, concurrency)
    step_s = 0.010 + concurrency * (0.0001 + 4 * 0.0002) + 3 * 0.001
    expected = concurrency * expected_tokens_per_step(RATES) / step_s
    assert stats.output_throughput == pytest.approx(expected, rel=0.015)
    assert stats.running_batch == pytest.approx(concurrency, rel=0.01)
    assert stats.tokens_per_step == pytest.approx(
        expected_tokens_per_step(RATES), rel=0.01
    )


def test_acceptance_in_the_window_approaches_the_programmed_rates() -> None:
    cell = run_cell(engine(DRAFTER), 16, prompts(320, 400, 100))
    acceptance = summarise(cell, 16).acceptance
    assert acceptance is not None
    assert acceptance.conditional_by_position == pytest.approx(RATES, abs=0.015)
    assert acceptance.length == pytest.approx(expected_tokens_per_step(RATES), rel=0.01)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(1, 60), st.integers(71, 140), st.integers(1, 3))
def test_counters_agree_exactly_with_the_requests_own_histograms(
    concurrency: int, output: int, capacity_blocks: int, ranks: int
) -> None:
    asked = prompts(4 * concurrency, output, spread=output // 2)
    config = replace(
        engine(DRAFTER), kv_capacity_tokens=2 * capacity_blocks, block_size=2
    )
    cell = run_cell(replace(config, ranks=ranks), concurrency, asked)
    told: Counter[int] = Counter()
    draft_tokens = 0
    for sample in cell.samples:
        assert sample.speculation is not None
        told.update(dict(enumerate(sample.speculation["acceptance_histogram"])))
        draft_tokens += sample.speculation["num_draft_tokens"]
    after = cell.readings[-1].counters
    assert after.drafts == sum(told.values())
    assert after.draft_tokens == draft_tokens
    assert after.accepted_tokens == sum(j * count for j, count in told.items())
    assert after.accepted_by_position == tuple(
        sum(count for j, count in told.items() if j > position) for position in range(3)
    )
    assert after.generation_tokens == sum(s.output_tokens or 0 for s in cell.samples)
    assert after.prompt_tokens == sum(p.prompt_tokens for p in asked)


def test_the_speedup_curve_of_an_arm_follows_the_closed_formula() -> None:
    yield_per_step = expected_tokens_per_step(RATES)
    for concurrency in (1, 4, 16, 32):
        asked = prompts(5 * concurrency + 10, 800, 200)
        plain = summarise(run_cell(engine(), concurrency, asked), concurrency)
        arm = summarise(run_cell(engine(DRAFTER), concurrency, asked), concurrency)
        plain_s = 0.010 + concurrency * 0.0003
        arm_s = 0.010 + concurrency * 0.0009 + 0.003
        expected = yield_per_step * plain_s / arm_s
        assert arm.tpot is not None
        assert plain.tpot is not None
        assert arm.output_throughput is not None
        assert plain.output_throughput is not None
        speedup = arm.output_throughput / plain.output_throughput
        assert speedup == pytest.approx(expected, rel=0.02)
        assert plain.tpot.mean / arm.tpot.mean == pytest.approx(expected, rel=0.02)


def test_where_the_kv_cache_is_small_requests_queue_and_the_cell_says_so() -> None:
    config = replace(engine(), kv_capacity_tokens=800)
    stats = summarise(run_cell(config, 16, prompts(160, 100)), 16)
    assert stats.preemptions is not None
    assert stats.preemptions > 0
    assert stats.waiting is not None
    assert stats.waiting > 1
    assert stats.running_batch is not None
    assert stats.running_batch + stats.waiting == pytest.approx(16, abs=0.6)
    assert stats.kv_usage is not None
    assert 0.7 < stats.kv_usage <= 1.0
    assert {"queueing", "preemption"} <= {f.code for f in stats.findings}


def test_an_ample_engine_has_no_finding_at_all() -> None:
    config = engine(DRAFTER, prefill_per_token_s=0.00001)
    asked = prompts(240, 150, 50)
    stats = summarise(run_cell(config, 24, asked, request_s=0.8), 24)
    assert stats.findings == ()
