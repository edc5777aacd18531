"""One token trace, delivered in different chunks, gives the same figures where the
server sends running counts: a chunk is not a token."""

from pathlib import Path

import pytest

from specbench.load.crew import LoadCrew
from tests.truth.by_hand import Driven, HandCell, drive, log_file, until_not_void
from tests.truth.compare import SHARE, off, tell
from tests.truth.servers import DRAFTER, serving

pytestmark = pytest.mark.truth

FLAGS = (
    "--step-base-ms=10", "--step-per-token-ms=0.01", "--output-tokens=80",
    "--output-tokens-spread=0.3", f"--speculative-config={DRAFTER}",
)  # fmt: skip
INTERVALS = ("1", "3", "random")


def _delivered(interval: str, folder: Path) -> Driven:
    flags = (*FLAGS, f"--stream-interval={interval}")
    with serving(log_file(folder), *flags) as server, LoadCrew.start(1) as crew:
        # 12 rounds of 8 slots: the tokens that a chunk holds back at an edge of the
        # window, 1 or 2 a slot, are 0.2 % of the 800 of a slot inside
        cell = HandCell(server.url, 8, 96, expects_speculation=True)
        return until_not_void(lambda: drive(crew, cell))


@pytest.fixture(scope="module")
def deliveries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Driven]:
    """The same requests, by stream interval."""
    return {i: _delivered(i, tmp_path_factory.mktemp("way")) for i in INTERVALS}


@pytest.mark.parametrize("interval", ["3", "random"])
def test_the_same_tokens_in_other_chunks_give_the_same_tpot_and_throughput(
    deliveries: dict[str, Driven], interval: str
) -> None:
    plain, other = deliveries["1"].figures, deliveries[interval].figures
    for name, figures in (("1", plain), (interval, other)):
        told = (name, figures["tpot"]["p50"], figures["output_throughput"])
        tell("interval %s: tpot %s s, %s tokens/s", *told)
    assert other["output_tokens"] == plain["output_tokens"]
    assert not other["tpot_is_usual"]
    for part in ("p50", "mean"):
        assert abs(off(other["tpot"][part], plain["tpot"][part])) < SHARE
    assert abs(off(other["output_throughput"], plain["output_throughput"])) < SHARE


def test_chunks_do_differ_between_these_deliveries(
    deliveries: dict[str, Driven],
) -> None:
    """Else the test above would prove nothing."""
    chunks = {
        interval: sum(len(request.arrivals) for request in driven.seen.requests)
        for interval, driven in deliveries.items()
    }
    assert chunks["3"] < chunks["random"] < chunks["1"]
    assert chunks["3"] < 0.9 * chunks["1"]
