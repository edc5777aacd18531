"""The open loop against the simulated server: arrivals as the server saw them, the send
delay, and the break-even rate of a whole sweep against the programmed truth."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from specbench.load.crew import LoadCrew
from specbench.planning.arrivals import Arrivals, arrival_times
from specbench.schema.plan import CellSize
from specbench.sim.virtual_load import VirtualPrompt
from tests.poisson import dispersion, dispersion_limit, ks_distance, ks_limit
from tests.truth.by_hand import Driven, HandCell, drive, log_file, until_not_void
from tests.truth.compare import off, tell
from tests.truth.open_truth import Asked, size_at, true_crossings, true_speedup
from tests.truth.seen import SeenCell, stored_cell
from tests.truth.server_log import Call, ServerLog, read_logs
from tests.truth.servers import serving
from tests.truth.slowing import slow_client
from tests.truth.sweeping import report_of, void_codes

pytestmark = pytest.mark.truth

SWEEP = Path(__file__).with_name("open_sweep.toml")
RATES = (10.0, 15.0, 20.0, 26.0)
LIMIT_S = 400
TRIES = 4
SHARE = 0.02
"""By which a speedup may be off: latencies hold the network and the client."""
QUICK = ("--step-base-ms=1", "--output-tokens=3")
RATE = 80.0
COUNT = 800


# -- arrivals -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arrived:
    """A cell, and when the server had read each of its requests, in seconds."""

    driven: Driven
    instants: tuple[float, ...]

    @property
    def gaps(self) -> list[float]:
        return [b - a for a, b in pairwise(self.instants)]


def arrive(folder: Path, law: Arrivals, processes: int) -> Arrived:
    """At 80 requests per second for ten seconds."""
    arrivals = arrival_times(CellSize(0, COUNT), RATE, 0, law)
    with (
        serving(log_file(folder), *QUICK) as server,
        LoadCrew.start(processes, COUNT // processes) as crew,
    ):
        cell = HandCell(server.url, 0, COUNT, arrivals=arrivals)
        driven = until_not_void(partial(drive, crew, cell))
        calls = calls_of([server.log()], driven.seen)
    assert len(calls) == COUNT
    return Arrived(driven, tuple(call.received_ns / 1e9 for call in calls))


def calls_of(logs: Sequence[ServerLog], cell: SeenCell) -> list[Call]:
    """What the servers read while a cell ran, in the order of reading."""
    first = min(r.sent_ns for r in cell.requests)
    last = max(r.end_ns for r in cell.requests)
    calls = [c for log in logs for c in log.calls if first <= c.received_ns <= last]
    return sorted(calls, key=lambda call: call.received_ns)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_server_sees_poisson_arrivals_and_they_are_on_time(
    processes: int, tmp_path: Path
) -> None:
    arrived = arrive(tmp_path, "poisson", processes)
    distance = ks_distance(arrived.gaps, RATE)
    spread = dispersion(arrived.instants, bins=80)
    delay = arrived.driven.figures["open_load"]["send_delay"]
    tell(
        "KS distance %.4f (limit %.4f), dispersion of counts %.2f (1 +- %.2f), send"
        " delay p50 %.2f ms, p99 %.2f ms",
        distance,
        ks_limit(COUNT - 1),
        spread,
        dispersion_limit(80),
        delay["p50"] * 1e3,
        delay["p99"] * 1e3,
    )
    assert arrived.driven.processes == processes
    assert distance < ks_limit(COUNT - 1)
    assert abs(spread - 1) < dispersion_limit(80)
    assert delay["p99"] < 0.002


def test_constant_arrivals_are_constant_at_the_server(tmp_path: Path) -> None:
    gaps = sorted(arrive(tmp_path, "constant", 1).gaps)
    tell("gaps from %.2f to %.2f ms", gaps[0] * 1e3, gaps[-1] * 1e3)
    middle = gaps[len(gaps) // 20 : -len(gaps) // 20]
    assert middle == pytest.approx([1 / RATE] * len(middle), abs=0.002)


# -- a sweep over rates -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep without a void cell, and what was truly asked."""

    report: dict[str, Any]
    asked: Asked
    delays: tuple[float, ...]
    """Sent less due of every request of the sweep, in seconds, from the raw record."""


