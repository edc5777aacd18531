"""Caps of the engine: KV capacity, preemption, chunked prefill, prefix cache. Whatever
they are, every request ends once with its exact output."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.sim.acceptance_draws import AcceptanceDraws, AcceptanceLaw
from specbench.sim.config import SimConfig, blocks_for, kv_capacity_blocks
from specbench.sim.model import Engine
from specbench.sim.ranks import Ranks
from specbench.sim.request import FinishReason, SimRequest
from specbench.units import NS_PER_S
from tests.unit.sim.virtual import (
    MS,
    History,
    config,
    drafter,
    request,
    run_until_idle,
)

SPECULATION = drafter(0.8, 0.6, 0.4)

shapes = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 40), st.integers(0, 300)),
    min_size=1,
    max_size=12,
)
"""(prompt, output, arrival in ms) of each request."""


@st.composite
def tight_configs(draw: st.DrawFn) -> SimConfig:
    """Any caps under which the longest of `shapes` still fits."""
    block = draw(st.sampled_from([1, 4, 16]))
    speculation = draw(st.sampled_from([None, SPECULATION]))
    longest = 50 + 40 + 3
    return replace(
        config(speculation, max_num_seqs=draw(st.integers(1, 8))),
        max_model_len=draw(st.sampled_from([90, 1000])),
        block_size=block,
        kv_capacity_tokens=draw(
            st.integers(blocks_for(longest, block) * block, 400),
        ),
        prefix_caching=draw(st.booleans()),
        max_num_batched_tokens=draw(st.one_of(st.none(), st.integers(1, 64))),
        ranks=draw(st.integers(1, 3)),
    )


def prefix_of(number: int, prompt: int, block: int) -> tuple[int, ...]:
    """Prompts with numbers of one remainder share all their full blocks."""
    return tuple(hash((number % 3, i)) for i in range(prompt // block))


def play(settings: SimConfig, wanted: list[tuple[int, int, int]]) -> History:
    """Run all requests; every cap is checked after every step."""
    engine = Ranks(settings, seed=5)
    history = History()
    arrivals = sorted(enumerate(wanted), key=lambda item: item[1][2])
    for number, (prompt, output, arrival) in arrivals:
        while (now := engine.next_step_time()) is not None and now <= arrival * MS:
            take_step(engine, history)
        blocks = prefix_of(number, prompt, settings.block_size)
        name = str(number)
        engine.submit(
            SimRequest(name, prompt, output, None, name, blocks), arrival * MS
        )
    while engine.next_step_time() is not None:
        take_step(engine, history)
    assert (engine.running, engine.waiting, engine.kv_usage) == (0, 0, 0.0)
    return history


def take_step(engine: Ranks, history: History) -> None:
    now = engine.next_step_time()
    assert now is not None
    for output in engine.step():
        history.outputs[output.request_id].append((now, output))
    for rank in engine.engines:
        assert rank.running <= rank.config.max_num_seqs
        assert 0.0 <= rank.kv_usage <= 1.0
        if not rank.config.prefix_caching:  # shared blocks are counted per sequence
            capacity = kv_capacity_blocks(rank.config) * rank.config.block_size
            assert rank.kv_tokens <= capacity


@settings(max_examples=150, deadline=None)
@given(tight_configs(), shapes)
def test_every_request_ends_once_with_its_exact_output(
    caps: SimConfig, wanted: list[tuple[int, int, int]]
) -> None:
    history = play(caps, wanted)
    for number, (_, output, _) in enumerate(wanted):
        outputs = [out for _, out in history.outputs[str(number)]]
        assert sum(out.tokens for out in outputs) == output
        assert all(out.tokens > 0 for out in outputs)
        assert [out.is_finished for out in outputs].count(True) == 1
        assert outputs[-1].finish is FinishReason.LENGTH
        assert (outputs[-1].drafts is None) == (caps.speculation is None)
    assert len(history.outputs) == len(wanted)


@settings(max_examples=60, deadline=None)
@given(tight_configs(), shapes)
def test_counters_are_the_sum_of_what_the_requests_were_told(
    caps: SimConfig, wanted: list[tuple[int, int, int]]
) -> None:
    caps = replace(caps, ranks=1)
    engine = Engine(caps, seed=5)
    for number, (prompt, output, _) in enumerate(wanted):
        engine.submit(request(str(number), output, prompt), 0)
    history = run_until_idle(engine)
    counters = engine.counters
    assert counters.generation_tokens == sum(output for _, output, _ in wanted)
    assert counters.prompt_tokens == sum(prompt for prompt, _, _ in wanted)
    assert counters.finished[FinishReason.LENGTH] == len(wanted)
    assert counters.time_to_first_token.count == len(wanted)
    instants = [ends_of(history, name) for name in history.outputs]
    gaps = sum(len(ends) - 1 for ends in instants)
    spans = sum(ends[-1] - ends[0] for ends in instants) / NS_PER_S
    assert counters.inter_token.count == gaps
    assert counters.inter_token.total == pytest.approx(spans)
    assert counters.decode.total == pytest.approx(spans)
    assert counters.queue.count == counters.e2e.count == len(wanted)
    histories = [outs[-1][1].drafts for outs in history.outputs.values()]
    told = [h for h in histories if h is not None]
    assert counters.drafts == sum(sum(h.acceptance_histogram) for h in told)
    assert counters.draft_tokens == sum(h.draft_tokens for h in told)
    for position, count in enumerate(counters.accepted_by_position):
        assert count == sum(sum(h.acceptance_histogram[position + 1 :]) for h in told)


def squeezed(capacity: int, max_num_seqs: int = 8) -> SimConfig:
    """A plain engine with blocks of four tokens."""
    return replace(
        config(max_num_seqs=max_num_seqs), kv_capacity_tokens=capacity, block_size=4
    )


def test_the_last_admitted_is_preempted_and_returns_to_the_head_of_the_queue() -> None:
    engine = Engine(squeezed(capacity=40), seed=0)
    for name in "abc":
        engine.submit(request(name, max_tokens=20, prompt_tokens=8), 0)
    while engine.counters.preemptions == 0:
        engine.step()
    assert (engine.running, engine.queued) == (2, 1)
    now = engine.next_step_time()
    assert now is not None
    engine.submit(request("late", max_tokens=1, prompt_tokens=1), now)
    history = run_until_idle(engine)
    ends = [ends_of(history, name)[-1] for name in "abc"]
    assert ends == sorted(ends)
    # it would have fitted at once, but waits behind the preempted one
    assert ends_of(history, "late")[0] >= ends_of(history, "c")[0]
    assert sum(history.tokens("a")) < 20  # the rest came before, without a pause
    gaps = [after - before for before, after in pairwise(ends_of(history, "a"))]
    assert max(gaps) < 2 * min(gaps)


def ends_of(history: History, name: str) -> list[int]:
    return [instant for instant, _ in history.outputs[name]]


def test_a_preempted_request_is_prefilled_with_prompt_and_output_anew() -> None:
    engine = Engine(squeezed(capacity=24), seed=0)
    engine.submit(request("a", max_tokens=9, prompt_tokens=8), 0)
    engine.submit(request("b", max_tokens=9, prompt_tokens=8), 0)
    prefills = []
    while engine.next_step_time() is not None:
        engine.step()
        assert engine.last_step is not None
        prefills.append(engine.last_step.prefill_tokens)
    assert engine.counters.preemptions == 1
    # b held 8 + 4 tokens when a needed its fourth block
    assert [tokens for tokens in prefills if tokens] == [8, 8, 12]


def test_a_request_whose_whole_prompt_does_not_fit_holds_up_those_behind_it() -> None:
    engine = Engine(squeezed(capacity=40), seed=0)
    engine.submit(request("a", max_tokens=10, prompt_tokens=20), 0)
    engine.submit(request("large", max_tokens=1, prompt_tokens=30), 0)
    engine.submit(request("small", max_tokens=1, prompt_tokens=1), 0)
    engine.step()
    assert (engine.running, engine.queued) == (1, 2)
    history = run_until_idle(engine)
    assert ends_of(history, "a")[-1] < ends_of(history, "large")[0]
    assert ends_of(history, "large") == ends_of(history, "small")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), min_size=2, max_size=8),
    st.integers(96, 160),
)
def test_first_tokens_come_in_order_of_arrival(
    wanted: list[tuple[int, int]], capacity: int
) -> None:
    engine = Engine(replace(squeezed(capacity), speculation=SPECULATION), seed=0)
    for number, (prompt, output) in enumerate(wanted):
        engine.submit(request(str(number), output, prompt), 0)
    history = run_until_idle(engine)
    firsts = [history.outputs[str(i)][0][0] for i in range(len(wanted))]
    assert firsts == sorted(firsts)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 60)), min_size=2, max_size=8),
    st.integers(96, 160),
)
def test_preemption_changes_no_output_and_no_draw(
    wanted: list[tuple[int, int]], capacity: int
) -> None:
    engine = Engine(replace(squeezed(capacity), speculation=SPECULATION), seed=3)
    for number, (prompt, output) in enumerate(wanted):
        engine.submit(request(str(number), output, prompt), 0)
    history = run_until_idle(engine)
    law = AcceptanceLaw(SPECULATION.acceptance)
    for number, (_, output) in enumerate(wanted):
        assert sum(history.tokens(str(number))) == output
        drafts = history.outputs[str(number)][-1][1].drafts
        assert drafts is not None
        # what its drafts became is the beginning of its own stream, whatever happened
        stream = AcceptanceDraws(law, f"3/{number}")
        verified = sum(drafts.acceptance_histogram)
        counts = [(stream.ahead or stream.refill(64)).pop() for _ in range(verified)]
        seen = [counts.count(accepted) for accepted in range(4)]
        assert tuple(seen) == drafts.acceptance_histogram


def test_preemption_costs_the_time_of_the_wait_and_of_the_second_prefill() -> None:
    ends = {}
    for capacity in (400, 24):
        engine = Engine(squeezed(capacity), seed=0)
        for name in "ab":
            engine.submit(request(name, max_tokens=9, prompt_tokens=8), 0)
        history = run_until_idle(engine)
        ends[capacity] = {name: ends_of(history, name) for name in "ab"}
    ample, tight = ends[400], ends[24]
    # four tokens of b were out; the rest comes once a has ended, computed anew
    assert tight["b"][:4] == ample["b"][:4]
    prefill = 10 + 0.1 + (8 + 4) * 0.01
    assert tight["b"][4] - tight["a"][-1] == pytest.approx(prefill * MS)
    assert tight["b"][-1] > ample["b"][-1]
    assert tight["a"][-1] < ample["a"][-1]


def test_a_preempted_request_goes_on_in_its_stream_of_draws() -> None:
    certain = drafter(1.0, 0.0)  # each verification accepts exactly one
    settings = replace(squeezed(capacity=40), speculation=certain)
    engine = Engine(settings, seed=0)
    for name in "ab":
        engine.submit(request(name, max_tokens=17, prompt_tokens=8), 0)
    history = run_until_idle(engine)
    assert engine.counters.preemptions == 1
    assert history.tokens("a") == [1, 2, 2, 2, 2, 2, 2, 2, 2]
    # b's second prefill gave a token by itself; nothing came twice
    assert sum(history.tokens("b")) == 17
    assert history.tokens("b").count(1) >= 2


def test_a_step_with_drafts_needs_room_for_all_of_them() -> None:
    speculation = drafter(0.0, 0.0, 0.0)
    # a prompt of 7 and 1 token; its decode steps hold 8 + 3 = 11 tokens or more
    for capacity, fits in [(12, True), (8, False)]:
        settings = replace(squeezed(capacity), speculation=speculation)
        engine = Engine(settings, seed=0)
        if fits:
            engine.submit(request("a", max_tokens=2, prompt_tokens=7), 0)
            assert sum(run_until_idle(engine).tokens("a")) == 2
        else:
            with pytest.raises(ValueError, match=r"needs 3 KV blocks.*has 2"):
                engine.submit(request("a", max_tokens=2, prompt_tokens=7), 0)


def test_a_request_that_can_never_fit_is_refused_with_need_and_capacity() -> None:
    engine = Engine(squeezed(capacity=40), seed=0)
    with pytest.raises(ValueError, match=r"needs 11 KV blocks of 4 .*has 10"):
        engine.submit(request("a", max_tokens=10, prompt_tokens=32), 0)
    with pytest.raises(ValueError, match=r"needs 100001 tokens.*100000"):
        engine.submit(request("a", max_tokens=1, prompt_tokens=100_000), 0)
    assert engine.next_step_time() is None


def test_drafts_stop_at_the_models_length() -> None:
    settings = replace(config(drafter(1.0, 1.0, 1.0)), max_model_len=20)
    engine = Engine(settings, seed=0)
    engine.submit(request("a", max_tokens=10, prompt_tokens=10), 0)
    # 11, 15, then room for tokens 16 to 19 and the end
    assert run_until_idle(engine).tokens("a") == [1, 4, 4, 1]
    assert engine.counters.draft_tokens == 3 + 3


def test_a_long_prompt_is_taken_in_over_steps_beside_decoding_ones() -> None:
    settings = replace(config(), max_num_batched_tokens=40)
    engine = Engine(settings, seed=0)
    engine.submit(request("a", max_tokens=10, prompt_tokens=10), 0)
    engine.submit(request("long", max_tokens=2, prompt_tokens=100), 0)
    steps = []
    while engine.next_step_time() is not None:
        engine.step()
        assert engine.last_step is not None
        steps.append(
            (engine.last_step.verified_tokens, engine.last_step.prefill_tokens)
        )
    # what a's token leaves of the budget is the prompt's
    assert steps[:5] == [(0, 10), (1, 39), (1, 39), (1, 22), (2, 0)]


def test_a_budget_shared_by_two_prompts_goes_to_the_first() -> None:
    engine = Engine(replace(config(), max_num_batched_tokens=30), seed=0)
    engine.submit(request("a", max_tokens=1, prompt_tokens=1), 0)
    for name in "bc":
        engine.submit(request(name, max_tokens=1, prompt_tokens=45), 0)
    history = run_until_idle(engine)
    assert ends_of(history, "b")[0] < ends_of(history, "c")[0]
    assert engine.counters.iteration_tokens.count == 1 + 3


def test_drafts_are_cut_where_the_budget_ends() -> None:
    settings = replace(config(drafter(1.0, 1.0, 1.0)), max_num_batched_tokens=6)
    engine = Engine(settings, seed=0)
    engine.submit(request("opener", max_tokens=1, prompt_tokens=1), 0)
    for name in "ab":
        engine.submit(request(name, max_tokens=9, prompt_tokens=1), 0)
    history = run_until_idle(engine)
    # a verifies three drafts a step; b has room for one until a has ended
    assert history.tokens("a") == [1, 4, 4]
    assert history.tokens("b") == [1, 2, 2, 4]
    drafts = history.outputs["b"][-1][1].drafts
    assert drafts is not None
    assert (drafts.acceptance_histogram, drafts.draft_tokens) == ((0, 2, 0, 1), 5)
    assert engine.counters.draft_tokens == 6 + 5
    assert engine.counters.accepted_by_position == [5, 3, 3]


def test_a_prompt_that_waits_for_budget_holds_what_is_computed_of_it() -> None:
    settings = replace(config(drafter(0.0, 0.0, 0.0)), max_num_batched_tokens=4)
    engine = Engine(settings, seed=0)
    engine.submit(request("opener", max_tokens=1, prompt_tokens=1), 0)
    engine.submit(request("a", max_tokens=9, prompt_tokens=1), 0)
    engine.submit(request("b", max_tokens=1, prompt_tokens=10), 0)
    engine.step()
    assert engine.kv_tokens == 1 + 3
    engine.step()  # a's token and drafts take the whole budget
    assert engine.kv_tokens == 2 + 3


def test_a_sequence_that_the_budget_left_out_counts_its_whole_pause() -> None:
    settings = replace(config(drafter(0.0, 0.0, 0.0)), max_num_batched_tokens=8)
    engine = Engine(settings, seed=0)
    engine.submit(request("opener", max_tokens=1, prompt_tokens=1), 0)
    for name in "abc":
        engine.submit(request(name, max_tokens=5, prompt_tokens=1), 0)
    history = run_until_idle(engine)
    # two sequences with three drafts each fill the budget; c goes on when they end
    assert ends_of(history, "c")[1] > ends_of(history, "b")[-1]
    spans = sum(ends_of(history, n)[-1] - ends_of(history, n)[0] for n in "abc")
    assert engine.counters.inter_token.total == pytest.approx(spans / NS_PER_S)


def shared(name: str, blocks: tuple[int, ...], prompt: int) -> SimRequest:
    return SimRequest(name, prompt, 4, None, name, blocks)


def cached(capacity: int = 400) -> Engine:
    return Engine(replace(squeezed(capacity), prefix_caching=True), seed=0)


def test_a_prompt_seen_before_is_computed_from_its_first_new_block() -> None:
    engine = cached()
    engine.submit(shared("a", (1, 2, 3), 14), 0)
    run_until_idle(engine)
    engine.submit(shared("b", (1, 2, 9), 14), 1000 * MS)
    engine.step()
    assert engine.last_step is not None
    assert engine.last_step.prefill_tokens == 14 - 8
    counters = engine.counters
    assert (counters.prefix_queries, counters.prefix_hits) == (28, 8)
    assert counters.prompt_tokens == 28
    assert counters.iteration_tokens.total == 14 + 6 + 4 + 1


def test_the_last_prompt_token_is_always_computed() -> None:
    engine = cached()
    for number, name in enumerate("ab"):
        engine.submit(shared(name, (1, 2, 3), 12), number * 1000 * MS)
        engine.step()
        run_until_idle(engine)
    # all three blocks are known, but the last one holds the token whose answer is due
    assert engine.counters.prefix_hits == 8


def test_requests_of_one_step_share_what_the_first_of_them_computes() -> None:
    engine = cached()
    engine.submit(shared("warm", (), 1), 0)
    engine.submit(shared("a", (1, 2), 9), 0)
    engine.submit(shared("b", (1, 2), 9), 0)
    engine.step()
    engine.step()
    assert engine.last_step is not None
    assert engine.last_step.prefill_tokens == 9 + 1


def test_without_prefix_caching_nothing_is_looked_up() -> None:
    engine = Engine(squeezed(400), seed=0)
    for name in "ab":
        engine.submit(shared(name, (1, 2, 3), 13), 0)
    run_until_idle(engine)
    assert engine.counters.prefix_queries == engine.counters.prefix_hits == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 1), max_size=5), min_size=1, max_size=8),
    st.integers(0, 3),
)
def test_with_room_for_all_a_prompt_hits_its_longest_known_prefix(
    contents: list[list[int]], tail: int
) -> None:
    engine = cached(capacity=4000)
    known: set[tuple[int, ...]] = set()
    expected = 0
    for number, content in enumerate(contents):
        prefixes = [tuple(content[: i + 1]) for i in range(len(content))]
        prompt = 4 * len(content) + tail
        usable = max(0, prompt - 1) // 4
        run = [p for p in prefixes[:usable] if p in known]
        expected += 4 * len(run)
        known |= set(prefixes)
        blocks = tuple(hash(p) for p in prefixes)
        engine.submit(shared(str(number), blocks, prompt), number * 10_000 * MS)
        run_until_idle(engine)
    assert engine.counters.prefix_hits == expected


def test_what_a_preempted_request_looks_up_again_is_not_counted() -> None:
    engine = Engine(replace(squeezed(24), prefix_caching=True), seed=0)
    engine.submit(SimRequest("a", 8, 9, None, "a", (1, 2)), 0)
    engine.submit(SimRequest("b", 8, 9, None, "b", (3, 4)), 0)
    run_until_idle(engine)
    assert engine.counters.preemptions == 1
    assert engine.counters.prefix_queries == 16


def test_more_prefix_blocks_than_the_prompt_fills_are_refused() -> None:
    with pytest.raises(ValueError, match="more prefix blocks"):
        cached().submit(shared("a", (1, 2), 7), 0)


def test_an_arrival_during_a_step_is_not_queued_yet() -> None:
    engine = Engine(config(max_num_seqs=1), seed=0)
    engine.submit(request("a", max_tokens=3), 0)
    engine.submit(request("b"), 1 * MS)
    assert (engine.waiting, engine.queued) == (1, 0)
    engine.step()
    assert (engine.waiting, engine.queued) == (1, 1)


def test_an_idle_engine_has_no_queue() -> None:
    engine = Engine(config(max_num_seqs=1), seed=0)
    for name in ("a", "b"):
        engine.submit(request(name, max_tokens=2), 0)
    engine.step()
    assert engine.queued == 1
    engine.abort("b")
    run_until_idle(engine)
    assert engine.queued == 0


def test_an_aborted_request_gives_its_blocks_back() -> None:
    engine = Engine(squeezed(capacity=40), seed=0)
    engine.submit(request("a", max_tokens=20, prompt_tokens=20), 0)
    engine.submit(request("b", max_tokens=1, prompt_tokens=30), 0)
    engine.step()
    engine.abort("a")
    assert engine.kv_usage == 0.0
    history = run_until_idle(engine)
    assert sum(history.tokens("b")) == 1
    assert engine.kv_usage == 0.0
