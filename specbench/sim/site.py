"""What the simulated server answers, without a socket: the pages that engines have, and
completion calls turned into streams that the paced engine feeds."""

import asyncio
import itertools
from http import HTTPStatus

import orjson

from specbench import __version__
from specbench.clock import utc_now
from specbench.sim.completion_stream import CompletionStream
from specbench.sim.completions import ApiKind, StreamEvents, parse_call
from specbench.sim.http1 import HttpRequest, response
from specbench.sim.metrics_page import EngineView, render_metrics
from specbench.sim.options import SimOptions
from specbench.sim.pacing import PacedEngine
from specbench.sim.request import SimRequest
from specbench.sim.truth_log import TruthLog

_API = {
    "/v1/chat/completions": ApiKind.CHAT,
    "/v1/completions": ApiKind.TEXT,
}
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Site:
    """All answers of one server."""

    def __init__(
        self, options: SimOptions, paced: PacedEngine, truth: TruthLog | None
    ) -> None:
        self._options = options
        self._paced = paced
        self._truth = truth
        self._created_unix = utc_now().timestamp()
        self._numbers = itertools.count(1)

    def answer(self, request: HttpRequest) -> bytes:
        """Answer to anything but a completion call."""
        content = self._page(request.path)
        if content is None and request.path not in _API:
            return _refusal(HTTPStatus.NOT_FOUND)
        if content is None or request.method != "GET":
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED)
        return response(HTTPStatus.OK, *content)

    def open_stream(
        self, request: HttpRequest, transport: asyncio.WriteTransport
    ) -> CompletionStream | None:
        """The stream that a completion call asks for; None = it is no such call.

        Nothing is sent yet. Raises CallError.
        """
        kind = _API.get(request.path)
        if kind is None or request.method != "POST":
            return None
        options = self._options
        call = parse_call(kind, request.body, options.config, options.model_name)
        # As vLLM 0.32.0 does: the client may name its request.
        name = request.headers.get("x-request-id") or f"{next(self._numbers):016x}"
        events = StreamEvents(
            call=call,
            response_id=f"{kind.id_prefix}-{name}",
            created=int(utc_now().timestamp()),
        )
        return CompletionStream(events, transport, self._truth)

    def submit(self, stream: CompletionStream, received_ns: int) -> None:
        """Hand a stream's request to the engine."""
        call = stream.events.call
        request = SimRequest(
            request_id=stream.engine_id,
            prompt_tokens=call.prompt_tokens,
            max_tokens=call.max_tokens,
            stop_after=None if call.ignore_eos else self._options.output_tokens,
            draw_key=call.prompt_key,
        )
        self._paced.submit(request, received_ns, stream.deliver)

    def drop(self, stream: CompletionStream) -> None:
        """The client of a stream is gone."""
        self._paced.abort(stream.engine_id)
        stream.abort()

    def _page(self, path: str) -> tuple[bytes, str] | None:
        """Body and content type."""
        if path == "/health":
            return b"", "text/plain"
        if path == "/version":
            return orjson.dumps({"version": __version__}), "application/json"
        if path == "/v1/models":
            return orjson.dumps(self._models()), "application/json"
        if path == "/metrics":
            return self._metrics().encode(), _METRICS_TYPE
        return None

    def _models(self) -> dict[str, object]:
        model = {
            "id": self._options.model_name,
            "object": "model",
            "created": int(self._created_unix),
            "owned_by": "specbench",
            "root": self._options.model_name,
            "max_model_len": self._options.config.max_model_len,
        }
        return {"object": "list", "data": [model]}

    def _metrics(self) -> str:
        engine = self._paced.engine
        view = EngineView(
            running=engine.running,
            waiting=engine.waiting,
            kv_tokens=engine.kv_tokens,
            model_name=self._options.model_name,
            created_unix=self._created_unix,
        )
        return render_metrics(engine.config, engine.counters, view)


def _refusal(status: HTTPStatus) -> bytes:
    return response(status, orjson.dumps({"detail": status.phrase}))
