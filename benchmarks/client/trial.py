"""One client against one fresh server: start both, meter the client's CPU, hold its
stamps against the server's log."""

import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
from metering import tree_cpu_s

from specbench.analysis.schedule_match import (
    TimedAnswer,
    busy_chunk_rate,
    match_schedule,
)
from specbench.analysis.selftest import answer_s
from specbench.host.open_files import allow_open_files
from specbench.store.selftest_file import ServerLog, read_server_log

HERE = Path(__file__).parent
TTFT_S, GAP_S, CHUNKS = 0.2, 0.02, 100
PERIOD_S = answer_s(TTFT_S, GAP_S, CHUNKS)
STREAMS_PER_SERVER = 1000
LIMIT_S = 900


@dataclass(frozen=True)
class Figures:
    """What one trial showed. Errors are against the server's own instants."""

    seconds: float
    """First request to last chunk."""
    cpu_us_per_chunk: float
    lag_p50_s: float
    lag_p99_s: float
    ttft_error_p50_s: float
    ttft_error_p99_s: float
    tpot_error_p50: float
    tpot_error_p99: float
    delivered_share: float
    """Chunks per second while all streams were busy, over the scheduled rate."""
    lost_chunks: int
    failed: int
    server_late_p99_s: float


def requests_each(seconds: float) -> int:
    """Requests of each stream that fill about so many seconds."""
    return max(2, round(seconds / PERIOD_S))


@contextmanager
def serving(folder: Path, streams: int, *flags: str) -> Iterator[tuple[str, str]]:
    """Host and port of a fresh server; its log is whole after the block."""
    allow_open_files()
    command = [sys.executable, "-m", "specbench.sim.metronome", "--until-stdin-ends"]
    schedule = {
        "ttft-ms": TTFT_S * 1e3,
        "gap-ms": GAP_S * 1e3,
        "chunks": CHUNKS,
        "processes": math.ceil(streams / STREAMS_PER_SERVER),
        "log": folder,
    }
    command += [f"--{name}={value}" for name, value in schedule.items()]
    command += flags
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            host, _, port = process.stdout.readline().split()[2][7:].rpartition(":")
            yield host, port
            process.terminate()
            process.wait(60)
        finally:
            process.kill()


def run_client(name: str, streams: int, seconds: float, folder: Path) -> Figures:
    """One block of a client in this folder. Raises where it does not end in order."""
    path = folder / "answers.json"
    with serving(folder / "log", streams) as (host, port):
        arguments = (host, port, streams, requests_each(seconds), PERIOD_S, path)
        with subprocess.Popen(
            [sys.executable, HERE / f"{name}.py", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as client:
            try:
                cpu_began_s = _meet(client, "ready")
                cpu_s = _meet(client, "done") - cpu_began_s
                client.wait(LIMIT_S)
            finally:
                client.kill()
    return _figures(path, read_server_log(folder / "log"), streams, cpu_s)


def _meet(client: subprocess.Popen[str], word: str) -> float:
    """Wait for the word, read the CPU time, give leave to go on."""
    assert client.stdout is not None
    assert client.stdin is not None
    said = client.stdout.readline().strip()
    if said != word:
        raise RuntimeError(f"the client said {said!r} instead of {word!r}")
    cpu_s = tree_cpu_s(client.pid)
    client.stdin.write("\n")
    client.stdin.flush()
    return cpu_s


def _figures(path: Path, log: ServerLog, streams: int, cpu_s: float) -> Figures:
    document = orjson.loads(path.read_bytes())
    timed = [
        TimedAnswer(
            request=one["request"],
            sent_ns=one["sent_ns"],
            stamps=tuple(instant for instant, _ in one["chunks"]),
            first_tokens=one["chunks"][0][1],
            tokens=one["chunks"][-1][1],
        )
        for one in document["requests"]
        if one["chunks"]
    ]
    match = match_schedule(timed, log.sent)
    rate = busy_chunk_rate(timed, streams, PERIOD_S)
    sends = [one.sent_ns for one in timed]
    ends = [one.stamps[-1] for one in timed]
    return Figures(
        seconds=(max(ends) - min(sends)) / 1e9,
        cpu_us_per_chunk=cpu_s * 1e6 / match.chunks_read,
        lag_p50_s=_known(match.lag_p50_s),
        lag_p99_s=_known(match.lag_p99_s),
        ttft_error_p50_s=_known(match.ttft_error_p50_s),
        ttft_error_p99_s=_known(match.ttft_error_p99_s),
        tpot_error_p50=_known(match.tpot_error_p50),
        tpot_error_p99=_known(match.tpot_error_p99),
        delivered_share=_known(rate) * PERIOD_S / (streams * CHUNKS),
        lost_chunks=match.chunks_sent - match.chunks_read,
        failed=document["failed"] + len(document["requests"]) - len(timed),
        server_late_p99_s=_known(match.late_p99_s),
    )


def _known(value: float | None) -> float:
    return math.nan if value is None else value
