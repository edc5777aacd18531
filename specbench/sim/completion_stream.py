"""One streamed answer: turns the engine's outputs into events on a transport and notes
when each left. It knows neither the engine nor the connection's other requests."""

import asyncio
import itertools
from collections.abc import Callable

from specbench.clock import monotonic_ns
from specbench.sim.completions import DONE, ApiKind, StreamEvents
from specbench.sim.http1 import STREAM_END, STREAM_HEAD, chunk
from specbench.sim.request import FinishReason, StepOutput
from specbench.sim.truth_log import RequestTruth, TruthLog
from specbench.sim.words import output_words

_engine_numbers = itertools.count(1)


class CompletionStream:
    """`begin`, then `deliver` until the last output; or `abort`."""

    def __init__(
        self,
        events: StreamEvents,
        transport: asyncio.WriteTransport,
        log: TruthLog | None,
    ) -> None:
        self.events = events
        self.engine_id = f"{events.response_id}/{next(_engine_numbers)}"
        """Unique also where two clients name their requests alike."""
        self._transport = transport
        self._log = log
        self._words = output_words(events.call.prompt_key)
        self._on_end: Callable[[], None] | None = None
        self._truth = RequestTruth(
            request_id=events.response_id,
            prompt_key=events.call.prompt_key,
            prompt_tokens=events.call.prompt_tokens,
            received_ns=0,
        )

    def begin(self, received_ns: int, on_end: Callable[[], None]) -> None:
        """Send the head, and a chat's role. `on_end` is called after the last byte."""
        self._truth.received_ns = received_ns
        self._on_end = on_end
        self._transport.write(STREAM_HEAD)
        if self.events.call.kind is ApiKind.CHAT:
            self._send(self.events.role())

    def deliver(self, output: StepOutput, due_ns: int) -> None:
        """Send one step's tokens; after the last also the ending."""
        truth = self._truth
        truth.output_tokens += output.tokens
        text = "".join(itertools.islice(self._words, output.tokens))
        self._send(self.events.text(text, truth.output_tokens, output.finish))
        sent_ns = truth.chunks[-1][0]
        truth.latest_ns = max(truth.latest_ns, sent_ns - due_ns)
        if output.finish is not None:
            self._end(output)

    def abort(self) -> None:
        """The client is gone: nothing more can be sent."""
        self._truth.finish_reason = FinishReason.ABORT
        self._write_truth()

    def _end(self, output: StepOutput) -> None:
        ending = b""
        if self.events.call.include_usage:
            usage = self.events.usage(self._truth.output_tokens, output.drafts)
            ending += chunk(usage)
        self._transport.write(ending + chunk(DONE) + STREAM_END)
        self._truth.finish_reason = output.finish
        self._write_truth()
        if self._on_end is not None:
            self._on_end()

    def _send(self, event: bytes) -> None:
        """An event with a choice: its send instant is part of the truth."""
        data = chunk(event)
        self._truth.chunks.append((monotonic_ns(), self._truth.output_tokens))
        self._transport.write(data)

    def _write_truth(self) -> None:
        if self._log is not None:
            self._log.write(self._truth)
