"""The share of a baseline's time that is prefill, from the instants of its chunks: a
step during which nobody was in prefill is a plain one, and what plain steps do not
explain is the share."""

import random
from dataclasses import replace
from itertools import accumulate

import pytest

from specbench.analysis.cell import summarise_cell
from specbench.analysis.missing import Missing
from specbench.analysis.plain_steps import (
    ENOUGH_STEPS,
    PlainDecoding,
    plain_decoding,
)
from specbench.analysis.prefill_share import add_prefill_share
from specbench.analysis.window import Window
from specbench.schema.findings import CellStats, PrefillShare
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.sim.config import SimConfig, SimSpeculation, StepLoad, step_seconds
from tests.factories import (
    cell_stats,
    chunk,
    chunks_of,
    ns,
    observations,
    sample,
)
from tests.unit.sim.virtual_cells import engine, prompts, run_cell, summarise

OPEN = Window(ns(0), ns(10_000), ns(-1))
"""Everything is at full load in it."""


def decoder(gaps_ms: list[float], slot: int = 0) -> RequestSample:
    """Sent at 0, first token after 5 ms, then a token after each gap."""
    arrivals = list(accumulate(gaps_ms, initial=5.0))
    return sample(chunks_of(arrivals, [1] * len(arrivals), counted=True), slot=slot)


def neighbour(sent_ms: float, first_ms: float, **changes: object) -> RequestSample:
    """Another request of the cell: only its prefill matters here."""
    made = sample([chunk(first_ms, 1)], sent_ms=sent_ms, slot=1)
    return replace(made, **changes)  # type: ignore[arg-type]


def found(samples: list[RequestSample], *chosen: RequestSample) -> PlainDecoding:
    plain = plain_decoding(samples, chosen)
    assert isinstance(plain, PlainDecoding)
    return plain


def why_none(samples: list[RequestSample], *chosen: RequestSample) -> str:
    plain = plain_decoding(samples, chosen)
    assert isinstance(plain, Missing)
    return plain.reason


# -- which steps are plain ---------------------------------------------------


def test_alone_every_gap_is_a_plain_step() -> None:
    alone = decoder([10.0] * 40)
    plain = found([alone], alone)
    assert plain.step_s == pytest.approx(0.010)
    assert (plain.steps, plain.gaps) == (40, 40)


def interrupted() -> RequestSample:
    """20 plain steps, to 205 ms; one of 60 ms, to 265; 20 more."""
    return decoder([10.0] * 20 + [60.0] + [10.0] * 20)


@pytest.mark.parametrize(
    "other",
    [
        neighbour(205, 265),
        neighbour(205, 265, role=Role.WARMUP),
        neighbour(205, 265, outcome=Outcome.FAILED, error="boom"),
        replace(neighbour(205, 205), chunks=(), end_ns=ns(265)),
        neighbour(230, 240),
    ],
    ids=["measured", "warm-up", "failed later", "no token ever", "shorter than a gap"],
)
def test_a_step_during_which_another_request_was_in_prefill_is_not_plain(
    other: RequestSample,
) -> None:
    one = interrupted()
    plain = found([one, other], one)
    assert plain.step_s == pytest.approx(0.010)
    assert plain.steps == 40


def test_a_role_chunk_does_not_end_a_prefill() -> None:
    # the prompt is taken in over three steps, from 205 to 385 ms
    one = decoder([10.0] * 20 + [60.0] * 3 + [10.0] * 20)
    early_role = Chunk(ns(206), "", is_reasoning=False, tokens_so_far=0)
    other = neighbour(205, 385)
    plain = found([one, replace(other, chunks=(early_role, *other.chunks))], one)
    assert plain.step_s == pytest.approx(0.010)


def test_prefills_that_overlap_are_one() -> None:
    one = decoder([10.0] * 20 + [60.0] * 3 + [10.0] * 20)
    others = [neighbour(205, 350), neighbour(210, 220), neighbour(340, 385)]
    plain = found([*others, one], one)
    assert plain.step_s == pytest.approx(0.010)
    assert plain.steps == 40


def test_a_chunk_of_several_tokens_is_as_many_steps() -> None:
    # a server that joins three steps: 30 ms a chunk
    arrivals = [5.0 + 30.0 * i for i in range(15)]
    joined = sample(chunks_of(arrivals, [1] + [3] * 14, counted=True))
    plain = found([joined], joined)
    assert plain.step_s == pytest.approx(0.010)
    assert (plain.steps, plain.gaps) == (42, 14)


