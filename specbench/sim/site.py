"""What the simulated server answers, without a socket: pages through the dialect's
face, and completion calls turned into streams that the paced engine feeds."""

import itertools
from collections.abc import Callable
from http import HTTPStatus

import orjson

from specbench.clock import monotonic_ns, utc_now
from specbench.sim.completion_stream import CompletionStream, StreamOrder, StreamOwner
from specbench.sim.completions import ApiKind, CallError, CompletionCall, parse_call
from specbench.sim.dialect import Dialect
from specbench.sim.exposition import CONTENT_TYPE
from specbench.sim.face import Face, Page, engine_views
from specbench.sim.fault_acts import reset_counters
from specbench.sim.faults import RequestFault, RequestFaultKind
from specbench.sim.http1 import HttpRequest, response
from specbench.sim.options import SimOptions
from specbench.sim.outlet import Outlet
from specbench.sim.pacing import PacedEngine
from specbench.sim.request import FinishReason, SimRequest, StepRecord
from specbench.sim.sglang_face import SglangFace
from specbench.sim.truth_log import RequestTruth, TruthLog
from specbench.sim.vllm_face import VllmFace

_API = {
    "/v1/chat/completions": ApiKind.CHAT,
    "/v1/completions": ApiKind.TEXT,
}


class Site:
    """All answers of one server."""

    def __init__(
        self, options: SimOptions, paced: PacedEngine, truth: TruthLog | None
    ) -> None:
        self.is_ready = True
        """Whether /health says so."""
        self._options = options
        self._paced = paced
        self._truth = truth
        self._created_unix = utc_now().timestamp()
        self._face = _face(options, paced, int(self._created_unix))
        self._numbers = itertools.count(1)
        self._open: dict[str, CompletionStream] = {}
        self._ended = 0
        paced.watch(self._on_step)

    def answer(self, request: HttpRequest) -> bytes:
        """Answer to anything but a completion call."""
        page = self._page(request.method, request.path)
        return response(page.status, page.body, page.content_type)

    def refuse(self, error: CallError) -> bytes:
        """Answer to a call that is not taken."""
        if error.raw_body is not None:
            return response(error.status, error.raw_body.encode(), "text/plain")
        return response(error.status, self._face.error_body(error))

    def open_stream(
        self, request: HttpRequest, outlet: Outlet
    ) -> CompletionStream | None:
        """The stream that a completion call asks for; None = it is no such call.

        Nothing is sent yet. Raises CallError.
        """
        kind = _API.get(request.path)
        if kind is None or request.method != "POST":
            return None
        options = self._options
        call = parse_call(kind, request.body, options.config, options.model_name)
        number = next(self._numbers)
        # As vLLM 0.32.0 does: the client may name its request.
        name = request.headers.get("x-request-id") or f"{number:016x}"
        events = self._face.events(call, name, int(utc_now().timestamp()))
        fault = options.faults.for_request(number)
        if fault is not None and fault.kind is RequestFaultKind.HTTP_ERROR:
            self._note_refused(events.response_id, number, call, fault)
            raise CallError(HTTPStatus(fault.status), fault.text, None, fault.text)
        sizes = options.stream_interval.sizes(options.seed, call.prompt_key)
        return CompletionStream(StreamOrder(events, number, sizes, fault), outlet)

    def start(
        self, stream: CompletionStream, received_ns: int, on_end: Callable[[], None]
    ) -> None:
        """Hand a stream's request to the engine and send the head. Raises CallError
        for a request that the engine could never hold; then nothing was sent."""
        call = stream.events.call
        length = self._options.output_length
        natural = (
            None if call.ignore_eos or length is None else length.of(call.prompt_key)
        )
        request = SimRequest(
            request_id=stream.engine_id,
            prompt_tokens=call.prompt_tokens,
            max_tokens=call.max_tokens,
            stop_after=natural,
            draw_key=call.prompt_key,
            prefix_blocks=call.prefix_blocks,
        )
        try:
            self._paced.submit(request, received_ns, stream.deliver)
        except ValueError as error:
            raise CallError(HTTPStatus.BAD_REQUEST, str(error), None) from error
        self._open[stream.engine_id] = stream
        stream.begin(received_ns, _Tenancy(self, stream.engine_id, on_end))

    def drop(self, stream: CompletionStream) -> None:
        """The client of a stream is gone."""
        self.abandon(stream.engine_id)
        stream.abort()

    def abandon(self, engine_id: str) -> None:
        """Nobody waits for a request any more."""
        self._paced.abort(engine_id)

    def note_end(self, engine_id: str, truth: RequestTruth) -> None:
        """A stream has ended, in whatever way."""
        self._open.pop(engine_id, None)
        self._face.on_request(truth)
        if self._truth is not None:
            self._truth.add_request(truth)
        self._ended += 1
        for reset in self._options.faults.counter_resets():
            if reset.after_requests == self._ended:
                self._reset_counters()

    def prepare_death(self) -> None:
        """The process is about to end: what is known goes on disk."""
        for stream in list(self._open.values()):
            stream.abort()
        if self._truth is not None:
            self._truth.flush()

    def _page(self, method: str, path: str) -> Page:
        if path in self._face.health_paths and method == "GET":
            ready = HTTPStatus.OK if self.is_ready else HTTPStatus.SERVICE_UNAVAILABLE
            return Page(ready, b"", "text/plain")
        if path == "/metrics" and method == "GET":
            return Page(HTTPStatus.OK, self._metrics().encode(), CONTENT_TYPE)
        page = self._face.page(method, path)
        if page is not None:
            return page
        if path in _API or path in self._face.health_paths or path == "/metrics":
            return _plain_refusal(HTTPStatus.METHOD_NOT_ALLOWED)
        return _plain_refusal(HTTPStatus.NOT_FOUND)

    def _metrics(self) -> str:
        engines = engine_views(self._paced.engine)
        if self._truth is not None:
            self._truth.add_metrics(monotonic_ns(), engines)
        return self._face.metrics(engines, self._created_unix)

    def _on_step(self, step: StepRecord, played_ns: int) -> None:
        self._face.on_step(step)
        if self._truth is not None:
            self._truth.add_step(step, played_ns)

    def _reset_counters(self) -> None:
        for engine in self._paced.engine.engines:
            reset_counters(engine.counters)
        self._created_unix = utc_now().timestamp()
        self._face.on_counter_reset()

    def _note_refused(
        self, response_id: str, number: int, call: CompletionCall, fault: RequestFault
    ) -> None:
        if self._truth is not None:
            self._truth.add_request(
                RequestTruth(
                    request_id=response_id,
                    number=number,
                    prompt_key=call.prompt_key,
                    prompt_tokens=call.prompt_tokens,
                    received_ns=monotonic_ns(),
                    fault=fault.kind,
                    finish_reason=FinishReason.ABORT,
                )
            )


class _Tenancy(StreamOwner):
    """One stream on a site."""

    def __init__(self, site: Site, engine_id: str, on_end: Callable[[], None]) -> None:
        self._site = site
        self._engine_id = engine_id
        self._on_end = on_end

    def on_end(self) -> None:
        self._on_end()

    def on_abandoned(self) -> None:
        self._site.abandon(self._engine_id)

    def on_truth(self, truth: RequestTruth) -> None:
        self._site.note_end(self._engine_id, truth)

    def on_death(self) -> None:
        self._site.prepare_death()


def _face(options: SimOptions, paced: PacedEngine, started_unix: int) -> Face:
    if options.dialect is Dialect.SGLANG:
        return SglangFace(options, started_unix, paced.engine)
    return VllmFace(options, started_unix)


def _plain_refusal(status: HTTPStatus) -> Page:
    return Page(status, orjson.dumps({"detail": status.phrase}))
