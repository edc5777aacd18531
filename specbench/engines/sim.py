"""The simulated engine, `specbench sim serve`: programmed truth behind the same
endpoints. It speaks vLLM's dialect here, so what it says is read as vLLM's is."""

from collections.abc import Mapping
from typing import Any

import orjson

from specbench.engines.causes import find_cause
from specbench.engines.contract import FactPages, LaunchCommand, LaunchRequest
from specbench.engines.flags import flags, named_args, refuse_reserved
from specbench.engines.speculative import check_draft_length, check_method
from specbench.engines.vllm import STREAM_OPTIONS
from specbench.engines.vllm_facts import read_facts
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.engines.vllm_requests import read_request
from specbench.schema.drafting import RequestDrafts
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.schema.sweep import Scalar

_OWN = "specbench sets it"

RESERVED = {
    "host": _OWN,
    "port": "specbench sets it; target.port chooses it",
    "served-model-name": _OWN,
    "dialect": "a simulated engine is read in vLLM's dialect, which is its default",
    "max-num-seqs": "it is an admission cap: the plan takes it out of args and gives it"
    " to every arm",
    "speculative-config": "write it under [[arms]], `speculative = {...}`",
}
"""Flags of `specbench sim serve` that a sweep may not set, and what to do instead."""


class SimAdapter:
    """Adapter for the simulated engine."""

    name = "sim"
    package: str | None = None
    series_prefix = PREFIX
    health_path = "/health"
    version_path = "/version"
    info_path: str | None = None
    models_path = "/v1/models"
    metrics_path = "/metrics"
    chat_path = "/v1/chat/completions"
    flush_path: str | None = None
    counts_at_request_end = False
    methods: tuple[str, ...] = ("sim",)

    def command(self, request: LaunchRequest) -> LaunchCommand:
        """The truth to simulate comes in the target's args."""
        target = request.target
        refuse_reserved(target.args, RESERVED)
        argv = [
            target.executable or "specbench",
            *("sim", "serve"),
            *("--host", request.host),
            *("--port", str(request.port)),
            *("--served-model-name", request.model_name),
            *("--max-num-seqs", str(request.caps.max_num_seqs)),
            *flags(named_args(target.args)),
        ]
        if request.speculative is not None:
            argv += ["--speculative-config", orjson.dumps(request.speculative).decode()]
        return LaunchCommand(tuple(argv), dict(target.env))

    def check_speculative(self, speculative: dict[str, Any]) -> None:
        """The server checks its other keys."""
        check_method(speculative, self.methods, "the simulated engine")
        check_draft_length(speculative)

    def learns_from_traffic(self, _speculative: Mapping[str, Any], /) -> bool:
        """Its acceptance is programmed."""
        return False

    def lossy_settings(
        self, _speculative: Mapping[str, Any], _settings: Mapping[str, Scalar], /
    ) -> tuple[str, ...]:
        """None: its tokens are programmed, with or without drafts."""
        return ()

    def request_extras(self) -> dict[str, Any]:
        """As vLLM."""
        return {"stream_options": dict(STREAM_OPTIONS)}

    def read_facts(self, pages: FactPages) -> EngineFacts:
        """As vLLM."""
        return read_facts(self.name, pages)

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        """As vLLM."""
        return read_metrics(text)

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        """As vLLM."""
        return read_request(figures)

    def find_cause(self, log: str) -> str:
        """By the general rules for Python programs."""
        return find_cause(log)
