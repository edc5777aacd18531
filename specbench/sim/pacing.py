"""Plays the pure engine in real time on an event loop. A step's outputs go to their
receivers once the monotonic clock has reached the step's end. Steps follow one another
on the engine's own schedule, so that a late wake-up delays one step's outputs and no
later ones."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from specbench.clock import monotonic_ns
from specbench.sim.model import Engine
from specbench.sim.request import SimRequest, StepOutput, StepRecord
from specbench.units import NS_PER_S

Receiver = Callable[[StepOutput, int], None]
"""Takes an output and the programmed instant (ns) at which it was due."""

StepWatcher = Callable[[StepRecord, int], None]
"""Takes a step that has ended and the instant (ns) at which it was played."""


class Playable(Protocol):
    """One engine, or several ranks with the interface of one."""

    @property
    def engines(self) -> tuple[Engine, ...]:
        """By rank."""

    @property
    def last_step(self) -> StepRecord | None:
        """The step that ended last."""

    def submit(self, request: SimRequest, now_ns: int) -> None:
        """As `Engine.submit`, and so on."""

    def abort(self, request_id: str) -> None: ...

    def next_step_time(self) -> int | None: ...

    def step(self) -> list[StepOutput]: ...


class PacedEngine:
    """The engine on a loop. All calls come from that loop."""

    def __init__(self, engine: Playable, loop: asyncio.AbstractEventLoop) -> None:
        self.engine = engine
        self._loop = loop
        self._watchers: list[StepWatcher] = []
        self._receivers: dict[str, Receiver] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_ns = 0

    def submit(self, request: SimRequest, now_ns: int, receiver: Receiver) -> None:
        """Run a request; its outputs go to the receiver until one is finished. Raises
        ValueError for a request that the engine could never hold."""
        self.engine.submit(request, now_ns)
        self._receivers[request.request_id] = receiver
        self._arm()

    def watch(self, watcher: StepWatcher) -> None:
        """Let someone know of every step, after its outputs have gone."""
        self._watchers.append(watcher)

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
        if due_ns is None:
            return
        if self._timer is not None:
            # The end of a step that is under way never moves, but another rank may
            # have begun one that ends before it.
            if self._timer_due_ns <= due_ns:
                return
            self._timer.cancel()
        wait_s = max(0.0, (due_ns - monotonic_ns()) / NS_PER_S)
        self._timer = self._loop.call_later(wait_s, self._wake)
        self._timer_due_ns = due_ns

    def _wake(self) -> None:
        """One step at most: where the machine is too slow for the schedule, sockets
        still get their turn between two steps."""
        self._timer = None
        due_ns = self.engine.next_step_time()
        now_ns = monotonic_ns()
        # A loop's timer can fire a fraction of a millisecond early.
        if due_ns is not None and due_ns <= now_ns:
            self._play(self.engine.step(), due_ns)
            step = self.engine.last_step
            if step is not None:
                for watch in self._watchers:
                    watch(step, now_ns)
        self._arm()

    def _play(self, outputs: list[StepOutput], due_ns: int) -> None:
        receivers = self._receivers
        for output in outputs:
            request_id = output.request_id
            receiver = receivers.get(request_id)
            if receiver is None:
                continue
            if output.finish is not None:
                del receivers[request_id]
            receiver(output, due_ns)
