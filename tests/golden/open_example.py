"""A fixed record of an open loop: it pays up to somewhat over 3 requests per second,
and at the highest rate the arm's server falls behind."""

from dataclasses import replace

from specbench.analysis.run import conclude
from specbench.schema.findings import (
    Backlog,
    CellStats,
    Distribution,
    Finding,
    Goodput,
    OpenLoad,
    RunFindings,
    Severity,
)
from tests.factories import acceptance, latency, open_cell_stats

RATES = (0.5, 1.0, 2.0, 2.8, 4.0, 5.6)
E2E_S = (2.0, 2.2, 2.7, 3.3, 4.6, 8.1)
"""The baseline's median end-to-end latency."""
SPEEDUPS = (1.9, 1.7, 1.4, 1.12, 0.83, 0.35)
GOOD = {"baseline": (1.0, 1.0, 0.95, 0.7, 0.3, 0.1), "k3": (1, 1, 1, 0.9, 0.2, 0.0)}
FACTORS = {"baseline": (1.0, 0.99, 1.02), "k3": (1.0, 1.03, 0.98)}
OVERLOADED = Finding(
    Severity.FLAG,
    "overloaded",
    "336 requests were due in the window and 214 ended in it; in flight 21.0 in its"
    " first third, 96.4 in its last",
    "lower the rate",
)


def open_findings(*, has_slo: bool = True) -> RunFindings:
    """Three launches of each arm."""
    return conclude(open_cells(has_slo=has_slo), ())


def open_cells(*, has_slo: bool = True) -> list[CellStats]:
    """Every cell of the record."""
    return [
        _cell(arm, launch, place, has_slo=has_slo)
        for launch in (1, 2, 3)
        for place in range(len(RATES))
        for arm in ("baseline", "k3")
    ]


def _cell(arm: str, launch: int, place: int, *, has_slo: bool) -> CellStats:
    rate = RATES[place]
    speedup = 1.0 if arm == "baseline" else SPEEDUPS[place]
    took = E2E_S[place] / speedup / FACTORS[arm][launch - 1]
    is_over = arm == "k3" and rate > 5
    count = round(60 * rate)
    cell = open_cell_stats(
        arm,
        launch,
        rate,
        completed=count,
        in_flight=rate * took,
        running_batch=rate * took * 0.97,
        output_throughput=100 * rate,
        request_throughput=214 / 60 if is_over else rate,
        ttft=latency(0.08 + took / 50),
        tpot=latency(took / 110),
        e2e_latency=latency(took),
        open_load=_load(arm, place, count, is_over=is_over, has_slo=has_slo),
        findings=(OVERLOADED,) if is_over else (),
    )
    if arm == "baseline":
        return cell
    return replace(cell, acceptance=acceptance(), tokens_per_step=2.4)


def _load(
    arm: str, place: int, count: int, *, is_over: bool, has_slo: bool
) -> OpenLoad:
    good = round(GOOD[arm][place] * count)
    return OpenLoad(
        arrival_rate=RATES[place],
        send_delay=Distribution(count, 0.0002, 0.0001, 0.0003, 0.0004, 0.0007),
        send_delay_max_s=0.0012,
        backlog=Backlog(count, 214, 21.0, 96.4, 19.4)
        if is_over
        else Backlog(count, count, 3.0, 3.4, 8.0),
        goodput=Goodput(good / 60, good, count, 0) if has_slo else None,
    )
