"""The columns of cells.csv that only an open loop fills."""

from specbench.report.columns import SUMMARY, Column, field
from specbench.schema.findings import CellStats


def _plain(name: str, unit: str, meaning: str, path: str) -> Column[CellStats]:
    return Column(name, unit, meaning, field(path))


OPEN_COLUMNS: tuple[Column[CellStats], ...] = (
    Column(
        "request_rate_requests_per_s",
        "requests/s",
        "of an open loop: requests that arrive per second, as asked; its concurrency"
        " is 0",
        lambda c: c.key.condition.request_rate or None,
    ),
    _plain(
        "arrival_rate_requests_per_s",
        "requests/s",
        "of an open loop: requests that were due per second of the window",
        "open_load.arrival_rate",
    ),
    *[
        _plain(
            f"send_delay_{part}_s",
            "s",
            f"{words} over all requests of an open loop: sent minus due",
            f"open_load.send_delay.{part}",
        )
        for part, words in SUMMARY.items()
    ],
    _plain("send_delay_max_s", "s", "the longest", "open_load.send_delay_max_s"),
    _plain(
        "due",
        "requests",
        "of an open loop: due inside the window",
        "open_load.backlog.due",
    ),
    _plain(
        "ended_in_window",
        "requests",
        "of an open loop: ended inside the window, failed ones included",
        "open_load.backlog.ended",
    ),
    _plain(
        "in_flight_first_third",
        "requests",
        "of an open loop: mean in flight in the first third of the window",
        "open_load.backlog.in_flight_first",
    ),
    _plain(
        "in_flight_last_third",
        "requests",
        "in its last third",
        "open_load.backlog.in_flight_last",
    ),
    _plain(
        "goodput_requests_per_s",
        "requests/s",
        "requests that kept every limit of the `[slo]`, of those due in the window",
        "open_load.goodput.rate",
    ),
    _plain("good", "requests", "how many these are", "open_load.goodput.good"),
    _plain(
        "good_share",
        "",
        "of the measured requests that were due in the window, 0..1",
        "open_load.goodput.share",
    ),
    _plain(
        "goodput_unknown",
        "requests",
        "ended well and have no figure for some limit, so that they are not good",
        "open_load.goodput.unknown",
    ),
)
"""What only an open loop has."""
