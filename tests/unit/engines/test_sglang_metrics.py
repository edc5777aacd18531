"""SGLang's metrics page as counters and gauges. Pages are made here; what a real engine
exposes is tested against the captures in tests/contract."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.sglang_metrics import read_metrics
from specbench.wire.errors import WireError
from tests.unit.engines.sglang_pages import counter, ended_requests, line, rank_line

COUNTS = st.integers(0, 10**6)


# H08: creation times stand beside the counts, and labels may hold anything.
def test_creation_times_are_never_counts() -> None:
    counters, _ = read_metrics(ended_requests(12, 320, 51))
    assert counters.requests_ended == 12
    assert counters.generation_tokens == 320
    assert counters.verify_calls == 51


def test_creation_times_alone_are_no_counts() -> None:
    created = [
        text for text in ended_requests(12, 320, 51).splitlines() if "_created{" in text
    ]
    counters, _ = read_metrics("\n".join(created) + "\n")
    assert counters.requests_ended is None
    assert counters.verify_calls is None


def test_streamed_requests_and_others_are_one_count() -> None:
    page = ended_requests(5, 120, None) + "".join(
        line(f"{name}_total", value, is_streaming="false")
        for name, value in (("num_requests", 7), ("generation_tokens", 200))
    )
    counters, _ = read_metrics(page)
    assert counters.requests_ended == 12
    assert counters.generation_tokens == 320


def test_series_that_are_absent_are_none() -> None:
    """Verify calls appear when the first request that had any ends."""
    counters, gauges = read_metrics(ended_requests(0, 0, None))
    assert counters.verify_calls is None
    assert counters.decode_tokens is None
    assert counters.preemptions is None
    assert (gauges.running, gauges.waiting, gauges.kv_usage) == (None, None, None)


def test_nothing_says_what_was_drafted() -> None:
    """Its counters know verify passes and decoded tokens, not drafts."""
    counters, _ = read_metrics(ended_requests(12, 320, 51))
    assert counters.drafts is None
    assert counters.draft_tokens is None
    assert counters.accepted_tokens is None
    assert counters.accepted_by_position is None


def test_decoded_tokens_are_told_from_prompt_tokens() -> None:
    page = rank_line("realtime_tokens_total", 352, mode="decode")
    page += rank_line("realtime_tokens_total", 126, mode="prefill_compute")
    counters, _ = read_metrics(page)
    assert counters.decode_tokens == 352


# H09: several ranks.
@given(st.lists(COUNTS, min_size=1, max_size=6), st.data())
def test_data_parallel_ranks_are_summed(values: list[int], data: st.DataObject) -> None:
    lines = []
    for rank, value in enumerate(values):
        dp = {"dp_rank": str(rank)}
        lines += [
            rank_line("num_running_reqs", value, **dp),
            rank_line("num_queue_reqs", 2 * value, **dp),
            rank_line("token_usage", value / 10**6, **dp),
            rank_line("realtime_tokens_total", value, mode="decode", **dp),
        ]
    counters, gauges = read_metrics("".join(data.draw(st.permutations(lines))))
    assert gauges.running == sum(values)
    assert gauges.waiting == 2 * sum(values)
    assert gauges.kv_usage == max(values) / 10**6
    assert counters.decode_tokens == sum(values)


@given(
    st.lists(COUNTS, min_size=1, max_size=3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.data(),
)
def test_ranks_that_share_the_work_count_once(
    values: list[int], tensor: int, pipeline: int, data: st.DataObject
) -> None:
    """With `--enable-metrics-for-all-schedulers` each of them reports."""
    lines = [
        rank_line(name, value, tp + tensor * dp, pp, dp_rank=str(dp))
        for dp, value in enumerate(values)
        for tp in range(tensor)
        for pp in range(pipeline)
        for name in ("num_running_reqs", "num_retracted_requests_total")
    ]
    counters, gauges = read_metrics("".join(data.draw(st.permutations(lines))))
    assert gauges.running == sum(values)
    assert counters.preemptions == sum(values)


def test_priorities_are_parts_of_the_line_without_one() -> None:
    page = rank_line("num_running_reqs", 5, priority="")
    page += rank_line("num_running_reqs", 3, priority="0")
    page += rank_line("num_running_reqs", 2, priority="1")
    _, gauges = read_metrics(page)
    assert gauges.running == 5


def test_retractions_are_counted_and_the_gauge_of_the_last_interval_is_not() -> None:
    gauge = rank_line("num_retracted_reqs", 3, pid="4606")
    none_yet, _ = read_metrics(gauge)
    assert none_yet.preemptions == 0
    some, _ = read_metrics(gauge + rank_line("num_retracted_requests_total", 17))
    assert some.preemptions == 17


def prefilled(computed: int, *hits: int) -> str:
    modes = ("input", "device_hit", "host_hit", "storage_hit")
    return "".join(
        rank_line("prefill_effective_tokens_total", value, mode=mode)
        for mode, value in zip(modes, (computed, *hits), strict=True)
    )


def test_prompt_tokens_that_the_cache_held_are_hits_of_every_tier() -> None:
    counters, _ = read_metrics(prefilled(126, 100, 10, 9))
    assert (counters.prefix_queries, counters.prefix_hits) == (245, 119)


def test_no_hits_are_zero_where_the_engine_counts_them() -> None:
    counters, _ = read_metrics(prefilled(126, 0, 0, 0))
    assert (counters.prefix_queries, counters.prefix_hits) == (126, 0)


@pytest.mark.parametrize(("cached", "hits"), [(None, 0), (119, 119)])
def test_older_releases_count_computed_and_cached_tokens(
    cached: int | None, hits: int
) -> None:
    page = rank_line("realtime_tokens_total", 126, mode="prefill_compute")
    if cached is not None:
        page += rank_line("realtime_tokens_total", cached, mode="prefill_cache")
    counters, _ = read_metrics(page)
    assert (counters.prefix_queries, counters.prefix_hits) == (126 + hits, hits)


def test_a_gauge_that_is_no_number_is_unknown() -> None:
    _, gauges = read_metrics(rank_line("num_running_reqs", float("nan")))
    assert gauges.running is None


def test_series_of_another_engine_are_not_taken() -> None:
    other = counter("num_requests", 5).replace("sglang:", "vllm:")
    counters, _ = read_metrics(other)
    assert counters.requests_ended is None


def test_text_that_is_no_page_is_refused() -> None:
    with pytest.raises(WireError):
        read_metrics("<html>502</html>")
