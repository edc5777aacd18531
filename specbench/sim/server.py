"""Opens the port of a simulated engine and closes it again. What is answered lies in
`site`, one client's connection in `connection`, the engine's time in `pacing`."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Self

import orjson

from specbench import __version__
from specbench.clock import utc_now
from specbench.errors import InputError
from specbench.sim.connection import Connection
from specbench.sim.model import Engine
from specbench.sim.options import SimOptions
from specbench.sim.pacing import PacedEngine
from specbench.sim.site import Site
from specbench.sim.truth_log import TruthLog


class SimServer:
    """A listening server; `async with await SimServer.start(...)` closes it."""

    def __init__(self, options: SimOptions, truth: TruthLog | None) -> None:
        self._options = options
        loop = asyncio.get_running_loop()
        self._paced = PacedEngine(Engine(options.config, options.seed), loop)
        self._site = Site(options, self._paced, truth)
        self._connections: set[Connection] = set()
        self._listener: asyncio.Server | None = None

    @classmethod
    async def start(cls, options: SimOptions, truth: TruthLog | None = None) -> Self:
        """Listen. Raises InputError naming the port where that is not possible."""
        server = cls(options, truth)
        try:
            server._listener = await asyncio.get_running_loop().create_server(
                lambda: Connection(server._site, server._connections),
                options.host,
                options.port,
            )
        except OSError as error:
            raise InputError(
                f"sim: cannot listen on {options.host} port {options.port}:"
                f" {error.strerror or error}",
                hint="end what uses the port, or give another one with --port",
            ) from error
        return server

    @property
    def port(self) -> int:
        """The port it listens on, also where 0 was asked for."""
        if self._listener is None or not self._listener.sockets:
            return self._options.port
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    @property
    def engine(self) -> Engine:
        """The engine behind it, to look at."""
        return self._paced.engine

    async def close(self) -> None:
        """Stop listening, drop every connection, wait until the sockets are gone."""
        if self._listener is not None:
            self._listener.close()
        connections = list(self._connections)
        for connection in connections:
            connection.close()
        await asyncio.gather(*(connection.closed for connection in connections))
        if self._listener is not None:
            await self._listener.wait_closed()
        self._paced.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()


async def serve(options: SimOptions, announce: Callable[[str], object]) -> None:
    """Serve until cancelled. When the port is open `announce` gets two lines, without
    their ends: `listening_line`, then `args_line`.

    Raises InputError where the port or the truth log cannot be had.
    """
    with _truth_log(options) as truth:
        async with await SimServer.start(options, truth) as server:
            announce(listening_line(options, server.port))
            announce(args_line(options, utc_now()))
            await asyncio.get_running_loop().create_future()


def listening_line(options: SimOptions, port: int) -> str:
    """`listening on http://HOST:PORT {...}`: the address, then what the engine is
    programmed to be, as JSON."""
    programmed = {
        "engine": "sim",
        "version": __version__,
        "model": options.model_name,
        "seed": options.seed,
        "output_tokens": options.output_tokens,
        "config": options.config,
    }
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"listening on http://{host}:{port} {orjson.dumps(programmed).decode()}"


def args_line(options: SimOptions, now: datetime) -> str:
    """The line of vLLM's log (0.32.0) from which the admission cap can be read back:
    no page of the server says it."""
    args = {
        "model": options.model_name,
        "max_model_len": options.config.max_model_len,
        "max_num_seqs": options.config.max_num_seqs,
    }
    return f"INFO {now:%m-%d %H:%M:%S} [server.py:1] non-default args: {args}"


@contextlib.contextmanager
def _truth_log(options: SimOptions) -> Iterator[TruthLog | None]:
    if options.truth_log is None:
        yield None
        return
    with TruthLog.open(options.truth_log) as truth:
        yield truth
