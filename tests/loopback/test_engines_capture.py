"""`specbench engines capture` and `check`, as commands: what is recorded from a server
of either dialect passes the check of its adapter, and holds no secret."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import specbench, strict_json

DRAFTER = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.8, 0.6, 0.4],'
    ' "draft_ms": 0.1}'
)
KEY = "sk-quite-secret-123"
LOG = (
    "INFO 12-01 16:07:39 [server.py:1] non-default args: {'model': 'm',"
    f" 'max_num_seqs': 256, 'api_key': ['{KEY}']}}\nserving with {KEY}\n"
)
ARMS = {"baseline": (), "drafting": ("--speculative-config", DRAFTER)}


@contextmanager
def serve(*flags: str) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "specbench.sim", "--port", "0", "--step-base-ms", "10",
         "--served-model-name", "m", *flags],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[2]
        finally:
            process.kill()


def capture(
    folder: Path, url: str, engine: str, arm: str
) -> subprocess.CompletedProcess[str]:
    (folder / "server.log").write_text(LOG)
    return specbench(
        *("engines", "capture", url, "--engine", engine, "--out", "set", "--arm", arm),
        *("--max-tokens", "24", "--log", "server.log"),
        *("--command", f"serve --api-key {KEY}"),
        cwd=folder,
        env={"SPECBENCH_API_KEY": KEY},
    )


@pytest.fixture(scope="module", params=["vllm", "sglang"])
def recorded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """An engine and the folder of its set, with a plain and a drafting server."""
    engine: str = request.param
    folder = tmp_path_factory.mktemp(engine)
    for arm, flags in ARMS.items():
        with serve("--dialect", engine, *flags) as url:
            done = capture(folder, url, engine, arm)
        assert done.returncode == ExitCode.FINE, done.stderr
        assert f"set/{arm}/chat.sse" in done.stdout.split()
    return engine, folder


def test_what_is_recorded_passes_the_check(recorded: tuple[str, Path]) -> None:
    engine, folder = recorded
    done = specbench("engines", "check", engine, "set", "--format", "json", cwd=folder)
    assert done.returncode == ExitCode.FINE, done.stdout + done.stderr
    items = strict_json(done.stdout)
    assert {item["arm"] for item in items} >= set(ARMS)
    compared = [
        (item["arm"], item["said"].partition(":")[0])
        for item in items
        if item["item"] == "counters against streams" and item["verdict"] == "ok"
    ]
    assert ("baseline", "output tokens") in compared
    assert ("drafting", "output tokens") in compared
    assert ("drafting", "prompt tokens") in compared
    running = [i for i in items if i["item"] == "running" and i["arm"] == "baseline"]
    assert [item["verdict"] for item in running] == ["ok"]


def test_a_set_has_requests_and_answers_but_no_secret(
    recorded: tuple[str, Path],
) -> None:
    _, folder = recorded
    files = [path for path in (folder / "set").rglob("*") if path.is_file()]
    names = {path.relative_to(folder / "set").as_posix() for path in files}
    assert names >= {
        "meta.toml",
        "baseline/chat.request.json",
        "baseline/chat.headers.json",
        "baseline/completions.sse",
        "baseline/metrics-idle.txt",
        "baseline/metrics-load.txt",
        "baseline/metrics-after.txt",
        "baseline/refused.json",
        "drafting/start.log",
    }
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    refused = strict_json((folder / "set/baseline/refused.headers.json").read_text())
    assert refused["status"] == 400


def test_an_arm_is_recorded_once(recorded: tuple[str, Path]) -> None:
    engine, folder = recorded
    before = (folder / "set/meta.toml").read_text()
    done = capture(folder, "http://127.0.0.1:9", engine, "baseline")
    assert done.returncode == ExitCode.BAD_INPUT
    assert "exists already" in done.stderr
    assert (folder / "set/meta.toml").read_text() == before


def test_damage_is_found_in_the_file_where_it_is(
    recorded: tuple[str, Path], tmp_path: Path
) -> None:
    engine, folder = recorded
    damaged = tmp_path / "set"
    for path in (folder / "set").rglob("*"):
        if path.is_file():
            target = damaged / path.relative_to(folder / "set")
            target.parent.mkdir(exist_ok=True, parents=True)
            target.write_bytes(path.read_bytes())
    stream = damaged / "baseline" / "chat.sse"
    stream.write_bytes(stream.read_bytes().partition(b"[DONE]")[0])
    done = specbench("engines", "check", engine, "set", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "without" in done.stdout
    assert "chat.sse" in done.stdout
    done = specbench("engines", "check", engine, "set", "--format", "csv", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "baseline,stream,wrong," in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "warp", "."), "no such adapter"),
        (("check", "vllm", "nowhere"), "no folder"),
        (("check", "vllm", "."), "meta.toml"),
        (("capture", "http://127.0.0.1:9", "--engine", "warp", "--out", "o"), "warp"),
        (
            ("capture", "ftp://x", "--engine", "vllm", "--out", "o"),
            "is not a URL",
        ),
        (
            ("capture", "http://127.0.0.1:9", "--engine", "vllm", "--out", "o",
             "--arm", "../up"),
            "no name for an arm",
        ),
        (
            ("capture", "http://127.0.0.1:9", "--engine", "vllm", "--out", "o",
             "--log", "nowhere.log"),
            "nowhere.log",
        ),
    ],
    ids=lambda value: str(value)[:50],
)  # fmt: skip
def test_bad_input_is_named(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    done = specbench("engines", *arguments, cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert words in done.stderr


def test_a_server_that_is_not_there_is_no_bad_input(tmp_path: Path) -> None:
    done = specbench(
        *("engines", "capture", "http://127.0.0.1:9", "--engine", "vllm"),
        *("--out", "set"),
        cwd=tmp_path,
    )
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "/v1/models" in done.stderr
    assert not (tmp_path / "set").exists()
