"""A server on loopback whose peer is a script: it reads whole requests, and a handler
says byte by byte what comes back and when the connection ends. It waits on events and
never on time, so that a test decides the order of everything."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from unittest.mock import patch

import orjson

from specbench.clock import monotonic_ns
from specbench.load.connection import Exchange, StreamConnection

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
STREAM_HEAD = HEAD + b"transfer-encoding: chunked\r\n\r\n"
STREAM_END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def event(text: str, tokens_so_far: int) -> bytes:
    """One chat event with a running count."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    usage = {"prompt_tokens": 5, "completion_tokens": tokens_so_far}
    return b"data: " + orjson.dumps({"choices": [choice], "usage": usage}) + b"\n\n"


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def stream(texts: Sequence[str] = ("a", "b", "c")) -> bytes:
    """A whole good answer, one token an event."""
    events = [event(text, place + 1) for place, text in enumerate(texts)]
    return STREAM_HEAD + b"".join(map(chunk, [*events, DONE])) + STREAM_END


def plain(status: str, body: bytes) -> bytes:
    """An answer with a content length."""
    head = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


@dataclass(frozen=True)
class SeenRequest:
    """A request that the server has read to its end."""

    connection: int
    head: str
    body: bytes

    @property
    def question(self) -> str:
        """Text of its last message."""
        return str(orjson.loads(self.body)["messages"][-1]["content"])


@dataclass
class Peer:
    """The server's end of one connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    is_closed: bool = False

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until_gone(self) -> None:
        """Wait until the client has ended the connection."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(1):
                pass

    async def close(self) -> None:
        """An orderly end."""
        self.is_closed = True
        self.writer.close()
        await self.writer.wait_closed()

    def reset(self) -> None:
        """An end without manners: the client's socket gets a reset."""
        self.is_closed = True
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler = Callable[[SeenRequest, Peer], Awaitable[None]]
Greeter = Callable[[int, Peer], Awaitable[None]]


@dataclass
class ScriptedServer:
    """Runs until left; `handler` answers each request that was read."""

    handler: Handler
    greeter: Greeter | None = None
    """Called for a new connection before anything is read from it."""
    requests: list[SeenRequest] = field(default_factory=list)
    connections: int = 0
    url: str = ""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        number = self.connections
        self.connections += 1
        try:
            await self._talk(number, Peer(reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client or the test has gone
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _talk(self, number: int, peer: Peer) -> None:
        if self.greeter is not None:
            await self.greeter(number, peer)
        while not peer.is_closed:
            head = (await peer.reader.readuntil(b"\r\n\r\n")).decode()
            sizes = [
                int(line.partition(":")[2])
                for line in head.lower().splitlines()
                if line.startswith("content-length:")
            ]
            body = await peer.reader.readexactly(sizes[0])
            request = SeenRequest(number, head, body)
            self.requests.append(request)
            await self.handler(request, peer)


async def answer_well(_: SeenRequest, peer: Peer) -> None:
    """The usual good answer."""
    await peer.send(stream())


@dataclass(frozen=True)
class Read:
    """One read of the client: its bytes, and instants just before and after."""

    before_ns: int
    after_ns: int
    data: bytes


@dataclass
class ClientLog:
    """What the client's connections did, noted from outside: reads, begun exchanges
    and ends. Lets a script wait until its bytes have been read as they were sent."""

    reads: list[Read] = field(default_factory=list)
    begun: int = 0
    lost: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _patches: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        receive, begin = StreamConnection.data_received, StreamConnection.begin
        lose = StreamConnection.connection_lost

        def noted_receive(connection: StreamConnection, data: bytes) -> None:
            before_ns = monotonic_ns()
            receive(connection, data)
            self.reads.append(Read(before_ns, monotonic_ns(), bytes(data)))
            self._moved.set()

        def noted_begin(connection: StreamConnection, request: bytes) -> Exchange:
            exchange = begin(connection, request)
            self.begun += 1
            self.exchanges.append(exchange)
            self._moved.set()
            return exchange

        def noted_loss(connection: StreamConnection, exc: Exception | None) -> None:
            lose(connection, exc)
            self.lost += 1
            self._moved.set()

        self._patches.enter_context(
            patch.multiple(
                StreamConnection,
                data_received=noted_receive,
                begin=noted_begin,
                connection_lost=noted_loss,
            )
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._patches.aclose()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for something in the log that makes it so."""
        while not is_so():
            self._moved.clear()
            await self._moved.wait()

    async def until_read(self, count: int) -> None:
        """Wait until so many bytes have been read in all."""
        await self.until(lambda: sum(len(r.data) for r in self.reads) >= count)
