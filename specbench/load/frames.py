"""Messages between the parent and its load processes, over a socket pair that only
they hold: values of `messages`, pickled, each behind its length."""

import asyncio
import pickle
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")
READ_AHEAD_BYTES = 1 << 22
"""How much is buffered before the sender has to wait."""


def pack(message: object) -> bytes:
    """One frame."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """The next message. Raises EOFError when the other side is gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        data = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise EOFError("the other process is gone") from error
    # The other end is our own process, on a socket that nobody else has.
    return pickle.loads(data)
