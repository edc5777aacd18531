"""SGLang's gauges lag behind: they move at prompts and at whole log intervals."""

import pytest

from specbench.sim.request import StepRecord
from specbench.sim.sglang_gauges import SglangGauges

_MS = 1_000_000


def _step(
    at_ms: int, sequences: int = 2, prefill: int = 0, accepted: int = 0
) -> StepRecord:
    """A step of 10 ms that ends at `at_ms`; k = 3."""
    decodes = prefill == 0
    drafts = sequences if decodes else 0
    return StepRecord(
        rank=0,
        began_ns=(at_ms - 10) * _MS,
        ended_ns=at_ms * _MS,
        sequences=sequences,
        waiting=1,
        verified_tokens=4 * drafts,
        prefill_tokens=prefill,
        output_tokens=drafts + accepted,
        drafts=drafts,
        draft_tokens=3 * drafts,
        accepted_by_position=(accepted, 0, 0),
    )


def _play(gauges: SglangGauges, steps: list[StepRecord]) -> None:
    for step in steps:
        gauges.observe(step, kv_usage=0.25, is_idle=False)


def test_decode_steps_show_nothing_before_a_whole_interval() -> None:
    gauges = SglangGauges(decode_log_interval=4)
    _play(gauges, [_step(10 * i, accepted=1) for i in range(1, 4)])
    assert (gauges.running, gauges.accept_length) == (0, 0.0)
    assert gauges.average_accept_length is None
    _play(gauges, [_step(40, accepted=1)])
    assert (gauges.running, gauges.queued, gauges.kv_usage) == (2, 1, 0.25)
    assert gauges.accept_length == pytest.approx(1.5)  # 4 accepted in 8 verifies
    assert gauges.accept_rate == pytest.approx(4 / 24)
    assert gauges.gen_throughput == pytest.approx(12 / 0.040)
    assert gauges.average_accept_length == pytest.approx(1.5)


def test_a_prompt_updates_the_queue_but_not_the_acceptance() -> None:
    gauges = SglangGauges(decode_log_interval=4)
    _play(gauges, [_step(10, sequences=3, prefill=50)])
    assert (gauges.running, gauges.accept_length) == (3, 0.0)
    assert (gauges.prefill_passes, gauges.decode_passes) == (1, 0)


def test_an_idle_engine_keeps_the_last_acceptance() -> None:
    gauges = SglangGauges(decode_log_interval=1)
    gauges.observe(_step(10, accepted=2), kv_usage=0.1, is_idle=True)
    assert (gauges.running, gauges.gen_throughput) == (0, 0.0)
    assert gauges.accept_length == pytest.approx(2.0)


def test_the_average_is_over_whole_intervals_since_the_flush() -> None:
    gauges = SglangGauges(decode_log_interval=2)
    _play(gauges, [_step(10, accepted=2), _step(20, accepted=2)])
    _play(gauges, [_step(30, accepted=0), _step(40, accepted=0)])
    _play(gauges, [_step(50, accepted=2)])  # half an interval counts for nothing
    assert gauges.average_accept_length == pytest.approx(1.5)
    gauges.flush()
    assert gauges.average_accept_length is None
