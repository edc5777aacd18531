"""The engine in virtual time: it is what it was programmed to be."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.sim.model import Engine
from specbench.sim.request import FinishReason, SimRequest
from specbench.theory.acceptance import expected_tokens_per_step
from tests.unit.sim.virtual import (
    MS,
    config,
    drafter,
    request,
    run_closed_loop,
    run_until_idle,
)


def test_a_request_alone_is_prefilled_and_then_gets_a_token_a_step() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=3, prompt_tokens=100), 5 * MS)
    history = run_until_idle(engine)
    # prefill: 10 + 0.1 + 100 x 0.01 = 11.1 ms; decode: 10 + 0.1 + 0.2 = 10.3 ms
    assert history.instants_ms("a") == pytest.approx([16.1, 26.4, 36.7])
    assert history.tokens("a") == [1, 1, 1]


def test_a_speculative_step_costs_its_drafts_and_all_verified_tokens() -> None:
    engine = Engine(config(drafter(0.0, 0.0, 0.0, draft_ms=1.5)), seed=0)
    for name in ("a", "b"):
        engine.submit(request(name, max_tokens=4), 0)
    first, *decode = run_until_idle(engine).instants_ms("b")[1:]
    # 10 + 2 x 0.1 + 2 x (3 + 1) x 0.2 + 3 x 1.5
    assert decode[0] - first == pytest.approx(16.3)


def test_a_prefill_step_has_no_drafts_to_pay_for() -> None:
    engine = Engine(config(drafter(0.5, 0.5)), seed=0)
    engine.submit(request("a", max_tokens=1, prompt_tokens=0), 0)
    assert run_until_idle(engine).instants_ms("a") == pytest.approx([10.1])


@pytest.mark.parametrize("acceptance", [(0.7,), (0.9, 0.8, 0.5), (0.6,) * 7])
def test_tokens_per_step_are_one_plus_the_cumulative_acceptances(
    acceptance: tuple[float, ...],
) -> None:
    engine = Engine(config(drafter(*acceptance)), seed=1)
    engine.submit(request("a", max_tokens=50_000), 0)
    decode = run_until_idle(engine).tokens("a")[1:-1]
    mean = sum(decode) / len(decode)
    assert mean == pytest.approx(expected_tokens_per_step(acceptance), rel=0.02)


def test_counted_drafts_recover_the_conditional_rates() -> None:
    acceptance = (0.8, 0.5, 0.25)
    engine = Engine(config(drafter(*acceptance)), seed=2)
    engine.submit(request("a", max_tokens=60_000), 0)
    run_until_idle(engine)
    reached = [engine.counters.drafts, *engine.counters.accepted_by_position]
    conditional = [after / before for before, after in itertools.pairwise(reached)]
    assert conditional == pytest.approx(acceptance, abs=0.02)
    assert engine.counters.draft_tokens == 3 * engine.counters.drafts
    assert engine.counters.accepted_tokens == sum(reached[1:])


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_throughput_is_concurrency_times_tokens_over_step_time(
    concurrency: int,
) -> None:
    acceptance = (0.8, 0.6)
    engine = Engine(config(drafter(*acceptance)), seed=3)
    measured = run_closed_loop(engine, concurrency, steps=40_000 // concurrency)
    step_s = 0.010 + concurrency * (0.0001 + 3 * 0.0002) + 2 * 0.001
    expected = concurrency * expected_tokens_per_step(acceptance) / step_s
    assert measured == pytest.approx(expected, rel=0.02)


def test_speculation_stops_paying_where_the_formulas_say() -> None:
    # r(c) = (12 + 0.7 c) / (10 + 0.3 c) meets E = 1 + 0.3 + 0.09 at c = 6.7.
    speculation = drafter(0.3, 0.3)

    def speedup(concurrency: int) -> float:
        steps = 60_000 // concurrency
        plain = run_closed_loop(Engine(config(), 0), concurrency, steps)
        drafted = run_closed_loop(Engine(config(speculation), 0), concurrency, steps)
        return drafted / plain

    assert speedup(4) > 1 > speedup(10)


def test_requests_beyond_max_num_seqs_wait_in_order() -> None:
    engine = Engine(config(max_num_seqs=2), seed=0)
    for name in "abcd":
        engine.submit(request(name, max_tokens=2), 0)
    # The first request found the engine idle and has a step to itself.
    assert (engine.running, engine.waiting) == (1, 3)
    engine.step()
    assert (engine.running, engine.waiting) == (2, 2)
    history = run_until_idle(engine)
    starts = [history.outputs[name][0][0] for name in "bcd"]
    assert starts == sorted(starts)
    assert len(set(starts)) == 3
    assert (engine.running, engine.waiting) == (0, 0)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(1, 4))
def test_never_more_than_max_num_seqs_run_and_every_request_gets_its_tokens(
    arrivals_ms: list[int], cap: int
) -> None:
    engine = Engine(config(drafter(0.7, 0.7), max_num_seqs=cap), seed=0)
    most, received = 0, 0
    for number, arrival in enumerate(sorted(arrivals_ms)):
        while (now := engine.next_step_time()) is not None and now <= arrival * MS:
            received += sum(output.tokens for output in engine.step())
        engine.submit(request(f"{number}", max_tokens=5), arrival * MS)
        most = max(most, engine.running)
    while engine.next_step_time() is not None:
        most = max(most, engine.running)
        received += sum(output.tokens for output in engine.step())
    assert most <= cap
    assert received == 5 * len(arrivals_ms)
    assert engine.counters.generation_tokens == received


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 30)), max_size=10),
    st.integers(1, 5),
)
def test_what_a_request_gets_per_step_does_not_depend_on_the_batch(
    others: list[tuple[int, int]], cap: int
) -> None:
    speculation = drafter(0.7, 0.5, 0.5)
    alone = Engine(config(speculation), seed=4)
    alone.submit(request("a", max_tokens=40), 0)
    expected = run_until_idle(alone).tokens("a")

    busy = Engine(config(speculation, max_num_seqs=cap), seed=4)
    for number, (_, length) in enumerate(others):
        busy.submit(request(f"other {number}", max_tokens=length), 0)
    busy.submit(request("a", max_tokens=40), 0)
    assert run_until_idle(busy).tokens("a") == expected


def test_the_same_seed_gives_the_same_outcome_and_another_one_another() -> None:
    def outcome(seed: int) -> list[int]:
        engine = Engine(config(drafter(0.5, 0.5)), seed)
        engine.submit(request("a", max_tokens=100), 0)
        return run_until_idle(engine).tokens("a")

    assert outcome(7) == outcome(7)
    assert outcome(7) != outcome(8)


def test_requests_with_one_draw_key_meet_the_same_acceptances() -> None:
    engine = Engine(config(drafter(0.5, 0.5)), seed=0)
    for name in ("first", "second"):
        engine.submit(SimRequest(name, 10, 100, None, draw_key="prompt"), 0)
    history = run_until_idle(engine)
    assert history.tokens("first") == history.tokens("second")


def test_accepted_drafts_beyond_the_limit_are_counted_but_not_delivered() -> None:
    engine = Engine(config(drafter(1.0, 1.0, 1.0)), seed=0)
    engine.submit(request("a", max_tokens=3), 0)
    assert run_until_idle(engine).tokens("a") == [1, 2]
    assert engine.counters.accepted_tokens == 3
    assert engine.counters.generation_tokens == 3


def test_the_last_output_tells_what_became_of_the_drafts() -> None:
    engine = Engine(config(drafter(1.0, 0.0)), seed=0)
    engine.submit(request("a", max_tokens=7), 0)
    outputs = [output for _, output in run_until_idle(engine).outputs["a"]]
    assert [output.drafts is None for output in outputs] == [True, True, True, False]
    drafts = outputs[-1].drafts
    assert drafts is not None
    assert (drafts.acceptance_histogram, drafts.draft_tokens) == ((0, 3, 0), 6)


def test_a_baseline_request_has_no_draft_history() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=2), 0)
    _, last = run_until_idle(engine).outputs["a"][-1]
    assert last.drafts is None
    assert engine.counters.drafts == 0


@pytest.mark.parametrize(
    ("stop_after", "tokens", "reason"),
    [
        (None, 6, FinishReason.LENGTH),
        (9, 6, FinishReason.LENGTH),
        (6, 6, FinishReason.STOP),
        (4, 4, FinishReason.STOP),
    ],
)
def test_an_output_ends_at_its_natural_stop_or_at_the_limit(
    stop_after: int | None, tokens: int, reason: FinishReason
) -> None:
    engine = Engine(config(drafter(0.5)), seed=0)
    engine.submit(request("a", max_tokens=6, stop_after=stop_after), 0)
    outputs = run_until_idle(engine).outputs["a"]
    assert sum(output.tokens for _, output in outputs) == tokens
    assert outputs[-1][1].finish is reason
    assert engine.counters.finished[reason] == 1


def test_an_arrival_during_a_step_joins_the_next_one() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=3), 0)  # steps end at 10.2, 20.5 + ...
    engine.submit(request("b", max_tokens=1), 1 * MS)
    history = run_until_idle(engine)
    # b's step decodes a and prefills b: 10 + 2 x 0.1 + 0.2 + 10 x 0.01
    assert history.instants_ms("b") == pytest.approx([10.2 + 10.5])


def test_an_arrival_that_is_told_late_does_not_join_an_earlier_step() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=2), 0)
    # Told before the step ending at 10.2 ms was taken, though it came after its end.
    engine.submit(request("b", max_tokens=1), 11 * MS)
    history = run_until_idle(engine)
    assert history.instants_ms("a")[1] == pytest.approx(20.5)
    assert history.instants_ms("b") == pytest.approx([20.5 + 10.2])


def test_an_idle_engine_starts_at_the_arrival() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=1), 0)
    run_until_idle(engine)
    engine.submit(request("b", max_tokens=1), 500 * MS)
    assert engine.next_step_time() == pytest.approx(510.2 * MS)


def test_an_aborted_request_gets_nothing_more_and_frees_its_place() -> None:
    engine = Engine(config(max_num_seqs=1), seed=0)
    engine.submit(request("a", max_tokens=100), 0)
    engine.submit(request("b", max_tokens=1), 0)
    engine.step()
    engine.abort("a")
    assert engine.step() == []  # the step under way runs to its end
    assert [output.request_id for output in engine.step()] == ["b"]
    assert engine.counters.finished[FinishReason.ABORT] == 1
    assert engine.next_step_time() is None


def test_aborting_a_request_that_is_gone_changes_nothing() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a", max_tokens=1), 0)
    run_until_idle(engine)
    engine.abort("a")
    assert engine.counters.finished[FinishReason.ABORT] == 0


def test_a_request_cannot_be_in_the_engine_twice() -> None:
    engine = Engine(config(), seed=0)
    engine.submit(request("a"), 0)
    with pytest.raises(ValueError, match="already"):
        engine.submit(request("a"), 1)


def test_an_idle_engine_has_no_step_to_take() -> None:
    with pytest.raises(ValueError, match="idle"):
        Engine(config(), seed=0).step()


def test_request_times_add_up_as_vllm_defines_them() -> None:
    engine = Engine(config(max_num_seqs=1), seed=0)
    engine.submit(request("a", max_tokens=3), 0)
    engine.submit(request("b", max_tokens=3), 0)
    run_until_idle(engine)
    counters = engine.counters
    assert counters.prefill.total == pytest.approx(2 * 0.0102)
    assert counters.decode.total == pytest.approx(2 * 2 * 0.0103)
    assert counters.inference.total == pytest.approx(
        counters.prefill.total + counters.decode.total
    )
    # b waited for all of a.
    assert counters.queue.total == pytest.approx(0.0102 + 2 * 0.0103)
    assert counters.e2e.total == pytest.approx(
        counters.queue.total + counters.inference.total
    )
    assert counters.inter_token.count == 4
    assert counters.time_per_output_token.total == pytest.approx(2 * 0.0103)
    assert counters.iteration_tokens.total == 2 * (10 + 3)


def test_kv_tokens_are_those_of_running_sequences() -> None:
    engine = Engine(config(max_num_seqs=1), seed=0)
    engine.submit(request("a", max_tokens=3, prompt_tokens=50), 0)
    engine.submit(request("b", prompt_tokens=70), 0)
    engine.step()
    assert engine.kv_tokens == 51
