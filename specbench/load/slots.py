"""The closed loop of one load process: each of its slots sends its next request the
moment its last one has ended, until the list is used up."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.load.client import PreparedRequest, RawExchange, ask
from specbench.load.pacing import is_hopeless
from specbench.load.sleeping import sleep_until
from specbench.load.transport import StampingTransport


@dataclass(frozen=True, slots=True)
class SlotStart:
    """When a slot sends its first request."""

    slot: int
    due_ns: int


@dataclass(frozen=True, slots=True)
class SlotEvents:
    """Who is told what, at once."""

    on_ended: Callable[[bool, bool], None]
    """A request has ended: whether it was answered, and as the first one in its slot
    that was."""
    on_dry: Callable[[], None]
    """A slot found no more request."""


class SlotLoop:
    """State of one process's part of a cell."""

    def __init__(
        self,
        transport: StampingTransport,
        requests: Sequence[tuple[PreparedRequest, bytes]],
        take_index: Callable[[], int | None],
        events: SlotEvents,
    ) -> None:
        """`requests`: all of the cell's, each with its bytes for the wire, by index;
        `take_index` says which one is next, None = none is left."""
        self._transport = transport
        self._requests = requests
        self._take_index = take_index
        self._events = events
        self._ended: list[RawExchange] = []
        self._failed = 0

    async def run(self, starts: Sequence[SlotStart]) -> list[RawExchange]:
        """Until every slot is dry; what ended, in order of ending."""
        async with asyncio.TaskGroup() as slots:
            for start in starts:
                slots.create_task(self._run_slot(start))
        return self._ended

    async def _run_slot(self, start: SlotStart) -> None:
        await sleep_until(start.due_ns)
        due_ns = start.due_ns
        is_first = True
        while (index := self._next()) is not None:
            request, raw = self._requests[index]
            exchange = await ask(self._transport, raw, request, start.slot, due_ns)
            due_ns = exchange.end_ns
            self._ended.append(exchange)
            is_answered = exchange.is_answered
            self._failed += not is_answered
            self._events.on_ended(is_answered, is_first and is_answered)
            is_first = is_first and not is_answered
        self._events.on_dry()

    def _next(self) -> int | None:
        # the parent decides over all processes, but refusals can outrun its word
        if is_hopeless(self._failed, len(self._ended)):
            return None
        return self._take_index()
