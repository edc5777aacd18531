"""One client connection of the simulated server: stamps what arrives, answers requests
one after another, and tells the engine when the client goes away."""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import cast

from specbench.clock import monotonic_ns
from specbench.sim.completion_stream import CompletionStream
from specbench.sim.completions import CallError
from specbench.sim.http1 import HttpRequest, RequestError, RequestReader
from specbench.sim.outlet import Outlet
from specbench.sim.site import Site


class Connection(asyncio.Protocol):
    """`closed` is done when the socket is."""

    def __init__(self, site: Site, register: set["Connection"]) -> None:
        self.closed = asyncio.get_running_loop().create_future()
        self._site = site
        self._register = register
        self._reader = RequestReader()
        self._transport: asyncio.Transport | None = None
        self._stream: CompletionStream | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: the socket is open."""
        self._transport = cast("asyncio.Transport", transport)
        self._register.add(self)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Asyncio: the socket is gone, by whichever side."""
        self._register.discard(self)
        self._transport = None
        self._drop_stream()
        self.closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Asyncio: bytes of a request. A request's arrival is the read that
        completed it."""
        received_ns = monotonic_ns()
        self._reader.feed(data)
        self._advance(received_ns)

    def close(self) -> None:
        """Drop the connection; an open stream counts as aborted."""
        self._drop_stream()
        if self._transport is not None:
            self._transport.abort()

    def _advance(self, received_ns: int) -> None:
        """Answer complete requests until one of them streams."""
        while self._stream is None and self._transport is not None:
            try:
                request = self._reader.next_request()
            except RequestError as error:
                refusal = CallError(HTTPStatus.BAD_REQUEST, str(error), None)
                self._transport.write(self._site.refuse(refusal))
                self._hang_up()
                return
            if request is None:
                return
            self._answer(request, received_ns, self._transport)

    def _answer(
        self, request: HttpRequest, received_ns: int, transport: asyncio.Transport
    ) -> None:
        try:
            stream = self._site.open_stream(request, Outlet(transport))
            if stream is None:
                transport.write(self._site.answer(request))
            else:
                self._stream = stream
                on_end = partial(self._end_stream, request)
                self._site.start(stream, received_ns, on_end)
                return
        except CallError as error:
            self._stream = None
            transport.write(self._site.refuse(error))
        self._end_request(request)

    def _end_stream(self, request: HttpRequest) -> None:
        self._stream = None
        self._end_request(request)
        self._advance(monotonic_ns())  # the next request may have come meanwhile

    def _end_request(self, request: HttpRequest) -> None:
        if not request.keep_alive:
            self._hang_up()

    def _hang_up(self) -> None:
        """Close once everything written has left."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._site.drop(self._stream)
            self._stream = None
