"""SGLang's metrics page to counters and gauges. Names are exact, those that SGLang
0.5.23 exposes (srt/observability/metrics_collector.py); a `_created` companion or a
model name that holds a metric's name can never be taken for a count.

Series of the schedulers carry ranks. Data-parallel ranks each have requests of their
own, so their values are summed. Tensor- and pipeline-parallel ranks do the same work
together: SGLang reports one of them, or, with `--enable-metrics-for-all-schedulers` and
with pipeline stages, all; then the first of each data-parallel rank counts. With
priority scheduling each queue is listed once more for each priority; the line whose
priority is empty holds all.

Tokens and verify passes of requests move when a request ends. Prompt tokens, cache hits
and tokens decoded move with each step. The gauges are those of the last update (see
`sglang`): a reading may be some steps old, never of another cell, since an idle engine
sets them back."""

import math
from collections.abc import Callable, Iterable, Mapping

from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.wire.prometheus import Series, parse_exposition

PREFIX = "sglang:"

_RANKS = ("pp_rank", "tp_rank", "moe_ep_rank")
"""Labels of ranks that share the work of one data-parallel rank."""
_PREFILLED = f"{PREFIX}prefill_effective_tokens_total"
"""By `mode`, all of which are there from the start."""
_REALTIME = f"{PREFIX}realtime_tokens_total"
_HITS = ("device_hit", "host_hit", "storage_hit")
_RETRACTIONS = f"{PREFIX}num_retracted_requests_total"
_RETRACTION_GAUGE = f"{PREFIX}num_retracted_reqs"


class _Page:
    """The series of one page, each piece of work once."""

    def __init__(self, text: str) -> None:
        self._series: dict[str, list[Series]] = {}
        for series in parse_exposition(text):
            if series.name.startswith(PREFIX) and not series.labels.get("priority"):
                self._series.setdefault(series.name, []).append(series)
        for name, listed in self._series.items():
            self._series[name] = list(_first_ranks(listed))

    def has(self, name: str) -> bool:
        """Whether there is any."""
        return name in self._series

    def join(
        self,
        name: str,
        combine: Callable[[Iterable[float]], float] = math.fsum,
        modes: tuple[str, ...] | None = None,
    ) -> float | None:
        """None for a series that is absent or holds no number."""
        values = [
            series.value
            for series in self._series.get(name, ())
            if modes is None or series.labels.get("mode") in modes
        ]
        if not values or not all(math.isfinite(value) for value in values):
            return None
        try:
            return combine(values)
        except OverflowError:
            return None


def read_metrics(text: str) -> tuple[EngineCounters, EngineGauges]:
    """Raises WireError for text that is no metrics page."""
    page = _Page(text)
    queries, hits = _prefix_tokens(page)
    counters = EngineCounters(
        drafts=None,
        draft_tokens=None,
        accepted_tokens=None,
        accepted_by_position=None,
        generation_tokens=page.join(f"{PREFIX}generation_tokens_total"),
        prompt_tokens=page.join(f"{PREFIX}prompt_tokens_total"),
        preemptions=_retractions(page),
        prefix_queries=queries,
        prefix_hits=hits,
        prefill_seconds=None,
        inference_seconds=None,
        verify_calls=page.join(f"{PREFIX}spec_verify_calls_total"),
        requests_ended=page.join(f"{PREFIX}num_requests_total"),
        decode_tokens=page.join(_REALTIME, modes=("decode",)),
    )
    gauges = EngineGauges(
        running=page.join(f"{PREFIX}num_running_reqs"),
        waiting=page.join(f"{PREFIX}num_queue_reqs"),
        kv_usage=page.join(f"{PREFIX}token_usage", max),
    )
    return counters, gauges


def _retractions(page: _Page) -> float | None:
    """The counter appears with the first retraction. A scheduler that has the gauge
    beside it (of the last interval only, so no count) counts them."""
    if not page.has(_RETRACTIONS) and page.has(_RETRACTION_GAUGE):
        return 0.0
    return page.join(_RETRACTIONS)


def _prefix_tokens(page: _Page) -> tuple[float | None, float | None]:
    """Prompt tokens taken in, and those of them that the cache held. Requests that
    were retracted and taken in again count once; not in older releases, which have one
    count for both, whose modes appear with their first token."""
    if page.has(_PREFILLED):
        return page.join(_PREFILLED), page.join(_PREFILLED, modes=_HITS)
    queries = page.join(_REALTIME, modes=("prefill_compute", "prefill_cache"))
    if queries is None:
        return None, None
    return queries, page.join(_REALTIME, modes=("prefill_cache",)) or 0.0


def _first_ranks(listed: list[Series]) -> Iterable[Series]:
    """Of one name: the lines of the first rank within each data-parallel rank, and
    lines without ranks."""
    first: dict[str, tuple[int, ...]] = {}
    for series in listed:
        ranks, group = _ranks(series.labels), series.labels.get("dp_rank", "0")
        first[group] = min(first.get(group, ranks), ranks)
    for series in listed:
        if _ranks(series.labels) == first[series.labels.get("dp_rank", "0")]:
            yield series


def _ranks(labels: Mapping[str, str]) -> tuple[int, ...]:
    texts = (labels.get(name, "0") for name in _RANKS)
    return tuple(int(text) if text.isdecimal() else 0 for text in texts)
