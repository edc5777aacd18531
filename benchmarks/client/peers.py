"""Other people's programs at the same load, where they are installed; their figures as
they report them. Looked for in PATH, or where a variable says (`VLLM`, `GUIDELLM`,
`AIPERF`: the path of the program). They start all streams at once, as they do."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metering import CpuCourse
from trial import CHUNKS, requests_each, serving

from specbench.sim.metronome_schedule import MODEL
from specbench.store.selftest_file import ServerLog, read_server_log

TOKENIZER = os.environ.get("TOKENIZER") or str(Path("models/smollm2-135m").absolute())
"""They count prompt tokens by one; `make model-smollm2` makes this."""
LIMIT_S = 900
PROMPT_TOKENS = 16


@dataclass(frozen=True)
class PeerFigures:
    """As the program reports them; None = it does not say, or could not be read."""

    ttft_p50_ms: float | None
    ttft_p99_ms: float | None
    tpot_p50_ms: float | None
    tpot_p99_ms: float | None
    tokens_per_s: float | None
    completed: int | None
    failed: int | None


@dataclass(frozen=True)
class PeerRun:
    """One program, or why it has no figures."""

    name: str
    note: str | None
    figures: PeerFigures | None = None
    cpu_us_per_chunk: float | None = None
    """First request's arrival to the last chunk's send, all its processes."""
    version: str | None = None


@dataclass(frozen=True)
class Peer:
    """How a program is started and read."""

    variable: str
    program: str
    usual: tuple[str, ...]
    """Where else it may lie."""
    command: Callable[[str, int, int, Path], list[str]]
    """From base URL, streams, requests, folder; the program goes before it."""
    read: Callable[[Path], PeerFigures]


def vllm_command(url: str, streams: int, requests: int, folder: Path) -> list[str]:
    """vLLM 0.32.0, `vllm bench serve --help=all`."""
    return [
        "bench",
        "serve",
        "--backend=openai-chat",
        f"--base-url={url}",
        "--endpoint=/v1/chat/completions",
        f"--model={MODEL}",
        f"--tokenizer={TOKENIZER}",
        "--dataset-name=random",
        f"--random-input-len={PROMPT_TOKENS}",
        f"--random-output-len={CHUNKS}",
        f"--num-prompts={requests}",
        f"--max-concurrency={streams}",
        "--metric-percentiles=99",
        "--percentile-metrics=ttft,tpot",
        "--disable-tqdm",
        "--save-result",
        f"--result-dir={folder}",
        "--result-filename=result.json",
    ]


def read_vllm(folder: Path) -> PeerFigures:
    """Keys of the file that `--save-result` writes."""
    found = json.loads((folder / "result.json").read_text())
    return PeerFigures(
        ttft_p50_ms=found.get("median_ttft_ms"),
        ttft_p99_ms=found.get("p99_ttft_ms"),
        tpot_p50_ms=found.get("median_tpot_ms"),
        tpot_p99_ms=found.get("p99_tpot_ms"),
        tokens_per_s=found.get("output_throughput"),
        completed=found.get("completed"),
        failed=found.get("failed"),
    )


def guidellm_command(url: str, streams: int, requests: int, folder: Path) -> list[str]:
    """GuideLLM 0.8.1, `guidellm run --help` and its schemas."""
    return [
        "run",
        f"--backend=kind=openai_http,target={url},model={MODEL}",
        f"--profile=kind=concurrent,streams={streams}",
        f"--constraint=kind=max_requests,count={requests}",
        f"--tokenizer=kind=hf_auto,model={TOKENIZER}",
        f"--data=kind=synthetic_text,prompt_tokens={PROMPT_TOKENS},"
        f"output_tokens={CHUNKS}",
        f"--output=kind=json,path={folder / 'result.json'}",
        "--disable-progress",
    ]


def read_guidellm(folder: Path) -> PeerFigures:
    """Its `time_per_output_token` counts the first token's wait as well; what others
    call TPOT is its inter-token latency."""
    metrics = json.loads((folder / "result.json").read_text())["benchmarks"][0][
        "metrics"
    ]
    ttft = metrics["time_to_first_token_ms"]["successful"]
    tpot = metrics["inter_token_latency_ms"]["successful"]
    return PeerFigures(
        ttft_p50_ms=ttft["median"],
        ttft_p99_ms=ttft["percentiles"]["p99"],
        tpot_p50_ms=tpot["median"],
        tpot_p99_ms=tpot["percentiles"]["p99"],
        tokens_per_s=metrics["output_tokens_per_second"]["successful"]["mean"],
        completed=metrics["request_totals"]["successful"],
        failed=metrics["request_totals"]["errored"],
    )


def aiperf_command(url: str, streams: int, requests: int, folder: Path) -> list[str]:
    """AIPerf 0.13.0, `aiperf profile --help`."""
    return [
        "profile",
        f"--model={MODEL}",
        f"--url={url}",
        "--endpoint-type=chat",
        "--endpoint=/v1/chat/completions",
        "--streaming",
        f"--concurrency={streams}",
        f"--request-count={requests}",
        f"--tokenizer={TOKENIZER}",
        f"--isl={PROMPT_TOKENS}",
        f"--osl={CHUNKS}",
        "--use-server-token-count",
        f"--output-artifact-dir={folder / 'aiperf'}",
        "--ui=none",
    ]


def read_aiperf(folder: Path) -> PeerFigures:
    """Its inter-token latency is (latency - TTFT) / (tokens - 1): TPOT."""
    path = folder / "aiperf" / "profile_export_aiperf.json"
    found = json.loads(path.read_text())
    ttft, tpot = found["time_to_first_token"], found["inter_token_latency"]
    return PeerFigures(
        ttft_p50_ms=ttft["p50"],
        ttft_p99_ms=ttft["p99"],
        tpot_p50_ms=tpot["p50"],
        tpot_p99_ms=tpot["p99"],
        tokens_per_s=found["output_token_throughput"]["avg"],
        completed=round(found["request_count"]["avg"]),
        failed=round(found.get("error_request_count", {"avg": 0})["avg"]),
    )


PEERS: dict[str, Peer] = {
    "vllm": Peer("VLLM", "vllm", (".venv-vllm/bin/vllm",), vllm_command, read_vllm),
    "guidellm": Peer("GUIDELLM", "guidellm", (), guidellm_command, read_guidellm),
    "aiperf": Peer("AIPERF", "aiperf", (), aiperf_command, read_aiperf),
}


def find_program(peer: Peer) -> str | None:
    """Where it is; None = nowhere."""
    given = os.environ.get(peer.variable)
    places = [given] if given else [peer.program, *peer.usual]
    return next((found for p in places if (found := shutil.which(p))), None)


def run_peer(name: str, streams: int, seconds: float, folder: Path) -> PeerRun:
    """One program at a fresh server."""
    peer = PEERS[name]
    program = find_program(peer)
    if program is None:
        return PeerRun(name, f"not installed (PATH, or {peer.variable}=/path/to/it)")
    requests = streams * requests_each(seconds)
    with serving(folder / "log", streams, "--role-with-text") as (host, port):
        command = peer.command(f"http://{host}:{port}", streams, requests, folder)
        with (folder / "output.txt").open("wb") as output:
            started = subprocess.Popen(
                [program, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            with started as process, CpuCourse(process.pid) as course:
                try:
                    process.wait(LIMIT_S)
                except subprocess.TimeoutExpired:
                    return PeerRun(name, f"not done after {LIMIT_S} s")
                finally:
                    process.kill()
    log = read_server_log(folder / "log")
    try:
        figures = peer.read(folder)
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        tail = (folder / "output.txt").read_text(errors="replace")[-500:]
        return PeerRun(name, f"no figures ({error!r}); its output ends: {tail!r}")
    return PeerRun(name, None, figures, _cpu_us(course, log), _version(name, program))


def _version(package: str, program: str) -> str | None:
    """Asked of the environment that the program lies in; None = it does not say."""
    python = Path(program).parent / "python"
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    try:
        said = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip()


def _cpu_us(course: CpuCourse, log: ServerLog) -> float | None:
    sent = [one for one in log.sent if one.sent_ns]
    if not sent or not course.instants:
        return None
    first = min(one.arrival_ns for one in sent)
    last = max(one.sent_ns[-1] for one in sent)
    chunks = sum(len(one.sent_ns) for one in sent)
    return course.between(first, last) * 1e6 / chunks


SAID = (
    "As the programs report themselves. They take the role chunk for text: for them it"
    " comes with the first text, as from vLLM."
)
HEADINGS = (
    "program",
    "TTFT p50 ms",
    "TTFT p99 ms",
    "TPOT p50 ms",
    "TPOT p99 ms",
    "tokens/s",
    "completed",
    "failed",
    "CPU us/chunk",
)


def peer_table(runs: Sequence[Any]) -> list[str]:
    """Markdown lines; programs without figures below, with the reason."""
    shown: list[PeerRun] = [run for run in runs if run.figures is not None]
    lines = []
    if shown:
        lines = [SAID, "", _line(HEADINGS)]
        lines.append(_line(["---", *["---:"] * (len(HEADINGS) - 1)]))
        lines += [_line(_cells(run)) for run in shown]
        lines.append("")
    lines += [f"- {run.name}: {run.note}" for run in runs if run.figures is None]
    return lines


def _cells(run: PeerRun) -> list[str]:
    f = run.figures
    assert f is not None
    values = (f.ttft_p50_ms, f.ttft_p99_ms, f.tpot_p50_ms, f.tpot_p99_ms)
    return [
        f"{run.name} {run.version or ''}".strip(),
        *(_number(value, ".2f") for value in values),
        _number(f.tokens_per_s, ",.0f"),
        _number(f.completed, "d"),
        _number(f.failed, "d"),
        _number(run.cpu_us_per_chunk, ".1f"),
    ]


def _number(value: float | None, shape: str) -> str:
    return "–" if value is None else format(value, shape)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
