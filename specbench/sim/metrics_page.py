"""The simulator's /metrics in vLLM's dialect: names, labels and the `_created`
companions as vLLM 0.32.0 exposes them, each series once for each rank. Series that vLLM
has only with speculation are absent without it, not zero. A histogram shows its `+Inf`
bucket only. Pure text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from specbench.sim.config import SimConfig, kv_capacity_blocks
from specbench.sim.counters import SimCounters, Summary
from specbench.sim.engine_view import EngineView
from specbench.sim.exposition import Exposition
from specbench.sim.request import FinishReason

_COUNTERS: dict[str, Callable[[SimCounters], float]] = {
    "prefix_cache_queries": lambda counters: counters.prefix_queries,
    "prefix_cache_hits": lambda counters: counters.prefix_hits,
    "num_preemptions": lambda counters: counters.preemptions,
    "prompt_tokens": lambda counters: counters.prompt_tokens,
    "generation_tokens": lambda counters: counters.generation_tokens,
}
_SPECULATION_COUNTERS: dict[str, Callable[[SimCounters], float]] = {
    "spec_decode_num_drafts": lambda counters: counters.drafts,
    "spec_decode_num_draft_tokens": lambda counters: counters.draft_tokens,
    "spec_decode_num_accepted_tokens": lambda counters: counters.accepted_tokens,
}
_HISTOGRAMS: dict[str, Callable[[SimCounters], Summary]] = {
    "request_prompt_tokens": lambda counters: counters.request_prompt_tokens,
    "request_generation_tokens": lambda counters: counters.request_generation_tokens,
    "iteration_tokens_total": lambda counters: counters.iteration_tokens,
    "time_to_first_token_seconds": lambda counters: counters.time_to_first_token,
    "inter_token_latency_seconds": lambda counters: counters.inter_token,
    "request_time_per_output_token_seconds": (
        lambda counters: counters.time_per_output_token
    ),
    "e2e_request_latency_seconds": lambda counters: counters.e2e,
    "request_queue_time_seconds": lambda counters: counters.queue,
    "request_inference_time_seconds": lambda counters: counters.inference,
    "request_prefill_time_seconds": lambda counters: counters.prefill,
    "request_decode_time_seconds": lambda counters: counters.decode,
}


def render_metrics(
    config: SimConfig,
    engines: Sequence[EngineView],
    model_name: str,
    created_unix: float,
) -> str:
    """The whole page. `created_unix`: when the counters began, Unix seconds."""
    page = _Page(Exposition("vllm:"), engines, model_name, created_unix)
    if config.speculation is not None:
        for name, count in _SPECULATION_COUNTERS.items():
            page.counter(name, count)
        page.counter_by(
            "spec_decode_num_accepted_tokens_per_pos", "position", _by_position
        )
    page.gauge("num_requests_running", lambda engine: engine.running)
    page.gauge("num_requests_waiting", lambda engine: engine.waiting)
    page.gauge("kv_cache_usage_perc", lambda engine: engine.kv_usage)
    for name, count in _COUNTERS.items():
        page.counter(name, count)
    page.counter_by("request_success", "finished_reason", _by_reason)
    for name, summary in _HISTOGRAMS.items():
        page.histogram(name, summary)
    _add_cache_config(page, config)
    return page.exposition.text()


def _by_position(counters: SimCounters) -> dict[str, float]:
    return {str(i): count for i, count in enumerate(counters.accepted_by_position)}


def _by_reason(counters: SimCounters) -> dict[str, float]:
    return {reason.value: counters.finished[reason] for reason in FinishReason}


def _add_cache_config(page: "_Page", config: SimConfig) -> None:
    blocks = kv_capacity_blocks(config)
    capacity = blocks * config.block_size
    page.exposition.family("cache_config_info", "gauge")
    for engine in page.engines:
        labels = {
            "block_size": str(config.block_size),
            "enable_prefix_caching": str(config.prefix_caching),
            "engine": str(engine.rank),
            "kv_cache_max_concurrency": str(capacity / config.max_model_len),
            "kv_cache_size_tokens": str(capacity),
            "num_gpu_blocks": str(blocks),
        }
        page.exposition.sample("cache_config_info", labels, 1.0)


@dataclass(frozen=True, slots=True)
class _Page:
    """Adds families, each with the series of all ranks."""

    exposition: Exposition
    engines: Sequence[EngineView]
    model_name: str
    created_unix: float

    def labels(self, engine: EngineView, **more: str) -> dict[str, str]:
        return {"engine": str(engine.rank), "model_name": self.model_name, **more}

    def gauge(self, name: str, read: Callable[[EngineView], float]) -> None:
        self.exposition.family(name, "gauge")
        for engine in self.engines:
            self.exposition.sample(name, self.labels(engine), read(engine))

    def counter(self, name: str, read: Callable[[SimCounters], float]) -> None:
        self.exposition.family(f"{name}_total", "counter")
        for engine in self.engines:
            value = read(engine.counters)
            self.exposition.sample(f"{name}_total", self.labels(engine), value)
        self._created(name)

    def counter_by(
        self,
        name: str,
        label: str,
        read: Callable[[SimCounters], Mapping[str, float]],
    ) -> None:
        self.exposition.family(f"{name}_total", "counter")
        for engine in self.engines:
            for key, value in read(engine.counters).items():
                labels = self.labels(engine, **{label: key})
                self.exposition.sample(f"{name}_total", labels, value)
        self.exposition.family(f"{name}_created", "gauge")
        for engine in self.engines:
            for key in read(engine.counters):
                labels = self.labels(engine, **{label: key})
                self.exposition.sample(f"{name}_created", labels, self.created_unix)

    def histogram(self, name: str, read: Callable[[SimCounters], Summary]) -> None:
        self.exposition.family(name, "histogram")
        for engine in self.engines:
            summary = read(engine.counters)
            labels = self.labels(engine)
            bucket = {**labels, "le": "+Inf"}
            self.exposition.sample(f"{name}_bucket", bucket, summary.count)
            self.exposition.sample(f"{name}_count", labels, summary.count)
            self.exposition.sample(f"{name}_sum", labels, summary.total)
        self._created(name)

    def _created(self, name: str) -> None:
        self.exposition.family(f"{name}_created", "gauge")
        for engine in self.engines:
            labels = self.labels(engine)
            self.exposition.sample(f"{name}_created", labels, self.created_unix)
