"""vLLM's metrics page to counters and gauges. Names are exact, those that vLLM 0.32.0
exposes (v1/metrics/loggers.py and v1/spec_decode/metrics.py; counters gain `_total`):
a `_created` companion can never be taken for a count, nor a model name that holds a
metric's name. With data parallelism every series exists once an engine; counts are
summed over engines. A series that is not there is None, never zero: an arm without
speculation has no `spec_decode` series at all."""

import math
from collections.abc import Callable, Iterable

from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.wire.prometheus import Series, parse_exposition

PREFIX = "vllm:"

BY_POSITION = "vllm:spec_decode_num_accepted_tokens_per_pos_total"


def read_metrics(text: str) -> tuple[EngineCounters, EngineGauges]:
    """Raises WireError for text that is no metrics page."""
    values: dict[str, list[float]] = {}
    by_position: list[Series] = []
    for series in parse_exposition(text):
        values.setdefault(series.name, []).append(series.value)
        if series.name == BY_POSITION:
            by_position.append(series)

    def total(name: str) -> float | None:
        return _join(values.get(f"{PREFIX}{name}"), math.fsum)

    counters = EngineCounters(
        drafts=total("spec_decode_num_drafts_total"),
        draft_tokens=total("spec_decode_num_draft_tokens_total"),
        accepted_tokens=total("spec_decode_num_accepted_tokens_total"),
        accepted_by_position=_sum_by_position(by_position),
        generation_tokens=total("generation_tokens_total"),
        prompt_tokens=total("prompt_tokens_total"),
        preemptions=total("num_preemptions_total"),
        prefix_queries=total("prefix_cache_queries_total"),
        prefix_hits=total("prefix_cache_hits_total"),
        prefill_seconds=total("request_prefill_time_seconds_sum"),
        inference_seconds=total("request_inference_time_seconds_sum"),
    )
    gauges = EngineGauges(
        running=total("num_requests_running"),
        waiting=total("num_requests_waiting"),
        kv_usage=_join(values.get(f"{PREFIX}kv_cache_usage_perc"), max),
    )
    return counters, gauges


def _join(
    values: list[float] | None, join: Callable[[Iterable[float]], float]
) -> float | None:
    """None for a series that is absent or holds no number."""
    if not values or not all(math.isfinite(value) for value in values):
        return None
    try:
        return join(values)
    except OverflowError:
        return None


def _sum_by_position(series: list[Series]) -> tuple[float, ...] | None:
    """Positions in numeric order. They count from 0 without a gap; where they do not,
    the places of the values would lie, so there are none."""
    sums: dict[int, list[float]] = {}
    for one in series:
        position = one.labels.get("position", "")
        if not position.isdecimal() or len(position) > 6:
            return None
        sums.setdefault(int(position), []).append(one.value)
    if not sums or sorted(sums) != list(range(len(sums))):
        return None
    joined = [_join(sums[position], math.fsum) for position in range(len(sums))]
    known = tuple(value for value in joined if value is not None)
    return known if len(known) == len(joined) else None
