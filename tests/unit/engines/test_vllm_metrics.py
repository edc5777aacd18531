"""vLLM's metrics page as counters and gauges. Pages are made here; what a real engine
exposes is tested against the captures in tests/contract."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.vllm_metrics import read_metrics
from specbench.wire.errors import WireError

CREATED = 1.7954112e9
MODEL = "acme/vllm:spec_decode_num_drafts_total-8B"


def counter(name: str, value: float, engine: int = 0, **labels: str) -> str:
    """A counter and the companion that every counter has."""
    inside = {"engine": str(engine), "model_name": MODEL, **labels}
    text = ",".join(f'{key}="{label}"' for key, label in inside.items())
    return (
        f"# TYPE vllm:{name}_total counter\nvllm:{name}_total{{{text}}} {value}\n"
        f"# TYPE vllm:{name}_created gauge\nvllm:{name}_created{{{text}}} {CREATED}\n"
    )


def speculation(
    drafts: float, accepted: list[float], k: int = 3, engine: int = 0
) -> str:
    """The acceptance series of one engine."""
    by_position = (
        counter("spec_decode_num_accepted_tokens_per_pos", n, engine, position=str(i))
        for i, n in enumerate(accepted)
    )
    return (
        counter("spec_decode_num_drafts", drafts, engine)
        + counter("spec_decode_num_draft_tokens", drafts * k, engine)
        + counter("spec_decode_num_accepted_tokens", sum(accepted), engine)
        + "".join(by_position)
    )


# H08: creation times stand beside the counts, and labels may hold anything.
def test_creation_times_are_never_counts() -> None:
    before, _ = read_metrics(speculation(1000, [900, 600, 300]))
    after, _ = read_metrics(speculation(1600, [1440, 980, 520]))
    assert (before.drafts, after.drafts) == (1000, 1600)
    assert (before.draft_tokens, after.draft_tokens) == (3000, 4800)
    assert (before.accepted_tokens, after.accepted_tokens) == (1800, 2940)
    assert after.accepted_by_position == (1440, 980, 520)


def test_series_that_appear_late_are_absent_before() -> None:
    counters, _ = read_metrics(counter("generation_tokens", 5))
    assert counters.generation_tokens == 5
    assert counters.drafts is None
    assert counters.draft_tokens is None
    assert counters.accepted_tokens is None
    assert counters.accepted_by_position is None


def test_creation_time_alone_is_no_count() -> None:
    page = f"vllm:spec_decode_num_drafts_created {CREATED}\n"
    assert read_metrics(page)[0].drafts is None


# H09: with data parallelism every series exists once an engine.
def test_counts_are_sums_over_engines() -> None:
    page = speculation(120, [100, 70, 40]) + speculation(80, [50, 25, 15], engine=1)
    counters, _ = read_metrics(page)
    assert counters.drafts == 200
    assert counters.draft_tokens == 600
    assert counters.accepted_tokens == 300
    assert counters.accepted_by_position == (150, 95, 55)


def test_gauges_are_sums_but_kv_use_is_the_highest() -> None:
    page = "".join(
        f'vllm:num_requests_running{{engine="{engine}"}} {running}\n'
        f'vllm:num_requests_waiting{{engine="{engine}"}} {waiting}\n'
        f'vllm:kv_cache_usage_perc{{engine="{engine}"}} {usage}\n'
        for engine, running, waiting, usage in [(0, 3, 1, 0.25), (1, 5, 0, 0.75)]
    )
    _, gauges = read_metrics(page)
    assert (gauges.running, gauges.waiting, gauges.kv_usage) == (8, 1, 0.75)


# H10: no draft is a zero, no series is an absence.
def test_zero_drafts_and_no_series_are_two_things() -> None:
    assert read_metrics(speculation(0, [0, 0, 0]))[0].drafts == 0
    assert read_metrics("")[0].drafts is None


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=14), st.data())
def test_positions_are_in_numeric_order(
    accepted: list[int], data: st.DataObject
) -> None:
    blocks = [
        counter("spec_decode_num_accepted_tokens_per_pos", n, position=str(i))
        for i, n in enumerate(accepted)
    ]
    page = "".join(data.draw(st.permutations(blocks)))
    assert read_metrics(page)[0].accepted_by_position == tuple(accepted)


@pytest.mark.parametrize("positions", [["1", "2"], ["0", "2"], ["0", "x"], [""]])
def test_positions_with_a_gap_are_none(positions: list[str]) -> None:
    page = "".join(
        counter("spec_decode_num_accepted_tokens_per_pos", 1, position=position)
        for position in positions
    )
    assert read_metrics(page)[0].accepted_by_position is None


@pytest.mark.parametrize("value", ["NaN", "+Inf"])
def test_value_that_is_no_number_is_absent(value: str) -> None:
    name = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
    page = f'vllm:num_preemptions_total {value}\n{name}{{position="0"}} {value}\n'
    counters, _ = read_metrics(page)
    assert counters.preemptions is None
    assert counters.accepted_by_position is None


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=4))
def test_order_of_engines_does_not_matter(values: list[float]) -> None:
    def total(ordered: list[float]) -> float | None:
        page = "".join(counter("prompt_tokens", v, i) for i, v in enumerate(ordered))
        return read_metrics(page)[0].prompt_tokens

    assert total(values) == total(values[::-1]) == math.fsum(values)


def test_every_other_count_has_its_own_series() -> None:
    page = (
        counter("generation_tokens", 1)
        + counter("prompt_tokens", 2)
        + counter("num_preemptions", 3)
        + counter("prefix_cache_queries", 4)
        + counter("prefix_cache_hits", 5)
        + counter("external_prefix_cache_hits", 99)
        + counter("prompt_tokens_cached", 99)
        + "vllm:request_prefill_time_seconds_sum 6\n"
        + "vllm:request_prefill_time_seconds_count 99\n"
        + "vllm:request_inference_time_seconds_sum 7\n"
    )
    c, _ = read_metrics(page)
    assert (c.generation_tokens, c.prompt_tokens, c.preemptions) == (1, 2, 3)
    assert (c.prefix_queries, c.prefix_hits) == (4, 5)
    assert (c.prefill_seconds, c.inference_seconds) == (6, 7)


def test_nonsense_is_an_error() -> None:
    with pytest.raises(WireError):
        read_metrics("<html>")
