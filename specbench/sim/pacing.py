"""Plays the pure engine in real time on an event loop. A step's outputs go to their
receivers once the monotonic clock has reached the step's end. Steps follow one another
on the engine's own schedule, so that a late wake-up delays one step's outputs and no
later ones."""

import asyncio
from collections.abc import Callable

from specbench.clock import monotonic_ns
from specbench.sim.model import Engine
from specbench.sim.request import SimRequest, StepOutput
from specbench.units import NS_PER_S

Receiver = Callable[[StepOutput, int], None]
"""Takes an output and the programmed instant (ns) at which it was due."""


class PacedEngine:
    """The engine on a loop. All calls come from that loop."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self.engine = engine
        self._loop = loop
        self._receivers: dict[str, Receiver] = {}
        self._timer: asyncio.TimerHandle | None = None

    def submit(self, request: SimRequest, now_ns: int, receiver: Receiver) -> None:
        """Run a request; its outputs go to the receiver until one is finished."""
        self._receivers[request.request_id] = receiver
        self.engine.submit(request, now_ns)
        self._arm()

    def abort(self, request_id: str) -> None:
        """Drop a request; its receiver hears no more of it."""
        if self._receivers.pop(request_id, None) is not None:
            self.engine.abort(request_id)

    def close(self) -> None:
        """Stop for good."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._receivers.clear()

    def _arm(self) -> None:
        due_ns = self.engine.next_step_time()
        if self._timer is not None or due_ns is None:
            return  # the end of a step that is under way never moves
        wait_s = max(0.0, (due_ns - monotonic_ns()) / NS_PER_S)
        self._timer = self._loop.call_later(wait_s, self._wake)

    def _wake(self) -> None:
        """One step at most: where the machine is too slow for the schedule, sockets
        still get their turn between two steps."""
        self._timer = None
        due_ns = self.engine.next_step_time()
        # A loop's timer can fire a fraction of a millisecond early.
        if due_ns is not None and due_ns <= monotonic_ns():
            for output in self.engine.step():
                self._deliver(output, due_ns)
        self._arm()

    def _deliver(self, output: StepOutput, due_ns: int) -> None:
        receiver = self._receivers.get(output.request_id)
        if receiver is None:
            return
        if output.is_finished:
            del self._receivers[output.request_id]
        receiver(output, due_ns)
