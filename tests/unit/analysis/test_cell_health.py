"""What a summary says of the client, the window and the pace, beside its figures."""

from dataclasses import replace

import pytest

from specbench.analysis.cell import summarise_cell
from specbench.schema.findings import CellStats
from specbench.schema.record import ClientHealth
from tests.factories import CLEAN_CLIENT, closed_loop, observations

STEADY = closed_loop([[100.0 * (n + 1) for n in range(20)]], tokens=10)
"""One slot, back to back: 2 s, of which 1.9 s are the window."""


def summarise(client: ClientHealth) -> CellStats:
    return summarise_cell(observations(STEADY, client=client))


def codes(stats: CellStats) -> set[str]:
    return {finding.code for finding in stats.findings}


def test_a_healthy_client_is_told_with_its_figures_and_no_remark() -> None:
    stats = summarise(replace(CLEAN_CLIENT, lag_samples=380, lag_expected=400))
    assert stats.client_lag_watched == pytest.approx(0.95)
    assert stats.client_cpu_share == CLEAN_CLIENT.cpu_share
    assert codes(stats) == set()


@pytest.mark.parametrize(
    ("client", "code"),
    [
        (replace(CLEAN_CLIENT, lag_samples=199, lag_expected=400), "client-unwatched"),
        (replace(CLEAN_CLIENT, cpu_share=0.95), "client-cpu"),
        (replace(CLEAN_CLIENT, lag_p99_s=0.0052), "client-lag"),
    ],
)
def test_a_client_that_did_not_keep_up_voids_its_cell(
    client: ClientHealth, code: str
) -> None:
    stats = summarise(client)
    assert codes(stats) == {code}
    assert stats.is_void


def test_a_client_of_an_older_run_is_not_held_to_probes_that_nobody_counted() -> None:
    stats = summarise(replace(CLEAN_CLIENT, lag_samples=3, lag_expected=None))
    assert stats.client_lag_watched is None
    assert "not known" in stats.missing["client_lag_watched"]
    assert codes(stats) == set()


def test_more_probes_than_expected_are_all_of_them() -> None:
    stats = summarise(replace(CLEAN_CLIENT, lag_samples=402, lag_expected=400))
    assert stats.client_lag_watched == 1.0


def test_the_share_of_the_window_in_the_cell_is_told() -> None:
    assert summarise(CLEAN_CLIENT).window_share == pytest.approx(1.9 / 2.0)


def test_the_pace_of_a_steady_cell_does_not_drift() -> None:
    drift = summarise(CLEAN_CLIENT).drift
    assert drift is not None
    # 19 requests do not fall evenly into thirds
    assert drift.ratio == pytest.approx(1.0, abs=0.2)
    assert not drift.is_clear


def test_a_short_cell_has_no_drift_and_says_why() -> None:
    stats = summarise_cell(observations(STEADY[:6]))
    assert stats.drift is None
    assert "fewer than 12" in stats.missing["drift"]


def test_a_load_that_was_not_held_voids_the_cell() -> None:
    # both slots idle for 20 ms after each request of 80 ms
    idle = [
        replace(
            s, sent_ns=s.sent_ns + 20_000_000, slot=slot, index=s.index + 100 * slot
        )
        for slot in (0, 1)
        for s in STEADY
    ]
    stats = summarise_cell(observations(idle, concurrency=2))
    assert stats.in_flight == pytest.approx(1.6)
    assert "load-not-held" in codes(stats)
    assert stats.is_void
