"""The simulator's /metrics in vLLM's dialect: names, labels and the `_created`
companions as vLLM 0.32.0 exposes them. Series that vLLM has only with speculation are
absent without it, not zero. A histogram shows its `+Inf` bucket only. Pure text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from specbench.sim.config import SimConfig
from specbench.sim.counters import SimCounters, Summary
from specbench.sim.request import FinishReason

_BLOCK_SIZE = 16
"""Tokens in a KV block, as the page states it; the model has no blocks."""


@dataclass(frozen=True, slots=True)
class EngineView:
    """What the page shows besides the counters."""

    running: int
    waiting: int
    kv_tokens: int
    """Tokens that the running sequences hold."""
    model_name: str
    created_unix: float
    """When the counters began, Unix seconds."""


def render_metrics(config: SimConfig, counters: SimCounters, view: EngineView) -> str:
    """The whole page."""
    page = _Page({"engine": "0", "model_name": view.model_name}, view.created_unix)
    if config.speculation is not None:
        _add_speculation(page, counters)
    _add_gauges(page, config, view)
    _add_counters(page, counters)
    _add_histograms(page, counters)
    _add_cache_config(page, config)
    return "\n".join(page.lines) + "\n"


def kv_capacity_tokens(config: SimConfig) -> int:
    """The KV cache never runs out: it holds the longest request of every slot."""
    return config.max_num_seqs * config.max_model_len


def _add_speculation(page: "_Page", counters: SimCounters) -> None:
    page.counter("spec_decode_num_drafts", counters.drafts)
    page.counter("spec_decode_num_draft_tokens", counters.draft_tokens)
    page.counter("spec_decode_num_accepted_tokens", counters.accepted_tokens)
    page.counter_by(
        "spec_decode_num_accepted_tokens_per_pos",
        "position",
        {str(i): count for i, count in enumerate(counters.accepted_by_position)},
    )


def _add_gauges(page: "_Page", config: SimConfig, view: EngineView) -> None:
    page.gauge("num_requests_running", view.running)
    page.gauge("num_requests_waiting", view.waiting)
    page.gauge("kv_cache_usage_perc", view.kv_tokens / kv_capacity_tokens(config))


def _add_counters(page: "_Page", counters: SimCounters) -> None:
    # There is no prefix cache: as in vLLM with it switched off, nothing is asked.
    page.counter("prefix_cache_queries", 0)
    page.counter("prefix_cache_hits", 0)
    page.counter("num_preemptions", counters.preemptions)
    page.counter("prompt_tokens", counters.prompt_tokens)
    page.counter("generation_tokens", counters.generation_tokens)
    page.counter_by(
        "request_success",
        "finished_reason",
        {reason.value: counters.finished[reason] for reason in FinishReason},
    )


def _add_histograms(page: "_Page", counters: SimCounters) -> None:
    summaries = {
        "request_prompt_tokens": counters.request_prompt_tokens,
        "request_generation_tokens": counters.request_generation_tokens,
        "iteration_tokens_total": counters.iteration_tokens,
        "time_to_first_token_seconds": counters.time_to_first_token,
        "inter_token_latency_seconds": counters.inter_token,
        "request_time_per_output_token_seconds": counters.time_per_output_token,
        "e2e_request_latency_seconds": counters.e2e,
        "request_queue_time_seconds": counters.queue,
        "request_inference_time_seconds": counters.inference,
        "request_prefill_time_seconds": counters.prefill,
        "request_decode_time_seconds": counters.decode,
    }
    for name, summary in summaries.items():
        page.histogram(name, summary)


def _add_cache_config(page: "_Page", config: SimConfig) -> None:
    capacity = kv_capacity_tokens(config)
    labels = {
        "block_size": str(_BLOCK_SIZE),
        "enable_prefix_caching": "False",
        "engine": "0",
        "kv_cache_max_concurrency": str(capacity / config.max_model_len),
        "kv_cache_size_tokens": str(capacity),
        "num_gpu_blocks": str(-(-capacity // _BLOCK_SIZE)),
    }
    page.open("cache_config_info", "gauge")
    page.lines.append(f"vllm:cache_config_info{_labels(labels)} 1.0")


@dataclass(slots=True)
class _Page:
    """Lines of the exposition format, as they are added."""

    base_labels: dict[str, str]
    created_unix: float
    lines: list[str] = field(default_factory=list)

    def open(self, name: str, kind: str) -> None:
        self.lines.append(f"# HELP vllm:{name} Simulated.")
        self.lines.append(f"# TYPE vllm:{name} {kind}")

    def gauge(self, name: str, value: float) -> None:
        self.open(name, "gauge")
        self._sample(name, {}, value)

    def counter(self, name: str, value: float) -> None:
        self.open(f"{name}_total", "counter")
        self._sample(f"{name}_total", {}, value)
        self.open(f"{name}_created", "gauge")
        self._sample(f"{name}_created", {}, self.created_unix)

    def counter_by(self, name: str, label: str, values: Mapping[str, float]) -> None:
        self.open(f"{name}_total", "counter")
        for key, value in values.items():
            self._sample(f"{name}_total", {label: key}, value)
        self.open(f"{name}_created", "gauge")
        for key in values:
            self._sample(f"{name}_created", {label: key}, self.created_unix)

    def histogram(self, name: str, summary: Summary) -> None:
        self.open(name, "histogram")
        self._sample(f"{name}_bucket", {"le": "+Inf"}, summary.count)
        self._sample(f"{name}_count", {}, summary.count)
        self._sample(f"{name}_sum", {}, summary.total)
        self.open(f"{name}_created", "gauge")
        self._sample(f"{name}_created", {}, self.created_unix)

    def _sample(self, name: str, labels: dict[str, str], value: float) -> None:
        text = _labels({**self.base_labels, **labels})
        self.lines.append(f"vllm:{name}{text} {float(value)!r}")


def _labels(labels: dict[str, str]) -> str:
    pairs = (f'{name}="{_escape(value)}"' for name, value in sorted(labels.items()))
    return "{" + ",".join(pairs) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
