"""Whether the load was the one that was asked for: each rule at both sides of its
bound."""

import pytest

from specbench.analysis.rules.load import (
    cache_hits,
    drift,
    load_not_held,
    not_flushed,
    preemption,
    queueing,
    short_window,
)
from specbench.analysis.rules.rule import CellContext
from specbench.schema.findings import Drift
from tests.factories import cell_stats, latency
from tests.unit.analysis.rules.verdicts import BASE, CACHED, verdict


@pytest.mark.parametrize(
    ("concurrency", "in_flight", "expected"),
    [
        (64, 64.0, None),
        (64, 60.8, None),
        (64, 60.7, "void load-not-held"),
        (1, 0.95, None),
        (1, 0.94, "void load-not-held"),
        (64, None, None),
    ],
)
def test_under_95_percent_of_the_requests_in_flight_the_load_was_not_held(
    concurrency: int, in_flight: float | None, expected: str | None
) -> None:
    found = verdict(load_not_held, concurrency=concurrency, in_flight=in_flight)
    assert found == expected


def test_the_load_that_was_held_stands_in_the_message() -> None:
    found = load_not_held(cell_stats(concurrency=64, in_flight=57.13), BASE)
    assert found is not None
    assert "57.1 of 64" in found.message


@pytest.mark.parametrize(
    ("rate", "context", "expected"),
    [
        (None, BASE, None),
        (0.0, BASE, None),
        (0.01, BASE, None),
        (0.011, BASE, "void prefix-cache"),
        (0.875, BASE, "void prefix-cache"),
        (0.875, CACHED, None),
    ],
)
def test_cache_hits_void_unless_they_were_wanted(
    rate: float | None, context: CellContext, expected: str | None
) -> None:
    assert verdict(cache_hits, context, prefix_hit_rate=rate) == expected


def test_h15_the_hit_rate_stands_in_the_message() -> None:
    found = cache_hits(cell_stats(prefix_hit_rate=0.875), BASE)
    assert found is not None
    assert "87.5%" in found.message


@pytest.mark.parametrize(
    ("waiting", "expected"),
    [(None, None), (0.0, None), (0.49, None), (0.5, "flag queueing")],
)
def test_half_a_waiting_request_flags_queueing(
    waiting: float | None, expected: str | None
) -> None:
    assert verdict(queueing, waiting=waiting) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(None, None), (0.0, None), (1.0, "flag preemption")]
)
def test_one_preemption_flags(count: float | None, expected: str | None) -> None:
    assert verdict(preemption, preemptions=count) == expected


@pytest.mark.parametrize(
    ("finished", "expected"), [(3, "flag short-window"), (4, None), (40, None)]
)
def test_fewer_than_four_requests_in_the_window_are_flagged(
    finished: int, expected: str | None
) -> None:
    found = verdict(short_window, window_s=8.0, request_throughput=finished / 8.0)
    assert found == expected


def test_a_cell_without_a_window_is_flagged_with_the_reason() -> None:
    stats = cell_stats(window_s=None, missing={"window_s": "a slot ran dry"})
    found = short_window(stats, BASE)
    assert found is not None
    assert found.code == "no-window"
    assert "a slot ran dry" in found.message


def test_four_requests_are_four_in_a_window_of_any_length() -> None:
    assert verdict(short_window, window_s=49.0, request_throughput=4 / 49.0) is None


@pytest.mark.parametrize(
    ("window_s", "expected"), [(2.0, None), (1.99, "flag short-window")]
)
def test_a_window_shorter_than_one_request_is_flagged(
    window_s: float, expected: str | None
) -> None:
    found = verdict(
        short_window,
        window_s=window_s,
        request_throughput=40.0,
        e2e_latency=latency(2.0),
    )
    assert found == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (None, None),
        (Drift(1.0, 1.1), None),
        (Drift(1.1, 1.1), None),
        (Drift(1.11, 1.1), "flag drift"),
        (Drift(0.91, 1.1), None),
        (Drift(0.90, 1.1), "flag drift"),
        (Drift(0.75, 1.4), None),
    ],
)
def test_a_change_of_pace_beyond_chance_is_flagged_either_way(
    seen: Drift | None, expected: str | None
) -> None:
    assert verdict(drift, drift=seen) == expected


def test_the_direction_of_a_drift_is_said() -> None:
    slower = drift(cell_stats(drift=Drift(0.8, 1.1)), BASE)
    faster = drift(cell_stats(drift=Drift(1.3, 1.1)), BASE)
    assert slower is not None
    assert faster is not None
    assert "fell by 20%" in slower.message
    assert "rose by 30%" in faster.message


@pytest.mark.parametrize(
    ("why", "learns", "expected"),
    [
        (None, True, None),
        (None, False, None),
        ("busy", True, "void not-flushed"),
        ("busy", False, "flag not-flushed"),
    ],
)
def test_an_engine_that_was_not_emptied_spoils_a_drafter_that_learns(
    why: str | None, learns: bool, expected: str | None
) -> None:
    context = CellContext(
        expects_speculation=True, not_flushed=why, learns_from_traffic=learns
    )
    assert verdict(not_flushed, context) == expected


def test_why_it_was_not_emptied_is_said() -> None:
    context = CellContext(expects_speculation=True, not_flushed="POST / answered 400")
    found = not_flushed(cell_stats(), context)
    assert found is not None
    assert "POST / answered 400" in found.message
