"""Opens the port of a simulated engine and closes it again. What is answered lies in
`site`, one client's connection in `connection`, the engine's time in `pacing`."""

import asyncio
import os
from typing import Self

from specbench.clock import monotonic_ns
from specbench.errors import InputError
from specbench.sim.connection import Connection
from specbench.sim.options import SimOptions
from specbench.sim.pacing import PacedEngine
from specbench.sim.ranks import Ranks
from specbench.sim.site import Site
from specbench.sim.truth_log import TruthLog

_FLUSH_EACH_S = 0.5
"""How long the truth may lie in memory."""


class SimServer:
    """A listening server; `async with await SimServer.start(...)` closes it."""

    def __init__(self, options: SimOptions, truth: TruthLog | None) -> None:
        self._options = options
        self._truth = truth
        self._loop = asyncio.get_running_loop()
        self._ranks = Ranks(options.config, options.seed)
        self._paced = PacedEngine(self._ranks, self._loop)
        self._site = Site(options, self._paced, truth)
        self._connections: set[Connection] = set()
        self._listener: asyncio.Server | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}

    @classmethod
    async def start(cls, options: SimOptions, truth: TruthLog | None = None) -> Self:
        """Listen. Raises InputError naming the port where that is not possible."""
        server = cls(options, truth)
        try:
            server._listener = await server._loop.create_server(
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
        server._describe()
        server._delay_readiness()
        server._flush()
        return server

    @property
    def port(self) -> int:
        """The port it listens on, also where 0 was asked for."""
        if self._listener is None or not self._listener.sockets:
            return self._options.port
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    @property
    def engine(self) -> Ranks:
        """The engine behind it, to look at."""
        return self._ranks

    async def close(self) -> None:
        """Stop listening, drop every connection, wait until the sockets are gone."""
        for timer in self._timers.values():
            timer.cancel()
        if self._listener is not None:
            self._listener.close()
        connections = list(self._connections)
        for connection in connections:
            connection.close()
        await asyncio.gather(*(connection.closed for connection in connections))
        if self._listener is not None:
            await self._listener.wait_closed()
        self._paced.close()
        if self._truth is not None:
            self._truth.flush()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()

    def _describe(self) -> None:
        if self._truth is not None:
            self._truth.add_server(
                {
                    "pid": os.getpid(),
                    "instant_ns": monotonic_ns(),
                    "dialect": self._options.dialect,
                    "seed": self._options.seed,
                    "config": self._options.config,
                }
            )

    def _delay_readiness(self) -> None:
        waits = [
            start.seconds
            for start in self._options.faults.slow_starts()
            if not start.is_port_closed
        ]
        if waits:
            self._site.is_ready = False
            self._timers["ready"] = self._loop.call_later(max(waits), self._get_ready)

    def _get_ready(self) -> None:
        self._site.is_ready = True

    def _flush(self) -> None:
        if self._truth is not None:
            self._truth.flush()
            self._timers["flush"] = self._loop.call_later(_FLUSH_EACH_S, self._flush)
