"""The looks of vLLM 0.32.0."""

from collections.abc import Sequence
from http import HTTPStatus

import orjson

from specbench import __version__
from specbench.sim.completions import CallError, CompletionCall
from specbench.sim.engine_view import EngineView
from specbench.sim.face import Page
from specbench.sim.metrics_page import render_metrics
from specbench.sim.options import SimOptions
from specbench.sim.request import StepRecord
from specbench.sim.truth_log import RequestTruth
from specbench.sim.vllm_events import VllmEvents, vllm_error


class VllmFace:
    """See `Face`."""

    health_paths = frozenset({"/health"})

    def __init__(self, options: SimOptions, started_unix: int) -> None:
        self._options = options
        self._started_unix = started_unix

    def events(self, call: CompletionCall, name: str, created: int) -> VllmEvents:
        """Ids as vLLM makes them: the API's prefix and the client's own name."""
        return VllmEvents(call, f"{call.kind.id_prefix}-{name}", created)

    def error_body(self, error: CallError) -> bytes:
        return vllm_error(error)

    def page(self, method: str, path: str) -> Page | None:
        pages = {"/version": {"version": __version__}, "/v1/models": self._models()}
        if path not in pages:
            return None
        if method != "GET":
            return Page(
                HTTPStatus.METHOD_NOT_ALLOWED, b'{"detail":"Method Not Allowed"}'
            )
        return Page(HTTPStatus.OK, orjson.dumps(pages[path]))

    def metrics(self, engines: Sequence[EngineView], created_unix: float) -> str:
        options = self._options
        return render_metrics(options.config, engines, options.model_name, created_unix)

    def on_step(self, step: StepRecord) -> None:
        """Nothing: the counters say it all."""

    def on_request(self, truth: RequestTruth) -> None:
        """Nothing."""

    def on_counter_reset(self) -> None:
        """Nothing."""

    def _models(self) -> dict[str, object]:
        name = self._options.model_name
        model = {
            "id": name,
            "object": "model",
            "created": self._started_unix,
            "owned_by": "specbench",
            "root": name,
            "max_model_len": self._options.config.max_model_len,
        }
        return {"object": "list", "data": [model]}
