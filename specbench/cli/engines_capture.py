"""`specbench engines capture`: records what a running server prints and sends."""

from pathlib import Path

import typer

from specbench.cli.streams import emit, tell, told_when_interrupted
from specbench.errors import InputError


def capture(
    url: str = typer.Argument(
        help="Base URL of a running server that nobody else uses.", show_default=False
    ),
    engine: str = typer.Option(
        ..., "--engine", help="Adapter whose pages are asked for.", show_default=False
    ),
    out: Path = typer.Option(
        ..., "--out", help="Folder of the set; begun or added to.", show_default=False
    ),
    arm: str = typer.Option(
        "baseline", "--arm", help="Name of this server in the set."
    ),
    drafts: bool | None = typer.Option(
        None,
        "--drafts/--no-drafts",
        help="Whether it speculates; by default unless --arm is baseline.",
        show_default=False,
    ),
    requests: int = typer.Option(
        6, "--requests", "-n", min=1, max=64, help="Sent at once for the loaded page."
    ),
    max_tokens: int = typer.Option(
        64, "--max-tokens", min=1, max=4096, help="Output limit of each request."
    ),
    model: str | None = typer.Option(
        None, "--model", help="Served model name; by default what the server says."
    ),
    log: Path | None = typer.Option(
        None,
        "--log",
        help="File with the server's start-up log.",
        show_default=False,
    ),
    command: str = typer.Option(
        "", "--command", help="How the server was started.", show_default=False
    ),
) -> None:
    """Record a running server for `specbench engines check`.

    Its pages, metrics when idle, under a little load and after it, streams with their
    requests, and a refused request. A key that the server needs comes from the
    environment variable SPECBENCH_API_KEY and is never written.

    Example: specbench engines capture http://127.0.0.1:8000 --engine vllm --out
    captures/vllm/0.32.0 --arm ngram --log server.log
    """
    from specbench.engines import ADAPTERS
    from specbench.runner.capture import LOG_BYTES, CaptureJob
    from specbench.runner.capture import capture as record_set
    from specbench.schema.sweep import BASELINE
    from specbench.store.captures import check_arm_name, read_log

    if engine not in ADAPTERS:
        raise InputError(
            f"--engine {engine}: there is no such adapter",
            hint=f"one of {', '.join(ADAPTERS)}",
        )
    check_arm_name(arm)
    job = CaptureJob(
        url=url.rstrip("/").removesuffix("/v1"),
        adapter=ADAPTERS[engine],
        arm=arm,
        folder=out,
        model=model,
        speculates=arm != BASELINE if drafts is None else drafts,
        requests=requests,
        max_tokens=max_tokens,
        command=command,
        log=None if log is None else read_log(log, LOG_BYTES),
    )
    with told_when_interrupted("nothing was written"):
        recording = record_set(job)
    for note in recording.notes:
        tell(f"note: {note}")
    emit("\n".join(str(out / arm / name) for name in sorted(recording.files)))
    tell(f"now: specbench engines check {engine} {out}")
