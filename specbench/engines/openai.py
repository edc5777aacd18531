"""Any server with OpenAI-style endpoints that already runs: measured, never launched.
Its metrics are read where they carry vLLM's names (the dialect that others speak too);
else the server does not say. `continuous_usage_stats` is asked for as well: vLLM and
SGLang answer with a running token count, servers that do not know the key ignore it."""

from collections.abc import Mapping
from typing import Any

from specbench.engines import sglang_requests, vllm_requests
from specbench.engines.causes import find_cause
from specbench.engines.contract import FactPages, LaunchCommand, LaunchRequest
from specbench.engines.lossy import vllm_lossy_settings
from specbench.engines.vllm import STREAM_OPTIONS
from specbench.engines.vllm_facts import read_facts
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.errors import InputError
from specbench.schema.drafting import RequestDrafts
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.schema.sweep import Scalar

_HINT = "measure a running server by its URL, or choose an engine that is launched"


class OpenAIAdapter:
    """Adapter for a running server of any make."""

    name = "openai"
    package: str | None = None
    series_prefix = PREFIX
    health_path = "/v1/models"
    version_path = "/version"
    info_path: str | None = None
    models_path = "/v1/models"
    metrics_path = "/metrics"
    chat_path = "/v1/chat/completions"
    flush_path: str | None = None
    counts_at_request_end = False
    methods: tuple[str, ...] = ()

    def command(self, request: LaunchRequest) -> LaunchCommand:
        """Always raises InputError: there is nothing to start."""
        raise InputError(
            f"target.engine: specbench does not launch {self.name!r}"
            f" (target {request.target.label})",
            hint=_HINT,
        )

    def check_speculative(self, speculative: dict[str, Any]) -> None:
        """Anything goes: it describes how the server was started, and sets nothing."""

    def learns_from_traffic(self, _speculative: Mapping[str, Any], /) -> bool:
        """Nobody knows how a running server drafts."""
        return False

    def lossy_settings(
        self, speculative: Mapping[str, Any], _settings: Mapping[str, Scalar], /
    ) -> tuple[str, ...]:
        """Described in vLLM's words, where at all."""
        return vllm_lossy_settings(speculative)

    def request_extras(self) -> dict[str, Any]:
        """Usage at the end, and in every chunk where the server can."""
        return {"stream_options": dict(STREAM_OPTIONS)}

    def read_facts(self, pages: FactPages) -> EngineFacts:
        """Mostly from /v1/models."""
        return read_facts(self.name, pages)

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        """All None where the page has none of vLLM's names."""
        return read_metrics(text)

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        """In vLLM's words or in SGLang's; their keys have nothing in common."""
        return vllm_requests.read_request(figures) or sglang_requests.read_request(
            figures
        )

    def find_cause(self, log: str) -> str:
        """By the general rules for Python programs."""
        return find_cause(log)
