"""The running batch at loads where a short window holds too few readings of the gauge.

A request leaves the gauge one lower for a step, between its end and its slot's next
one. With C slots, S steps a request and n readings the relative standard error of
their mean is sqrt(1 / (S n C)). Readings come each 0.25 s here. For 3 sigma under 1 %:
n > 11,250 / (S x C / 8).

 C   arm        S    needed: n and window     rounds of C requests that give more
 8   baseline   300  38    9.4 s              6 of 3.2 s, of which 1 to 2 open it
 8   k3         200  57   14.1 s              9 of 2.5 s
 64  k3         55   26    6.4 s              10 of 1.0 s

Answers are long at 8, where a dip weighs most. The cases at 1 and 8 run side by side,
since together they send 2,000 chunks a second.

At C = 1 the gauge is low for the milliseconds between two requests only; a reading
that falls there (one in a hundred cells) is 1 / n wrong by itself. The page
shows it, and the cell is measured again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from specbench.load.crew import LoadCrew
from tests.truth.by_hand import Driven, HandCell, drive, log_file, until_not_void
from tests.truth.compare import (
    SHARE,
    SIGMAS,
    faults_of,
    off,
    sampling_error,
    summary,
    tell,
)
from tests.truth.judge import Truth
from tests.truth.servers import serving

pytestmark = pytest.mark.truth

DRAFTER = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.6, 0.5, 0.4],'
    ' "draft_ms": 0.5}'
)
COST = (
    "--step-base-ms=10", "--step-per-sequence-ms=0.04", "--step-per-token-ms=0.01",
    "--output-tokens-spread=0.3",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A server and its load."""

    concurrency: int
    tokens: int
    rounds: int
    speculates: bool

    def __str__(self) -> str:
        return f"{'k3' if self.speculates else 'baseline'} at {self.concurrency}"


LIGHT = (
    Case(1, 300, 5, False),
    Case(8, 300, 6, False),
    Case(8, 400, 9, True),
)
HEAVY = Case(64, 110, 10, True)
Judged = dict[Case, tuple[Driven, Truth]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The light cases side by side, since they hardly load the machine; then the
    heavy one."""
    with ThreadPoolExecutor(len(LIGHT)) as threads:
        folders = [tmp_path_factory.mktemp("light") for _ in LIGHT]
        results = dict(zip(LIGHT, threads.map(_judge, LIGHT, folders), strict=True))
    return {**results, HEAVY: _judge(HEAVY, tmp_path_factory.mktemp("heavy"))}


def _judge(case: Case, folder: Path) -> tuple[Driven, Truth]:
    flags = [*COST, f"--output-tokens={case.tokens}"]
    if case.speculates:
        flags.append(f"--speculative-config={DRAFTER}")
    with serving(log_file(folder), *flags) as server, LoadCrew.start(1) as crew:
        cell = HandCell(
            server.url,
            case.concurrency,
            case.rounds * case.concurrency,
            expects_speculation=case.speculates,
        )
        driven = until_not_void(
            lambda: drive(crew, cell),
            lambda d: case.concurrency == 1 and _saw_a_pause(d),
        )
        return driven, driven.truth(server.log())


@pytest.mark.parametrize("case", [*LIGHT, HEAVY], ids=str)
def test_the_running_batch_is_the_servers(judged: Judged, case: Case) -> None:
    driven, truth = judged[case]
    reported = driven.figures["running_batch"]
    tell(summary(str(case), driven.figures, truth))
    readings = sum(page.phase == "inside" for page in driven.seen.pages)
    if case.concurrency > 1:
        assert sampling_error(truth, readings) * SIGMAS < SHARE
    assert abs(off(reported, truth.running)) < SHARE
    assert not faults_of(driven.figures, truth)


def _saw_a_pause(driven: Driven) -> bool:
    """Whether some reading says that nothing ran."""
    texts = [page.text for page in driven.seen.pages if page.phase == "inside"]
    return any("num_requests_running{" in t and _is_zero(t) for t in texts)


def _is_zero(text: str) -> bool:
    lines = [
        li for li in text.split("\n") if li.startswith("vllm:num_requests_running")
    ]
    return sum(float(li.split(" ")[-1]) for li in lines) == 0
