"""Simulated servers as processes, each with a truth log."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.truth.server_log import ServerLog, read_log

LIMIT_S = 30
DRAFTER = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.8, 0.7, 0.6],'
    ' "draft_ms": 0.5}'
)


@dataclass(slots=True)
class Server:
    """A running server."""

    url: str
    process: subprocess.Popen[str]
    log_path: Path

    def log(self) -> ServerLog:
        """Its whole log; it is ended first."""
        self.process.terminate()
        self.process.communicate(timeout=LIMIT_S)
        return read_log(self.log_path)


@contextlib.contextmanager
def serving(log_path: Path, *flags: str) -> Iterator[Server]:
    """A server on a free port; it is gone afterwards, whatever happens."""
    fixed = ("--host=127.0.0.1", "--port=0", "--served-model-name=m")
    with subprocess.Popen(
        [sys.executable, "-m", "specbench.sim", *fixed, *flags,
         f"--truth-log={log_path}"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on "), line
            yield Server(line.split()[2], process, log_path)
        finally:
            process.kill()
