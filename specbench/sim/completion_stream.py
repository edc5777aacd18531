"""One streamed answer: turns the engine's outputs into events on the wire and notes
when each left. It knows neither the engine nor the connection's other requests."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from specbench.clock import monotonic_ns
from specbench.sim.fault_acts import Aftermath, SlowLane, strike
from specbench.sim.faults import RequestFault, RequestFaultKind
from specbench.sim.http1 import STREAM_END, STREAM_HEAD, chunk
from specbench.sim.outlet import Outlet
from specbench.sim.request import FinishReason, StepOutput
from specbench.sim.stream_events import DONE, StreamEvents
from specbench.sim.stream_interval import ChunkGate
from specbench.sim.truth_log import RequestTruth
from specbench.sim.words import output_words

_MS_PER_S = 1000.0

_engine_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """What a stream is made of."""

    events: StreamEvents
    number: int
    """The n-th completion call, from 1."""
    chunk_sizes: Iterator[int]
    fault: RequestFault | None


class StreamOwner:
    """Who hears of a stream's fate."""

    def on_end(self) -> None:
        """Its last byte was written."""

    def on_abandoned(self) -> None:
        """A fault ended it; the engine need not go on with it."""

    def on_truth(self, truth: RequestTruth) -> None:
        """All that is known of it; once a stream."""

    def on_death(self) -> None:
        """The process is about to end."""


class CompletionStream:
    """`begin`, then `deliver` until the last output; or `abort`."""

    def __init__(self, order: StreamOrder, outlet: Outlet) -> None:
        events = order.events
        self.events = events
        self.engine_id = f"{events.response_id}/{next(_engine_numbers)}"
        """Unique also where two clients name their requests alike."""
        self._outlet = outlet
        self._words = output_words(events.call.prompt_key)
        self._make_chunk = events.chunk_maker()
        self._gate = ChunkGate(order.chunk_sizes)
        self._fault = order.fault
        self._slow_lane: SlowLane | None = None
        self._is_silent = False
        self._owner = StreamOwner()
        self._truth = RequestTruth(
            request_id=events.response_id,
            number=order.number,
            prompt_key=events.call.prompt_key,
            prompt_tokens=events.call.prompt_tokens,
            received_ns=0,
            fault=order.fault.kind if order.fault else None,
        )

    def begin(self, received_ns: int, owner: StreamOwner) -> None:
        """Send the head, and a chat's role."""
        self._truth.received_ns = received_ns
        self._owner = owner
        self._outlet.send(STREAM_HEAD)
        role = self.events.role()
        if role:
            self._send(chunk(role), 0)
        self._strike_if_due(0)

    def deliver(self, output: StepOutput, due_ns: int) -> None:
        """Take one step's tokens; send what the interval lets go, after the last also
        the ending."""
        if self._is_silent:
            return
        truth, finish = self._truth, output.finish
        tokens = truth.output_tokens = truth.output_tokens + output.tokens
        out = self._gate.offer(output.tokens, is_last=finish is not None)
        if out == 0:
            return
        text = "".join(itertools.islice(self._words, out))
        if finish is None:
            data = self._make_chunk(orjson.dumps(text), tokens)
        else:
            data = chunk(self.events.last_text(text, tokens, finish))
        sent_ns = self._send(data, tokens)
        truth.latest_ns = max(truth.latest_ns, sent_ns - due_ns)
        if self._fault is not None:
            self._strike_if_due(tokens)
        if finish is not None and not self._is_silent:
            truth.drafts = output.drafts
            self._end(tokens, finish)

    def abort(self) -> None:
        """The client is gone: nothing more can be sent."""
        if self._slow_lane is not None:
            self._slow_lane.close()
        self._is_silent = True
        self._tell_truth(FinishReason.ABORT)

    def _send(self, data: bytes, tokens: int) -> int:
        """An event whose send instant is part of the truth; returns that instant."""
        if self._slow_lane is not None:
            self._slow_lane.put(data, tokens)
            return 0
        now_ns = monotonic_ns()
        self._outlet.send(data)
        self._truth.sent_ns.append(now_ns)
        self._truth.sent_tokens.append(tokens)
        return now_ns

    def _end(self, tokens: int, finish: FinishReason) -> None:
        events = self.events.ending(tokens, finish, self._truth.drafts)
        ending = b"".join(map(chunk, events)) + chunk(DONE) + STREAM_END
        self._truth.finish_reason = finish
        if self._slow_lane is not None:
            self._slow_lane.put(ending, None)
        else:
            self._finish_with(ending)

    def _finish_with(self, ending: bytes) -> None:
        self._outlet.send(ending)
        finish = self._truth.finish_reason
        self._tell_truth(FinishReason(finish) if finish else FinishReason.ABORT)
        self._owner.on_end()

    def _strike_if_due(self, tokens: int) -> None:
        """Let the fault happen, once, where its point is reached."""
        fault = self._fault
        if fault is None or tokens < fault.after_tokens:
            return
        self._fault = None
        if fault.kind is RequestFaultKind.SLOW_STREAM:
            self._slow_lane = SlowLane(fault.gap_ms / _MS_PER_S, self._leave_slow_lane)
            return
        aftermath = strike(fault, self._outlet, self.events, self._owner.on_death)
        if aftermath is Aftermath.GOES_ON:
            return
        self._is_silent = True
        if aftermath is Aftermath.ENDED:
            self._owner.on_abandoned()
            self._tell_truth(FinishReason.ABORT)
            self._owner.on_end()

    def _leave_slow_lane(self, data: bytes, tokens: int | None) -> None:
        if tokens is None:
            self._finish_with(data)
            return
        now_ns = monotonic_ns()
        self._outlet.send(data)
        self._truth.sent_ns.append(now_ns)
        self._truth.sent_tokens.append(tokens)

    def _tell_truth(self, finish: FinishReason) -> None:
        self._truth.finish_reason = finish
        self._owner.on_truth(self._truth)
