"""The way out of a connection: everything arrives, in order, also where the socket is
full or gone."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest
import uvloop

from specbench.sim.outlet import Outlet

T = TypeVar("T")
NewLoop = Callable[[], asyncio.AbstractEventLoop]

_LOOPS = pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop]
)
_PIECES = [bytes([65 + n]) * 150_000 for n in range(12)]
"""Together more than a socket's buffers take at once."""


def _run(play: Callable[[], Coroutine[Any, Any, T]], new_loop: NewLoop) -> T:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(play())


@_LOOPS
def test_a_piece_is_on_its_way_when_send_returns(new_loop: NewLoop) -> None:
    async def play() -> bytes:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        _, writer = await asyncio.open_connection(sock=ours)
        Outlet(writer.transport).send(b"now")
        got = theirs.recv(10)  # without a turn of the loop
        theirs.close()
        writer.close()
        return got

    assert _run(play, new_loop) == b"now"


@_LOOPS
def test_what_a_full_socket_does_not_take_follows_in_order(new_loop: NewLoop) -> None:
    async def play() -> bytes:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        outlet = Outlet(writer.transport)
        for piece in _PIECES:
            outlet.send(piece)
        assert writer.transport.get_write_buffer_size() > 0
        far_reader, far_writer = await asyncio.open_connection(sock=theirs)
        got = await far_reader.readexactly(sum(map(len, _PIECES)))
        for end in (writer, far_writer):
            end.close()
            await end.wait_closed()
        del reader
        return got

    assert _run(play, new_loop) == b"".join(_PIECES)


@_LOOPS
def test_a_connection_that_is_gone_takes_everything_in_silence(
    new_loop: NewLoop,
) -> None:
    async def play() -> None:
        ours, theirs = socket.socketpair()
        _, writer = await asyncio.open_connection(sock=ours)
        outlet = Outlet(writer.transport)
        theirs.close()
        outlet.send(b"into nothing")
        outlet.send(b"again")
        writer.transport.abort()
        outlet.send(b"and after the end")

    _run(play, new_loop)
