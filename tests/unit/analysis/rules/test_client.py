"""Whether the load generator kept up: each bound from both sides."""

import pytest

from specbench.analysis.rules.client import (
    client_cpu,
    client_lag,
    client_unwatched,
    lag_limit,
)
from tests.factories import cell_stats, latency
from tests.unit.analysis.rules.verdicts import verdict


def lag_verdict(
    lag_ms: float | None, ttft_ms: float, e2e_ms: float, gap_ms: float = 1000.0
) -> str | None:
    return verdict(
        client_lag,
        client_lag_p99=None if lag_ms is None else lag_ms / 1000,
        ttft=latency(ttft_ms / 1000),
        e2e_latency=latency(e2e_ms / 1000),
        chunk_gap=latency(gap_ms / 1000),
    )


@pytest.mark.parametrize(
    ("lag_ms", "expected"),
    [
        (1.99, None),
        (2.01, "flag some-client-lag"),
        (3.99, "flag some-client-lag"),
        (4.01, "void client-lag"),
    ],
)
def test_lag_over_3_ms_and_1_percent_of_the_ttft_voids(
    lag_ms: float, expected: str | None
) -> None:
    # 1 % of 100 ms on top of 3 ms
    assert lag_verdict(lag_ms, ttft_ms=100, e2e_ms=1000) == expected


@pytest.mark.parametrize(
    ("ttft_ms", "e2e_ms"),
    [(1000.0, 5000.0), (2000.0, 3000.0), (1000.0, 2000.0)],
    ids=["1 % of the TTFT", "1 % of the decode time", "both"],
)
def test_long_latencies_bear_one_percent_of_the_shorter_of_ttft_and_decode_time(
    ttft_ms: float, e2e_ms: float
) -> None:
    assert lag_verdict(6.4, ttft_ms, e2e_ms) is None
    assert lag_verdict(6.6, ttft_ms, e2e_ms) == "flag some-client-lag"
    assert lag_verdict(12.9, ttft_ms, e2e_ms) == "flag some-client-lag"
    assert lag_verdict(13.1, ttft_ms, e2e_ms) == "void client-lag"


def test_a_cell_without_latencies_bears_the_least_lag() -> None:
    assert lag_limit(cell_stats(ttft=None, e2e_latency=None)) == 0.003


def test_answers_of_one_chunk_bear_the_least_lag() -> None:
    bare = cell_stats(ttft=latency(5.0), e2e_latency=latency(5.0))
    assert lag_limit(bare) == 0.003


@pytest.mark.parametrize(
    ("lag_ms", "expected"), [(1.24, None), (1.26, "flag some-client-lag")]
)
def test_lag_over_a_quarter_of_the_chunk_gap_is_flagged(
    lag_ms: float, expected: str | None
) -> None:
    assert lag_verdict(lag_ms, ttft_ms=100, e2e_ms=1000, gap_ms=5.0) == expected


def test_without_chunk_gaps_lag_is_held_against_latencies_alone() -> None:
    assert verdict(client_lag, client_lag_p99=0.0014, chunk_gap=None) is None


def test_a_lag_that_nobody_measured_is_flagged() -> None:
    assert lag_verdict(None, 100, 1000) == "flag client-lag-unknown"


@pytest.mark.parametrize(
    ("watched", "expected"),
    [(None, None), (1.0, None), (0.5, None), (0.49, "void client-unwatched")],
)
def test_a_client_that_was_watched_for_less_than_half_the_time_voids(
    watched: float | None, expected: str | None
) -> None:
    assert verdict(client_unwatched, client_lag_watched=watched) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, None), (0.3, None), (0.80, None), (0.81, "void client-cpu")],
)
def test_a_client_process_over_80_percent_of_a_cpu_voids(
    share: float | None, expected: str | None
) -> None:
    assert verdict(client_cpu, client_cpu_share=share) == expected


def test_a_busy_small_machine_passes_and_a_slowed_client_does_not() -> None:
    # a real run on two shared cores: TPOT 50 to 100 ms, TTFT 100 to 500 ms
    assert lag_verdict(2.9, ttft_ms=100, e2e_ms=3000) == "flag some-client-lag"
    # a thread of the client that takes 5 ms at each wake-up of its loop
    assert lag_verdict(5.2, ttft_ms=200, e2e_ms=3000) == "void client-lag"
    assert verdict(client_cpu, client_cpu_share=0.97) == "void client-cpu"