def test_text_that_brought_no_new_token_is_no_step() -> None:
    one = decoder([10.0] * 40)
    held_back = chunk(107.0, 11)
    chunks = (*one.chunks[:11], held_back, *one.chunks[11:])
    plain = found([one], replace(one, chunks=chunks))
    assert plain.step_s == pytest.approx(0.010)
    assert plain.steps == 40


def test_a_step_that_a_whole_batch_saw_is_one_step() -> None:
    few = [decoder([10.0] * 10, slot) for slot in range(8)]
    assert "only 10 decode steps" in why_none(few, *few)
    enough = [decoder([10.0] * ENOUGH_STEPS, slot) for slot in range(8)]
    plain = found(enough, *enough)
    assert (plain.steps, plain.gaps) == (ENOUGH_STEPS, 8 * ENOUGH_STEPS)


def test_steps_in_a_row_are_one_observation_of_their_mean() -> None:
    # stretches of ten steps at 10 and at 14 ms, parted by prefills
    gaps = ([10.0] * 10 + [50.0] + [14.0] * 10 + [50.0]) * 4
    one = decoder(gaps)
    at = list(accumulate(gaps, initial=5.0))
    others = [neighbour(at[i], at[i + 1]) for i, gap in enumerate(gaps) if gap == 50.0]
    plain = found([one, *others], one)
    assert plain.step_s == pytest.approx(0.012)
    # eight means, each 2 ms off: 2 sqrt(8 / 7) / sqrt(8) of 12
    assert plain.error == pytest.approx(2 / 12 / 7**0.5)


def test_the_order_of_the_requests_does_not_matter() -> None:
    cell = run_cell(engine(prefill_per_token_s=1e-3), 4, prompts(24, 60, 20))
    samples = list(cell.samples)
    there = plain_decoding(samples, samples)
    random.Random(3).shuffle(samples)
    assert plain_decoding(samples, samples) == there


def test_tokens_that_all_came_at_one_instant_make_no_step() -> None:
    # held up by a gateway: one token at 5 ms, the other 40 at 30 ms
    held_up = decoder([25.0] + [0.0] * 39)
    assert "one instant" in why_none([held_up, neighbour(10, 20)], held_up)


# -- the shares --------------------------------------------------------------


def shares_of(tpot_s: float, one: RequestSample) -> PrefillShare | str:
    """Of a cell with this token-weighted mean TPOT and one request in it."""
    stats = cell_stats(mean_tpot_by_token=tpot_s, prefill_share=None)
    stats = add_prefill_share(stats, [one], OPEN, drafts=False)
    return stats.prefill_share or stats.missing["prefill_share"]


def test_what_plain_steps_do_not_explain_is_prefill() -> None:
    shares = shares_of(0.0125, decoder([10.0] * 40))
    assert isinstance(shares, PrefillShare)
    assert shares.of_decode == pytest.approx(0.2)
    # 40 decode tokens of 10 ms in 405 ms
    assert shares.of_request == pytest.approx(5 / 405)
    assert shares.plain_step_s == pytest.approx(0.010)
    assert shares.plain_gaps == 40


def test_a_share_just_below_zero_is_none_and_far_below_it_is_unknown() -> None:
    just_below = shares_of(0.0099, decoder([10.0] * 40))
    assert isinstance(just_below, PrefillShare)
    assert just_below.of_decode == 0.0
    assert "slower than the others" in str(shares_of(0.0095, decoder([10.0] * 40)))


def test_noise_of_the_steps_widens_what_is_just_below() -> None:
    gaps = ([8.0] * 10 + [50.0] + [12.0] * 10 + [50.0]) * 4
    one = decoder(gaps)
    at = list(accumulate(gaps, initial=5.0))
    others = [
        neighbour(at[i], at[i + 1], role=Role.WARMUP)
        for i, gap in enumerate(gaps)
        if gap == 50.0
    ]
    stats = cell_stats(mean_tpot_by_token=0.0095, prefill_share=None)
    noisy = add_prefill_share(stats, [one, *others], OPEN, drafts=False)
    assert noisy.prefill_share is not None
    assert noisy.prefill_share.of_decode == 0.0


def test_slow_steps_that_have_nothing_to_do_with_prefill_are_not_taken_for_it() -> None:
    # every tenth step is slow; a median would call what they cost prefill
    gaps = [110.0 if i % 10 == 5 else 10.0 for i in range(40)]
    samples = []
    start = 0.0
    for index in range(4):
        arrivals = [start + at for at in accumulate(gaps, initial=5.0)]
        chunks = chunks_of(arrivals, [1] * len(arrivals), counted=True)
        samples.append(sample(chunks, index=index, sent_ms=start, scheduled_ms=start))
        start = arrivals[-1]
    shares = summarise_cell(observations(samples)).prefill_share
    assert shares is not None
    assert shares.plain_step_s == pytest.approx(0.020)
    assert shares.of_decode == pytest.approx(0.0, abs=1e-9)
    assert shares.of_request == pytest.approx(5 / 805)


