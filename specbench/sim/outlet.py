"""The way out of a connection. A piece goes to the kernel before `send` returns, unless
the socket is full: an instant that is taken just before is the instant of sending.
asyncio's and uvloop's transports (0.23) both try the socket at once; a test holds them
to it."""

import asyncio
import socket
import struct

_LINGER_NOT = struct.pack("ii", 1, 0)
"""SO_LINGER on, for 0 s: closing sends a reset instead of what is left."""


class Outlet:
    """Writes to one socket that a transport owns."""

    __slots__ = ("_transport", "send")

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        self.send = transport.write
        """Takes bytes. What a full socket does not take follows in order; a connection
        that is gone takes everything: its owner hears of it from the loop."""

    def cut(self) -> None:
        """Close as soon as everything has left."""
        self._transport.close()

    def reset(self) -> None:
        """Close with a reset: the client's next read fails."""
        socket_ = self._transport.get_extra_info("socket")
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._transport.abort()
