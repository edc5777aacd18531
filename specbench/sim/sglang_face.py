"""The looks of SGLang 0.5.23: its streams, metrics, and the pages that say how it was
started and what its ranks do."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

import orjson

from specbench.sim.completions import CallError, CompletionCall
from specbench.sim.engine_view import EngineView
from specbench.sim.face import Page, engine_views
from specbench.sim.options import SimOptions
from specbench.sim.pacing import Playable
from specbench.sim.request import StepRecord
from specbench.sim.sglang_events import SglangEvents, sglang_error
from specbench.sim.sglang_gauges import SglangGauges
from specbench.sim.sglang_info import (
    loads,
    model_info,
    models,
    server_info,
)
from specbench.sim.sglang_metrics_page import SglangView, render_sglang_metrics
from specbench.sim.truth_log import RequestTruth

_FLUSHED = b"""Cache flushed.
Please check backend logs for more details. (When there are running or waiting \
requests, the operation will not be performed.)
"""


class SglangFace:
    """See `Face`."""

    health_paths = frozenset({"/health", "/health_generate", "/ready"})

    def __init__(
        self, options: SimOptions, started_unix: int, engine: Playable
    ) -> None:
        self._options = options
        self._started_unix = started_unix
        self._engine = engine
        self._verify_calls = 0
        self._gauges = [
            SglangGauges(options.decode_log_interval) for _ in engine.engines
        ]
        self._pages: dict[str, Callable[[], dict[str, Any]]] = {
            "/v1/models": lambda: models(options, started_unix),
            "/model_info": lambda: model_info(options),
            "/get_model_info": lambda: model_info(options),
            "/server_info": self._server_info,
            "/get_server_info": self._server_info,
            "/v1/loads": lambda: loads(options, self._ranks()),
        }

    def events(self, call: CompletionCall, name: str, created: int) -> SglangEvents:
        """Ids have no prefix."""
        return SglangEvents(call, name, created)

    def error_body(self, error: CallError) -> bytes:
        return sglang_error(error)

    def page(self, method: str, path: str) -> Page | None:
        if path == "/flush_cache":
            return self._flush()
        if path not in self._pages:
            return None
        if method != "GET":
            return Page(
                HTTPStatus.METHOD_NOT_ALLOWED, b'{"detail":"Method Not Allowed"}'
            )
        return Page(HTTPStatus.OK, orjson.dumps(self._pages[path]()))

    def metrics(self, engines: Sequence[EngineView], _created_unix: float) -> str:
        ranks = tuple(zip(engines, self._gauges, strict=True))
        return render_sglang_metrics(
            SglangView(
                self._options.config,
                self._options.model_name,
                ranks,
                self._verify_calls,
            )
        )

    def on_step(self, step: StepRecord) -> None:
        engine = self._engine.engines[step.rank]
        is_idle = engine.running == 0 and engine.waiting == 0
        self._gauges[step.rank].observe(step, engine.kv_usage, is_idle=is_idle)

    def on_request(self, truth: RequestTruth) -> None:
        if truth.drafts is not None:
            self._verify_calls += sum(truth.drafts.acceptance_histogram)

    def on_counter_reset(self) -> None:
        self._verify_calls = 0

    def _server_info(self) -> dict[str, Any]:
        return server_info(self._options, self._ranks())

    def _ranks(self) -> list[tuple[EngineView, SglangGauges]]:
        return list(zip(engine_views(self._engine), self._gauges, strict=True))

    def _flush(self) -> Page:
        """Refused while requests are in the engine, as SGLang does. It clears what
        the averages count since; the simulated prefix cache keeps its blocks."""
        if any(engine.running or engine.waiting for engine in self._engine.engines):
            return Page(HTTPStatus.BAD_REQUEST, b"Flush cache failed.\n", "text/plain")
        for gauges in self._gauges:
            gauges.flush()
        return Page(HTTPStatus.OK, _FLUSHED, "text/plain")
