"""The whole product, `specbench run`, against the simulated server: every figure of
every cell is the truth that the server logged, or the cell is void.

Sampling. Throughput, latencies and counts are judged over the window and the requests
that the product itself chose, so chance has no part in them. The running batch is a
mean of n readings of a gauge that is one lower for a step of each request, so its
standard error is sqrt(p / (n C)) of it, with C slots and p = 1 / steps of a request:
at C = 256 with 55 to 110 steps and n = 15 at least 0.22 %, three of which are under
1 %. At lower loads a window of some seconds is too short for that: there the gauge's
mean is held to the server's own renderings exactly, and test_running_batch.py judges
it in longer cells."""

import itertools

import pytest

from tests.truth import drafts
from tests.truth.compare import (
    SHARE,
    SIGMAS,
    faults_of,
    off,
    sampling_error,
    summary,
    tell,
)
from tests.truth.judge import edges_of
from tests.truth.sweeping import JudgedCell, JudgedLoad, judge_sweep

pytestmark = pytest.mark.truth

LOADS = (1, 8, 64, 256)
CELLS = [(load, arm) for load in LOADS for arm in ("baseline", "k3")]
ON_CELLS = pytest.mark.parametrize(("load", "arm"), CELLS)
ON_LOADS = pytest.mark.parametrize("load", LOADS)

Judged = dict[int, JudgedLoad]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """One sweep for all tests here; about two minutes."""
    return judge_sweep(tmp_path_factory.mktemp("truth"), LOADS)


@ON_CELLS
def test_tpot_ttft_and_throughput_are_the_servers(
    judged: Judged, load: int, arm: str
) -> None:
    cell = judged[load].arms[arm]
    tell(summary(f"{arm} at {load}", cell.figures, cell.truth))
    assert not faults_of(cell.figures, cell.truth)


@ON_CELLS
def test_the_running_batch_is_the_mean_of_what_the_server_showed(
    judged: Judged, load: int, arm: str
) -> None:
    cell = judged[load].arms[arm]
    reported = cell.figures["running_batch"]
    assert reported == pytest.approx(_shown_running(cell), rel=1e-6)
    error = sampling_error(cell.truth, len(cell.inside))
    if load == 256:
        assert error * SIGMAS < SHARE
    if error * SIGMAS < SHARE:
        assert abs(off(reported, cell.truth.running)) < SHARE


@ON_LOADS
def test_the_whole_cells_acceptance_is_the_sum_over_its_requests(
    judged: Judged, load: int
) -> None:
    cell = judged[load].arms["k3"]
    _assert_same(cell.figures["whole_run"]["acceptance"], drafts.of_calls(cell.calls))


@ON_LOADS
def test_the_windows_acceptance_is_that_of_the_steps_between_two_pages(
    judged: Judged, load: int
) -> None:
    cell = judged[load].arms["k3"]
    opened, closed = cell.page("open"), cell.page("close")
    for phase, page in (("open", opened), ("close", closed)):
        text = cell.seen.page(phase).text
        assert drafts.counted_in(text) == drafts.counted_on(page)
    steps = cell.log.steps_between(opened, closed)
    _assert_same(cell.figures["acceptance"], drafts.of_steps(steps))


@ON_LOADS
def test_tokens_per_step_are_those_of_the_steps_that_were_taken(
    judged: Judged, load: int
) -> None:
    cell = judged[load].arms["k3"]
    reported = cell.figures["tokens_per_step"]
    assert reported == pytest.approx(cell.truth.tokens_per_step, rel=1e-9)


@ON_LOADS
def test_the_baseline_has_no_acceptance(judged: Judged, load: int) -> None:
    cell = judged[load].arms["baseline"].figures
    assert cell["acceptance"] is None
    assert cell["tokens_per_step"] is None


@ON_LOADS
def test_the_speedup_is_the_servers(judged: Judged, load: int) -> None:
    plain, arm = (judged[load].arms[name].truth for name in ("baseline", "k3"))
    speedups = judged[load].speedups
    tell("speedups at %d: %s", load, speedups)
    assert abs(off(speedups["throughput"], arm.throughput / plain.throughput)) < SHARE
    assert abs(off(speedups["tpot"], plain.tpot_p50 / arm.tpot_p50)) < SHARE


def _assert_same(reported: dict[str, object], truth: drafts.DraftTruth) -> None:
    """Counts are equal; shares are, but for the last digit."""
    assert reported["drafts"] == truth.drafts
    assert reported["draft_tokens"] == truth.draft_tokens
    assert reported["accepted_tokens"] == truth.accepted
    assert reported["rate"] == pytest.approx(truth.rate, rel=1e-12)
    assert reported["length"] == pytest.approx(truth.length, rel=1e-12)
    assert reported["by_position"] == pytest.approx(list(truth.by_position), rel=1e-12)
    conditional = reported["conditional_by_position"]
    assert conditional == pytest.approx(list(truth.conditional), rel=1e-12)


def _shown_running(cell: JudgedCell) -> float:
    """Trapezoids between the readings; before the first and after the last as they
    are there."""
    edges = edges_of(cell.seen)
    points = [
        (at, page.running)
        for at, page in cell.inside
        if edges.open_ns < at < edges.close_ns
    ]
    points = [(edges.open_ns, points[0][1]), *points, (edges.close_ns, points[-1][1])]
    area = sum(
        (t1 - t0) * (v0 + v1) / 2 for (t0, v0), (t1, v1) in itertools.pairwise(points)
    )
    return area / (edges.close_ns - edges.open_ns)
