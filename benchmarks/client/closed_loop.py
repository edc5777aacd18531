"""What the clients to compare with have in common: the arguments, the closed loop, the
words by which the runner meters them, the file of stamps. Each client says how it asks
once."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson


@dataclass(frozen=True)
class Load:
    """What a client is to do."""

    url: str
    streams: int
    each: int
    """Requests of each stream, on average: the next one goes to whoever is free."""
    request_s: float
    """About how long one takes; the starts are spread over it."""
    path: Path
    """Where the stamps go."""


@dataclass(frozen=True)
class Answer:
    """One answer: when it was asked for, and (instant ns, tokens so far) of each chunk
    with text."""

    request: int
    sent_ns: int
    chunks: list[tuple[int, int]]


def read_load() -> Load:
    """From the command line, the same for every client."""
    host, port, streams, each, request_s, path = sys.argv[1:]
    return Load(
        f"http://{host}:{port}", int(streams), int(each), float(request_s), Path(path)
    )


def request_body(number: int) -> dict[str, Any]:
    """What everyone asks."""
    return {
        "messages": [{"role": "user", "content": f"request {number}"}],
        "stream": True,
    }


def text_tokens(line: str | bytes) -> int | None:
    """Tokens so far, where an SSE line is a chunk with text."""
    prefix = "data: " if isinstance(line, str) else b"data: "
    if not line.startswith(prefix):  # type: ignore[arg-type]
        return None
    text = line[len(prefix) :].strip()
    if text in ("[DONE]", b"[DONE]"):
        return None
    event = json.loads(text)
    if not event["choices"] or not event["choices"][0]["delta"].get("content"):
        return None
    tokens: int = event["usage"]["completion_tokens"]
    return tokens


async def run_closed_loop(load: Load, ask: Callable[[int], Awaitable[Answer]]) -> None:
    """`ask` raises for a request that failed."""
    todo = iter(range(load.streams * load.each))
    answers: list[Answer] = []
    failures: list[str] = []

    async def slot(place: int) -> None:
        await asyncio.sleep(place * load.request_s / load.streams)
        for number in todo:
            try:
                answers.append(await ask(number))
            except Exception as error:  # noqa: BLE001 - counted, whatever it was
                failures.append(f"{type(error).__name__}: {error}")

    say("ready")
    await asyncio.gather(*(slot(place) for place in range(load.streams)))
    say("done")
    write_answers(load.path, answers, failures)


def say(word: str) -> None:
    """Tell the runner, which reads this process's CPU time, and wait for its leave."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()
    sys.stdin.readline()


def write_answers(path: Path, answers: list[Answer], failures: list[str]) -> None:
    """The file that the runner reads."""
    if failures:
        sys.stderr.write(f"{len(failures)} failed, first: {failures[0]}\n")
    document = {"requests": answers, "failed": len(failures)}
    path.write_bytes(orjson.dumps(document))
