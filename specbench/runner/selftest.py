"""The client's own test: a server with a known schedule is started, driven with rising
load by the client that also measures engines, and what the client stamped is held
against what the server noted."""

import asyncio
import math
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from specbench import __version__
from specbench.analysis.schedule_match import (
    TimedAnswer,
    busy_chunk_rate,
    match_schedule,
)
from specbench.analysis.selftest import LevelSeen, answer_s, holds_for, judge_level
from specbench.clock import utc_now
from specbench.errors import EngineError
from specbench.host.machine import read_host, usable_cpus
from specbench.host.open_files import allow_open_files
from specbench.load.cell_load import CellLoad
from specbench.load.client import PreparedRequest, RequestSettings, prepare_request
from specbench.load.crew import LoadCrew
from specbench.load.driver import CellHooks, DrivenCell, drive_cell
from specbench.load.pacing import load_processes
from specbench.runner.cell import run_loop
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.selftest import (
    SelftestLevel,
    SelftestMachine,
    SelftestResult,
    SelftestVerdict,
)
from specbench.schema.snapshot import Phase
from specbench.store.selftest_file import (
    ServerLog,
    read_selftest,
    read_server_log,
    selftest_path,
    write_selftest,
)

TTFT_S = 0.2
GAP_S = 0.02
CHUNKS = 50
"""Of an answer: 1.18 s, so that a few seconds hold several answers of each stream."""
LEVELS = (16, 64, 128, 256, 512, 1000, 2000)
STREAMS_PER_SERVER = 1000
"""One process of the server has room for so many (50,000 chunks/s)."""
END_S = 30.0
CHAT_PATH = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class SelftestJob:
    """What `specbench selftest` asks for."""

    server_command: tuple[str, ...]
    """Starts the server with a known schedule; flags are added."""
    levels: tuple[int, ...] = LEVELS
    """Streams, ascending."""
    seconds: float = 5.0
    """About how long each level lasts."""
    processes: int | None = None
    """Load processes; None = as many as a sweep would use."""


def run_selftest(
    job: SelftestJob, on_level: Callable[[SelftestLevel], None]
) -> SelftestResult:
    """Try each level, one that is not carried a second time; end after the first that
    is not carried twice. Raises EngineError when the server does not start."""
    allow_open_files()
    count = job.processes or load_processes(max(job.levels), len(usable_cpus()) or 1)
    levels: list[SelftestLevel] = []
    with LoadCrew.start(count) as crew:
        for streams in job.levels:
            level = run_level(job, crew, streams)
            if level.verdict is not SelftestVerdict.CARRIES:
                level = run_level(job, crew, streams)
            levels.append(level)
            on_level(level)
            if level.verdict is not SelftestVerdict.CARRIES:
                break
    return SelftestResult(
        machine=this_machine(),
        measured_utc=utc_now().isoformat(timespec="seconds"),
        gap_s=GAP_S,
        levels=tuple(levels),
    )


def run_level(job: SelftestJob, crew: LoadCrew, streams: int) -> SelftestLevel:
    """Drive one load at a fresh server."""
    period_s = answer_s(TTFT_S, GAP_S, CHUNKS)
    each = max(2, math.ceil(job.seconds / period_s))
    with tempfile.TemporaryDirectory(prefix="specbench-selftest-") as name:
        folder = Path(name)
        with _serving(job.server_command, folder, streams) as url:
            load = CellLoad(
                base_url=url,
                path=CHAT_PATH,
                requests=numbered_requests(streams * each),
                concurrency=streams,
                request_s=period_s,
            )
            driven = run_loop(drive_cell(crew, load, CellHooks(_no_metrics, _ignore)))
        log = read_server_log(folder)
    return judge_level(_seen(streams, driven, log))


