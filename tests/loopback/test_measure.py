"""`specbench measure` and `run --url` against servers that already run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import ran_to_its_end, specbench, strict_json, write_sweep
from tests.loopback.engine_script import write_engine

SPECULATION = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.8],'
    ' "draft_ms": 0.2}'
)


def serve(*flags: str) -> tuple[subprocess.Popen[str], str]:
    """A simulated engine on a free port, and its URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "specbench.sim", "--host", "127.0.0.1", "--port", "0",
         "--served-model-name", "m", "--step-base-ms", "5", *flags],
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, line.split()[2]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """URLs of a plain and of a speculating server."""
    plain, plain_url = serve()
    drafting, drafting_url = serve("--speculative-config", SPECULATION)
    yield {"baseline": plain_url, "ngram": drafting_url}
    for process in (plain, drafting):
        process.terminate()
        process.communicate(timeout=20)


def test_measure_counts_every_request_once(
    servers: dict[str, str], tmp_path: Path
) -> None:
    done = specbench(
        *("measure", servers["ngram"], "-c", "2", "-c", "4", "--requests", "16"),
        *("--max-tokens", "16", "--format", "json"),
        cwd=tmp_path,
    )
    assert done.returncode == ExitCode.FINE, done.stderr
    cells = strict_json(done.stdout)["cells"]
    assert [c["key"]["condition"]["concurrency"] for c in cells] == [2, 4]
    for cell in cells:
        assert (cell["completed"], cell["failed"]) == (16, 0)
        assert cell["output_tokens"] == 16 * 16
        assert cell["whole_run"]["acceptance"]["drafts"] > 0


def test_running_servers_are_measured_and_left_running(
    servers: dict[str, str], tmp_path: Path
) -> None:
    write_sweep(tmp_path, "never/started")
    urls = [f"--url={arm}={url}" for arm, url in servers.items()]
    done = specbench("run", "sweep.toml", *urls, cwd=tmp_path)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (run,) = (tmp_path / "results" / "sweep").iterdir()
    report = strict_json((run / "report.json").read_text())
    assert len(report["cells"]) == 4
    assert any("already running" in note for note in report["run"]["notes"])
    again = specbench(
        "measure", servers["baseline"], "-n", "1", "--max-tokens", "2", cwd=tmp_path
    )
    assert again.returncode == ExitCode.FINE


def test_every_arm_needs_a_url(servers: dict[str, str], tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    done = specbench(
        "run", "sweep.toml", f"--url=baseline={servers['baseline']}", cwd=tmp_path
    )
    assert done.returncode == ExitCode.BAD_INPUT
    assert "ngram" in done.stderr
