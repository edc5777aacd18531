"""Several load processes give the same truth as one."""

from pathlib import Path

import pytest

from specbench.load.crew import LoadCrew
from tests.truth.by_hand import HandCell, drive, log_file, until_not_void
from tests.truth.compare import faults_of, summary, tell
from tests.truth.servers import serving

FLAGS = (
    "--step-base-ms=10", "--step-per-sequence-ms=0.05", "--output-tokens=60",
    "--output-tokens-spread=0.3",
)  # fmt: skip


@pytest.mark.truth
@pytest.mark.parametrize("processes", [2, 4])
def test_load_processes_together_recover_the_servers_truth(
    processes: int, tmp_path: Path
) -> None:
    with (
        serving(log_file(tmp_path), *FLAGS) as server,
        LoadCrew.start(processes, 64 // processes) as crew,
    ):
        cell = HandCell(server.url, concurrency=64, requests=256)
        driven = until_not_void(lambda: drive(crew, cell))
        truth = driven.truth(server.log())
    tell(summary(f"{processes} processes", driven.figures, truth))
    assert driven.processes == processes
    assert not faults_of(driven.figures, truth)