def run_open_sweep(folder: Path, env: Mapping[str, str] | None = None) -> Path:
    """Run it in a folder; its run folder. Its servers log into `folder/logs`."""
    (folder / "logs").mkdir(parents=True)
    text = SWEEP.read_text().replace("LOGS", str(folder / "logs"))
    executable = Path(sys.executable).with_name("specbench")
    (folder / "sweep.toml").write_text(text.replace("EXECUTABLE", str(executable)))
    done = subprocess.run(
        [sys.executable, "-m", "specbench", "run", "sweep.toml"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=env,
        timeout=LIMIT_S,
        check=False,
    )
    # 3: an arm has no cell that counts, as where the client was late
    assert done.returncode in {0, 3}, done.stdout + done.stderr
    (run,) = (folder / "results" / "sweep").iterdir()
    return run


def asked_of(run: Path, logs: Path) -> Asked:
    """Prompts and answers of the largest cell, as the baseline's server logged them."""
    cell = next((run / "cells").glob("*_q26_baseline_r1"))
    plain = [log for log in read_logs(logs) if not log.speculates]
    calls = calls_of(plain, stored_cell(cell, 0))
    size = size_at(RATES[-1])
    assert len(calls) == size.warmup + size.measured
    prompts = tuple(
        VirtualPrompt(call.prompt_key, call.prompt_tokens, call.output_tokens)
        for call in calls
    )
    return Asked(prompts[: size.warmup], prompts[size.warmup :])


def delays_of(run: Path) -> tuple[float, ...]:
    """Of all cells, read without the product's reader."""
    rows = [
        row
        for path in sorted((run / "cells").glob("*/samples.parquet"))
        for row in pq.read_table(path, columns=["scheduled_ns", "sent_ns"]).to_pylist()
    ]
    return tuple((row["sent_ns"] - row["scheduled_ns"]) / 1e9 for row in rows)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """One sweep for all tests here; about two and a half minutes. A cell that the
    client's own lag has voided makes it run again."""
    for number in range(TRIES):
        folder = tmp_path_factory.mktemp(f"open-{number}")
        run = run_open_sweep(folder)
        report = report_of(run)
        codes = {code for cell in report["cells"] for code in void_codes(cell)}
        assert all(code.startswith("client-") for code in codes), codes
        if not codes:
            return Swept(report, asked_of(run, folder / "logs"), delays_of(run))
    raise AssertionError(f"void for the client's lag {TRIES} times")


def _answer(swept: Swept, metric: str) -> dict[str, Any]:
    (found,) = (a for a in swept.report["break_evens"] if a["metric"] == metric)
    answer: dict[str, Any] = found
    return answer


def test_the_break_even_rate_is_recovered_within_its_interval(swept: Swept) -> None:
    answer = _answer(swept, "e2e")
    assert answer["outcome"] == "pays up to"
    (crossing,) = answer["crossings"]
    low, high = crossing["interval"]["low"], crossing["interval"]["high"]
    below = crossing["below"]["condition"]["request_rate"]
    above = crossing["above"]["condition"]["request_rate"]
    steps = [below * (above / below) ** (n / 48) for n in range(49)]
    truly = true_crossings(swept.asked, steps)
    tell("%s; truly at %s", answer["answer"], [round(rate, 2) for rate in truly])
    assert truly
    assert all(low <= rate <= high for rate in truly)
    # an interval that holds everything would say nothing
    assert high / low <= above / below


def test_the_speedup_at_each_rate_is_the_engines(swept: Swept) -> None:
    (curve,) = (c for c in swept.report["curves"] if c["metric"] == "e2e")
    for point in curve["points"]:
        rate = point["condition"]["request_rate"]
        truth = true_speedup(swept.asked, rate)
        found = point["speedup"]["value"]
        tell("speedup at %s/s: %.3f, truly %.3f", rate, found, truth)
        # where the arm is nearly full, a little more work is a much longer queue
        bound = SHARE if rate < RATES[-1] else 5 * SHARE
        assert abs(off(found, truth)) < bound, (rate, found, truth)


def test_the_sweeps_requests_left_on_time(swept: Swept) -> None:
    """p99 over all of the sweep: that of one cell is its slowest request or two, and
    says what else this machine did at that moment."""
    ordered = sorted(swept.delays)
    p99 = ordered[len(ordered) * 99 // 100]
    tell("send delay p99 of %d requests: %.2f ms", len(ordered), p99 * 1e3)
    assert 0 < p99 < 0.002


def test_goodput_is_that_of_the_requests(swept: Swept) -> None:
    for cell in swept.report["cells"]:
        goodput = cell["open_load"]["goodput"]
        due = cell["open_load"]["backlog"]["due"]
        rate = cell["key"]["condition"]["request_rate"]
        assert goodput["due"] == due == size_at(rate).measured
        assert goodput["rate"] == pytest.approx(goodput["good"] / cell["window_s"])


# -- a client that falls behind -----------------------------------------------


def test_a_client_that_falls_behind_has_its_open_cells_voided(tmp_path: Path) -> None:
    run = run_open_sweep(tmp_path / "run", slow_client("0.27"))
    report = json.loads((run / "report.json").read_text())
    assert report["cells"]
    for cell in report["cells"]:
        assert {c for c in void_codes(cell) if c.startswith("client-")}
    for answer in report["break_evens"]:
        assert answer["outcome"] == "undecided"
