"""Drives a simulated server over real sockets on an ephemeral port."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from specbench.sim.options import SimOptions, parse_sim_flags
from specbench.sim.server import SimServer
from specbench.sim.truth_log import TruthLog

T = TypeVar("T")

FAST = ("--step-base-ms=1", "--step-per-sequence-ms=0", "--step-per-token-ms=0")
DRAFTER = (
    "--speculative-config",
    '{"method": "sim", "num_speculative_tokens": 2, "acceptance": [1.0, 0.0]}',
)
USAGE = {"include_usage": True, "continuous_usage_stats": True}


def sim_options(*flags: str) -> SimOptions:
    return parse_sim_flags(["--port=0", *FAST, *flags])


def run_server(
    options: SimOptions,
    play: Callable[[SimServer], Awaitable[T]],
    truth: TruthLog | None = None,
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> T:
    async def session() -> T:
        async with await SimServer.start(options, truth) as server:
            async with asyncio.timeout(30):
                return await play(server)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(session())


def http_call(path: str, document: dict[str, Any] | None, headers: str = "") -> bytes:
    if document is None:
        return f"GET {path} HTTP/1.1\r\nhost: a\r\n{headers}\r\n".encode()
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {len(body)}\r\n"
    return f"{head}{headers}\r\n".encode() + body


def chat_call(content: str = "one two", **changes: Any) -> dict[str, Any]:
    return {
        "model": "sim",
        "messages": [{"role": "user", "content": content}],
        "stream": True,
        "max_tokens": 6,
        "stream_options": USAGE,
        **changes,
    }


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of one answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    status = int(head.split(" ")[1])
    if "transfer-encoding: chunked" not in head:
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        return status, await reader.readexactly(length)
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        assert await reader.readexactly(2) == b"\r\n"
    assert await reader.readexactly(2) == b"\r\n"
    return status, body


async def ask(server: SimServer, *calls: bytes) -> list[tuple[int, bytes]]:
    """Answers to calls made one after another on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    answers = []
    for call in calls:
        writer.write(call)
        answers.append(await read_answer(reader))
    writer.close()
    await writer.wait_closed()
    return answers


def ask_once(options: SimOptions, *calls: bytes) -> list[tuple[int, bytes]]:
    return run_server(options, lambda server: ask(server, *calls))


def stream_events(body: bytes) -> list[dict[str, Any]]:
    """JSON events of a stream that ends as it must."""
    *events, done, rest = body.decode().split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def stream(options: SimOptions, path: str, call: dict[str, Any]) -> list[Any]:
    ((status, body),) = ask_once(options, http_call(path, call))
    assert status == 200
    return stream_events(body)


def text_of(body: bytes) -> str:
    """All text of a chat stream."""
    return "".join(
        choice["delta"].get("content") or ""
        for event in stream_events(body)
        for choice in event["choices"]
    )


def log_lines(path: Path, kind: str) -> list[dict[str, Any]]:
    """Lines of one kind in a truth log."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]
