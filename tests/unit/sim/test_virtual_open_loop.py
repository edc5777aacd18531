"""The open loop in virtual time: each request is sent when it is due, and the analysis
finds in it what queueing theory says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.planning.arrivals import arrival_times
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats
from specbench.schema.plan import CellSize
from specbench.schema.sample import Outcome, Role
from specbench.schema.snapshot import Phase
from specbench.sim.config import SimConfig
from specbench.sim.virtual_load import (
    BEGIN_NS,
    VirtualCell,
    VirtualLoad,
    simulate_cell,
)
from specbench.units import NS_PER_S
from tests.unit.sim.virtual_cells import engine, prompts


def run(config: SimConfig, size: CellSize, arrivals: tuple[float, ...]) -> VirtualCell:
    asked = prompts(size.warmup + size.measured, output=20)
    load = VirtualLoad(
        concurrency=0,
        warmup=asked[: size.warmup],
        measured=asked[size.warmup :],
        max_tokens=4096,
        arrivals=arrivals,
    )
    return simulate_cell(config, load)


def summarise(cell: VirtualCell, rate: float) -> CellStats:
    condition = Condition("sim", "virtual", 0, 0.0, 0, rate)
    return summarise_cell(
        CellObservations(
            key=CellKey(condition, "baseline", 1),
            samples=cell.samples,
            readings=cell.readings,
            client=cell.client,
        )
    )


@settings(max_examples=40, deadline=None)
@given(
    st.builds(CellSize, st.integers(0, 5), st.integers(1, 30)),
    st.floats(0.1, 200),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_every_request_is_sent_when_it_is_due(
    size: CellSize, rate: float, seed: int, cap: int
) -> None:
    arrivals = arrival_times(size, rate, seed, "poisson")
    cell = run(engine(max_num_seqs=cap), size, arrivals)
    assert [s.index for s in cell.samples] == list(range(len(arrivals)))
    for sample, due_s in zip(cell.samples, arrivals, strict=True):
        assert sample.sent_ns == sample.scheduled_ns
        assert sample.sent_ns == pytest.approx(BEGIN_NS + due_s * NS_PER_S, abs=1)
        assert sample.outcome is Outcome.OK
        is_warmup = sample.index < size.warmup
        assert sample.role is (Role.WARMUP if is_warmup else Role.MEASURED)


def test_the_page_is_read_at_the_windows_edges() -> None:
    size = CellSize(4, 40)
    arrivals = arrival_times(size, 5.0, 0, "poisson")
    cell = run(engine(), size, arrivals)
    phases = [r.phase for r in cell.readings]
    assert phases[:2] == [Phase.BEFORE, Phase.OPEN]
    assert phases[-2:] == [Phase.CLOSE, Phase.AFTER]
    assert set(phases[2:-2]) == {Phase.INSIDE}
    edges = {r.phase: r.instant_ns for r in cell.readings}
    assert edges[Phase.OPEN] == cell.samples[3].scheduled_ns
    assert edges[Phase.CLOSE] == cell.samples[-1].scheduled_ns


def test_a_light_load_takes_what_a_request_takes_alone() -> None:
    # one request at a time: 20 steps of 10.3 ms, the first one computes the prompt
    size = CellSize(5, 50)
    cell = run(engine(), size, arrival_times(size, 0.5, 0, "constant"))
    stats = summarise(cell, 0.5)
    assert stats.e2e_latency is not None
    assert stats.e2e_latency.p50 == pytest.approx(20 * 0.0103, rel=0.03)
    assert stats.in_flight == pytest.approx(0.5 * stats.e2e_latency.mean, rel=0.05)


def test_littles_law_holds_in_the_window() -> None:
    size = CellSize(300, 3000)
    cell = run(engine(), size, arrival_times(size, 30.0, 0, "poisson"))
    stats = summarise(cell, 30.0)
    assert stats.e2e_latency is not None
    assert stats.open_load is not None
    assert stats.open_load.arrival_rate is not None
    expected = stats.open_load.arrival_rate * stats.e2e_latency.mean
    assert stats.in_flight == pytest.approx(expected, rel=0.01)
    assert stats.request_throughput == pytest.approx(30.0, rel=0.06)
    assert not {f.code for f in stats.findings} & {"overloaded", "client-late"}


def test_a_rate_beyond_the_engines_own_is_overloaded() -> None:
    # with one sequence at a time it does about 5 requests per second
    size = CellSize(20, 200)
    config = engine(max_num_seqs=1)
    cell = run(config, size, arrival_times(size, 10.0, 0, "poisson"))
    stats = summarise(cell, 10.0)
    assert "overloaded" in {f.code for f in stats.findings}
    assert stats.open_load is not None
    assert stats.open_load.backlog is not None
    assert stats.open_load.backlog.ended == pytest.approx(100, rel=0.1)