# -- where there is none -----------------------------------------------------


def shares_in(config: SimConfig, load: int, output: int = 60) -> CellStats:
    asked = prompts(6 * load, output, output // 4)
    return summarise(run_cell(config, load, asked, request_s=1.0), load)


def without_counts(samples: tuple[RequestSample, ...]) -> list[RequestSample]:
    return [
        replace(
            s, chunks=tuple(c._replace(tokens_so_far=None) for c in s.chunks if c.text)
        )
        for s in samples
    ]


def test_a_cell_whose_requests_queue_has_no_share() -> None:
    stats = shares_in(engine(max_num_seqs=4), 8)
    assert stats.prefill_share is None
    assert "waited for admission" in stats.missing["prefill_share"]


def test_a_cell_with_preemptions_has_no_share() -> None:
    stats = cell_stats(preemptions=1.0)
    stats = add_prefill_share(stats, [decoder([10.0] * 40)], OPEN, drafts=False)
    assert stats.prefill_share is None
    assert "preempted" in stats.missing["prefill_share"]


def test_a_cell_that_speculates_has_no_share() -> None:
    drafter = SimSpeculation(3, (0.8, 0.6, 0.4), draft_step_s=0.001)
    stats = shares_in(engine(drafter), 4)
    assert stats.prefill_share is None
    assert "speculates" in stats.missing["prefill_share"]


def test_a_cell_without_running_counts_has_no_share() -> None:
    cell = run_cell(engine(), 4, prompts(24, 60, 15), request_s=1.0)
    stats = summarise(replace(cell, samples=tuple(without_counts(cell.samples))), 4)
    assert stats.prefill_share is None
    assert "running token counts" in stats.missing["prefill_share"]


def test_a_cell_without_a_window_has_no_share() -> None:
    cell = run_cell(engine(), 4, prompts(4, 60))
    stats = summarise(cell, 4)
    assert stats.prefill_share is None
    assert stats.missing["prefill_share"] == stats.missing["window_s"]


def test_a_load_under_which_somebody_is_always_in_prefill_has_no_share() -> None:
    stats = shares_in(engine(prefill_per_token_s=1e-4), 64, output=32)
    assert stats.prefill_share is None
    assert "while no request was in prefill" in stats.missing["prefill_share"]


# -- against the truth of a programmed engine --------------------------------


@pytest.mark.parametrize("load", [1, 8, 64])
@pytest.mark.parametrize("prefill_s", [0.0, 2e-5, 2e-3])
def test_the_plain_step_is_what_a_step_of_the_full_batch_costs(
    load: int, prefill_s: float
) -> None:
    config = engine(prefill_per_token_s=prefill_s)
    stats = shares_in(config, load, output=200)
    assert stats.prefill_share is not None
    true_s = step_seconds(config, StepLoad(load, load, 0, 0))
    assert stats.prefill_share.plain_step_s == pytest.approx(true_s, rel=1e-6)


def test_alone_the_share_is_the_first_tokens_and_nothing_is_interleaved() -> None:
    stats = shares_in(engine(prefill_per_token_s=2e-3), 1, output=200)
    assert stats.prefill_share is not None
    assert stats.ttft is not None
    assert stats.e2e_latency is not None
    assert stats.prefill_share.of_decode == pytest.approx(0.0, abs=1e-9)
    assert stats.prefill_share.of_request == pytest.approx(
        stats.ttft.mean / stats.e2e_latency.mean
    )


@pytest.mark.parametrize("load", [2, 8, 32])
def test_without_a_cost_of_prefill_none_is_interleaved(load: int) -> None:
    stats = shares_in(engine(prefill_per_token_s=0.0), load, output=200)
    assert stats.prefill_share is not None
    assert stats.prefill_share.of_decode == pytest.approx(0.0, abs=0.005)


def test_interleaved_prefill_is_the_cost_of_the_others_prompts() -> None:
    # in the time of one request each of the 7 others is prefilled about once
    prefill_s, load, output = 2e-3, 8, 200
    config = engine(prefill_per_token_s=prefill_s)
    asked = prompts(240, output)
    stats = summarise(run_cell(config, load, asked, request_s=3.0), load)
    assert stats.prefill_share is not None
    assert stats.mean_tpot_by_token is not None
    prompt = sum(p.prompt_tokens for p in asked) / len(asked)
    spent = (load - 1) * prompt * prefill_s / output
    share = spent / stats.mean_tpot_by_token
    assert stats.prefill_share.of_decode == pytest.approx(share, rel=0.03)
