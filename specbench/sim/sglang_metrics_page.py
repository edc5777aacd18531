"""The simulator's /metrics in SGLang's dialect: names and labels as SGLang 0.5.23
exposes them. Series of the scheduler come once for each rank (label `dp_rank` where
there are several), series of requests once; the latter move only when a request ends,
but for first tokens and (unlike SGLang's) cached tokens. There are no `_created`
companions. Pure text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.sim.config import SimConfig, kv_capacity_blocks
from specbench.sim.counters import SimCounters, Summary
from specbench.sim.engine_view import EngineView
from specbench.sim.exposition import Exposition
from specbench.sim.request import FinishReason
from specbench.sim.sglang_gauges import SglangGauges


@dataclass(frozen=True, slots=True)
class SglangView:
    """All that the page shows."""

    config: SimConfig
    model_name: str
    ranks: Sequence[tuple[EngineView, SglangGauges]]
    verify_calls: int
    """Verify passes of the requests that have ended."""


_STREAMING = {"is_streaming": "true"}
"""The simulator only streams."""


def render_sglang_metrics(view: SglangView) -> str:
    """The whole page."""
    page = _Page(Exposition("sglang:"), view)
    _add_constants(page)
    _add_gauges(page)
    _add_scheduler_counters(page)
    _add_request_counters(page)
    _add_histograms(page)
    return page.exposition.text()


def _add_constants(page: "_Page") -> None:
    config = page.view.config
    blocks = kv_capacity_blocks(config)
    page.gauge("max_total_num_tokens", lambda *_: blocks * config.block_size)
    page.gauge("page_size", lambda *_: config.block_size)
    page.gauge("num_pages", lambda *_: blocks)
    page.gauge("context_len", lambda *_: config.max_model_len)


def _add_gauges(page: "_Page") -> None:
    drafter = page.view.config.speculation
    k = drafter.num_speculative_tokens if drafter else 0
    capacity = kv_capacity_blocks(page.view.config) * page.view.config.block_size
    page.gauge("num_running_reqs", lambda _, gauges: gauges.running)
    page.gauge("num_queue_reqs", lambda _, gauges: gauges.queued)
    page.gauge("gen_throughput", lambda _, gauges: gauges.gen_throughput)
    page.gauge("token_usage", lambda _, gauges: gauges.kv_usage)
    page.gauge("num_used_tokens", lambda _, gauges: round(gauges.kv_usage * capacity))
    page.gauge("cache_hit_rate", lambda engine, _: _hit_rate(engine.counters))
    # Without speculation they are there as well, and zero.
    page.gauge("spec_accept_length", lambda _, gauges: gauges.accept_length)
    page.gauge("spec_accept_rate", lambda _, gauges: gauges.accept_rate)
    page.gauge("spec_num_steps", lambda *_: k)
    page.gauge("spec_num_draft_tokens", lambda *_: k + 1 if k else 0)


def _hit_rate(counters: SimCounters) -> float:
    asked = counters.prefix_queries
    return counters.prefix_hits / asked if asked else 0.0


def _computed(counters: SimCounters) -> float:
    # Hits are known when a request is admitted, its prompt when it is taken in.
    return max(0, counters.prompt_tokens - counters.prefix_hits)


def _decoded(counters: SimCounters) -> float:
    """Accepted drafts before a stop cuts the output, as SGLang counts them."""
    return counters.inter_token.count + counters.accepted_tokens


def _add_scheduler_counters(page: "_Page") -> None:
    page.rank_counter(
        "realtime_tokens_total",
        {
            "prefill_compute": lambda engine, _: _computed(engine.counters),
            "prefill_cache": lambda engine, _: engine.counters.prefix_hits,
            "decode": lambda engine, _: _decoded(engine.counters),
        },
    )
    page.rank_counter(
        "cuda_graph_passes_total",
        {
            "prefill_none": lambda _, gauges: gauges.prefill_passes,
            "decode_none": lambda _, gauges: gauges.decode_passes,
        },
    )


def _add_request_counters(page: "_Page") -> None:
    ended = FinishReason.STOP, FinishReason.LENGTH
    page.counter(
        "prompt_tokens_total",
        page.total(lambda counters: counters.request_prompt_tokens.total),
        _STREAMING,
    )
    page.counter(
        "generation_tokens_total",
        page.total(lambda counters: counters.request_generation_tokens.total),
        _STREAMING,
    )
    page.counter(
        "num_requests_total",
        page.total(lambda counters: sum(counters.finished[way] for way in ended)),
        _STREAMING,
    )
    hits = page.total(lambda counters: counters.prefix_hits)
    if hits:
        page.counter("cached_tokens_total", hits, {"cache_source": "device"})
    aborted = page.total(lambda counters: counters.finished[FinishReason.ABORT])
    if aborted:
        page.counter("num_aborted_requests_total", aborted, {})
    if page.view.config.speculation is not None:
        page.counter("spec_verify_calls_total", page.view.verify_calls, {})


def _add_histograms(page: "_Page") -> None:
    page.histogram(
        "time_to_first_token_seconds",
        lambda counters: counters.time_to_first_token,
        _STREAMING,
    )
    page.histogram(
        "e2e_request_latency_seconds", lambda counters: counters.e2e, _STREAMING
    )
    page.histogram(
        "request_time_per_output_token_seconds",
        lambda counters: counters.time_per_output_token,
        _STREAMING,
    )
    page.histogram(
        "prompt_tokens_histogram", lambda counters: counters.request_prompt_tokens, {}
    )
    page.histogram(
        "generation_tokens_histogram",
        lambda counters: counters.request_generation_tokens,
        {},
    )


_Read = Callable[[EngineView, SglangGauges], float]


@dataclass(frozen=True, slots=True)
class _Page:
    """Adds families."""

    exposition: Exposition
    view: SglangView

    def total(self, read: Callable[[SimCounters], float]) -> float:
        """Over all ranks."""
        return sum(read(engine.counters) for engine, _ in self.view.ranks)

    def gauge(self, name: str, read: _Read) -> None:
        self.exposition.family(name, "gauge")
        for engine, gauges in self.view.ranks:
            value = read(engine, gauges)
            self.exposition.sample(name, self._rank_labels(engine), value)

    def rank_counter(self, name: str, modes: dict[str, _Read]) -> None:
        self.exposition.family(name, "counter")
        for engine, gauges in self.view.ranks:
            for mode, read in modes.items():
                labels = {**self._rank_labels(engine), "mode": mode}
                self.exposition.sample(name, labels, read(engine, gauges))

    def counter(self, name: str, value: float, labels: dict[str, str]) -> None:
        self.exposition.family(name, "counter")
        self.exposition.sample(name, {**self._labels(), **labels}, value)

    def histogram(
        self, name: str, read: Callable[[SimCounters], Summary], more: dict[str, str]
    ) -> None:
        count = self.total(lambda counters: read(counters).count)
        total = self.total(lambda counters: read(counters).total)
        labels = {**self._labels(), **more}
        self.exposition.family(name, "histogram")
        self.exposition.sample(f"{name}_sum", labels, total)
        self.exposition.sample(f"{name}_bucket", {**labels, "le": "+Inf"}, count)
        self.exposition.sample(f"{name}_count", labels, count)

    def _labels(self) -> dict[str, str]:
        return {"engine_type": "unified", "model_name": self.view.model_name}

    def _rank_labels(self, engine: EngineView) -> dict[str, str]:
        labels = dict.fromkeys(("tp_rank", "pp_rank", "moe_ep_rank"), "0")
        if len(self.view.ranks) > 1:
            labels["dp_rank"] = str(engine.rank)
        return {**self._labels(), **labels}