def _seen(streams: int, driven: DrivenCell, log: ServerLog) -> LevelSeen:
    timed = [time_answer(s) for s in driven.samples if s.outcome is Outcome.OK]
    return LevelSeen(
        streams=streams,
        processes=driven.client.processes,
        chunks=CHUNKS,
        ttft_s=TTFT_S,
        gap_s=GAP_S,
        match=match_schedule(timed, log.sent),
        delivered_chunks_per_s=busy_chunk_rate(
            timed, streams, answer_s(TTFT_S, GAP_S, CHUNKS)
        ),
        failed_requests=len(driven.samples) - len(timed),
        client_cpu_share=driven.client.cpu_share,
        server_cpu_share=max(
            (e.cpu_s / e.wall_s for e in log.efforts if e.wall_s > 0), default=None
        ),
    )


def numbered_requests(count: int) -> tuple[PreparedRequest, ...]:
    """Prompts that name their number, by which the server's log is matched."""
    settings = RequestSettings(
        model="metronome",
        max_tokens=CHUNKS,
        temperature=0.0,
        extras={
            "stream_options": {"include_usage": True, "continuous_usage_stats": True}
        },
    )
    return tuple(
        prepare_request(
            index,
            Prompt(str(index), "", 1, (Message("user", f"request {index}"),)),
            Role.MEASURED,
            settings,
        )
        for index in range(count)
    )


def time_answer(sample: RequestSample) -> TimedAnswer:
    """What a sample says of its text chunks."""
    texts = [chunk for chunk in sample.chunks if chunk.text]
    return TimedAnswer(
        request=sample.index,
        sent_ns=sample.sent_ns,
        stamps=tuple(chunk.arrival_ns for chunk in texts),
        first_tokens=texts[0].tokens_so_far if texts else None,
        tokens=sample.output_tokens,
    )


async def _no_metrics(_phase: Phase) -> None:
    """The server has none."""
    await asyncio.sleep(0)


def _ignore(_ended: int) -> None:
    """Levels are short: their progress is not shown."""


@contextmanager
def _serving(command: Sequence[str], folder: Path, streams: int) -> Iterator[str]:
    """The server's URL; it ends with the block, its log written, and also when this
    process is killed, since it holds the other end of the server's standard input."""
    flags = {
        "ttft-ms": TTFT_S * 1e3,
        "gap-ms": GAP_S * 1e3,
        "chunks": CHUNKS,
        "processes": math.ceil(streams / STREAMS_PER_SERVER),
        "log": folder,
    }
    process = subprocess.Popen(
        [*command, "--until-stdin-ends", *(f"--{k}={v}" for k, v in flags.items())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line.startswith("listening on "):
                raise EngineError(
                    f"the selftest's server did not start; it said {line.strip()!r}"
                )
            yield line.split()[2]
            if process.poll() is not None:
                raise EngineError(
                    "the selftest's server ended by itself"
                    f" (exit code {process.returncode}): nothing is said of the client"
                )
            process.terminate()
            process.wait(END_S)
        finally:
            process.kill()


def this_machine() -> SelftestMachine:
    """What a result of this process holds for."""
    host = read_host()
    return SelftestMachine(
        hostname=host.hostname,
        cpu_model=host.cpu_model,
        cpus=host.cpu_count,
        specbench_version=__version__,
    )


def keep_selftest(result: SelftestResult) -> Path | None:
    """Keep it for the sweeps to come; where, or None where what is kept knows more: it
    tried more streams, and this one met no limit. Raises ResultsError."""
    kept, last = recall_selftest(), result.levels[-1]
    is_part = kept is not None and kept.levels[-1].streams > last.streams
    if is_part and last.verdict is SelftestVerdict.CARRIES:
        return None
    path = selftest_path(result.machine.hostname)
    write_selftest(path, result)
    return path


def recall_selftest() -> SelftestResult | None:
    """What was kept, where it is of this machine as it is now and of this version."""
    machine = this_machine()
    result = read_selftest(selftest_path(machine.hostname))
    return result if result is not None and holds_for(result, machine) else None
