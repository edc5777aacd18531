"""What a running vLLM says of itself: its pages first, its start-up log for the rest.
Written from vLLM 0.32.0; nothing here raises, a fact that is not said is None."""

import math
import re

from specbench.engines.contract import FactPages
from specbench.engines.page_values import first_model, json_object, text, whole
from specbench.schema.record import EngineFacts
from specbench.wire.errors import WireError
from specbench.wire.prometheus import Series, parse_exposition

CACHE_INFO = "vllm:cache_config_info"

_LOG_LINE = re.compile(
    r"^(?:\((?P<process>[^)]*)\) )?"
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d "
    r"\[[^\]]*\] (?P<message>.*)$"
)
"""vllm/logging_utils/formatter.py, 0.32.0; child processes put `(name pid=N)` first."""

_KV_SIZE = re.compile(
    r"\bKV cache size: (?P<tokens>[\d,]+) tokens, Maximum concurrency for"
    r" [\d,]+ tokens per request: (?P<times>[\d.]+)x"
)
"""v1/core/kv_cache_utils.py: `GPU KV cache size: ...`, or `CPU` in front."""

_BANNER_VERSION = re.compile(r"LLM engine \(v(?P<version>[^)\s]+)\) with config:")
_PREFIX_CACHING = re.compile(r"\benable_prefix_caching=(True|False)\b")
_GIVEN_SEQS = re.compile(r"'max_num_seqs': (\d+)")
_GIVEN_BATCHED = re.compile(r"'max_num_batched_tokens': (\d+)")
_CHUNKED_BATCHED = re.compile(
    r"Chunked prefill is enabled with max_num_batched_tokens=(\d+)"
)
"""config/scheduler.py; the value after all defaults."""

_GRAPH_SIZES = re.compile(r"'cudagraph_capture_sizes': \[(?P<sizes>[\d, ]*)\]")
"""In the line of the engine's whole configuration, after all defaults. A step runs as
a graph when its tokens fit into the largest size (config/vllm.py,
`_set_cudagraph_sizes`); empty on a CPU and with `enforce-eager`. With draft tokens the
V1 runner afterwards drops sizes that are no multiple of k + 1, which lowers the largest
by k at most and is not logged (config/compilation.py)."""

_SELF_CHANGES = re.compile(
    r"async(hronous)? scheduling .*disabled"
    r"|max_num_scheduled_tokens is set to"
    r"|\b(overriding|truncating|raising|defaulted|auto-fit) "
    r"|prefix caching( is not supported| to be disabled|: )"
    r"|setting (cudagraph_mode|speculative_draft_tensor_parallel_size)="
    r"|dynamic speculative decoding"
    r"|speculative decoding on cpu without"
    r"|is deprecated and replaced with",
    re.IGNORECASE,
)
"""Wordings by which 0.32.0 says that it runs otherwise than it was told (config/*.py,
v1/worker/cpu_worker.py, v1/core/kv_cache_utils.py)."""


def read_facts(engine: str, pages: FactPages) -> EngineFacts:
    """`engine` is the adapter's name: others speak this dialect too."""
    messages = _messages(pages.log)
    cache = _cache_series(pages.metrics)
    model = first_model(pages.models)
    tokens, times = _kv_sizes(cache, messages)
    return EngineFacts(
        engine=engine,
        version=_version(pages.version, messages),
        model_id=text(model.get("id")),
        max_model_len=whole(model.get("max_model_len")),
        kv_capacity_tokens=tokens,
        kv_max_concurrency=times,
        max_num_seqs=_last_number(messages, _GIVEN_SEQS),
        max_num_batched_tokens=_last_number(messages, _CHUNKED_BATCHED)
        or _last_number(messages, _GIVEN_BATCHED),
        prefix_caching=_prefix_caching(cache, messages),
        notes=_self_changes(messages),
        cuda_graph_max_tokens=_graph_tokens(messages),
    )


def _messages(log: str) -> list[tuple[str, str]]:
    """(process, message) of each log line."""
    matches = (_LOG_LINE.match(line) for line in log.splitlines())
    return [(m["process"] or "", m["message"]) for m in matches if m]


def _version(page: str | None, messages: list[tuple[str, str]]) -> str | None:
    said = text(json_object(page).get("version"))
    if said is not None:
        return said
    matches = (_BANNER_VERSION.search(message) for _, message in messages)
    return next((m["version"] for m in matches if m), None)


def _cache_series(page: str | None) -> list[Series]:
    """One for each engine."""
    try:
        return [s for s in parse_exposition(page or "") if s.name == CACHE_INFO]
    except WireError:
        return []


def _kv_sizes(
    cache: list[Series], messages: list[tuple[str, str]]
) -> tuple[int | None, float | None]:
    """Tokens, and requests of full length at once; summed over engines."""
    tokens = [_number(s.labels.get("kv_cache_size_tokens")) for s in cache]
    times = [_number(s.labels.get("kv_cache_max_concurrency")) for s in cache]
    if not cache or None in tokens or None in times:
        tokens, times = _kv_sizes_of_log(messages)
    total = _sum(tokens)
    return None if total is None else int(total), _sum(times)


def _kv_sizes_of_log(
    messages: list[tuple[str, str]],
) -> tuple[list[float | None], list[float | None]]:
    """The last line of each engine process."""
    found = ((process, _KV_SIZE.search(text)) for process, text in messages)
    last = {process: match for process, match in found if match}
    return (
        [_number(match["tokens"].replace(",", "")) for match in last.values()],
        [_number(match["times"]) for match in last.values()],
    )


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known and len(known) == len(values) else None


def _last_number(
    messages: list[tuple[str, str]], pattern: re.Pattern[str]
) -> int | None:
    matches = (pattern.search(message) for _, message in messages)
    found = [int(m[1]) for m in matches if m]
    return found[-1] if found else None


def _graph_tokens(messages: list[tuple[str, str]]) -> int | None:
    """Largest captured size. None where no engine says it or none captures any."""
    matches = (_GRAPH_SIZES.search(message) for _, message in messages)
    listed = [m["sizes"].replace(" ", "").split(",") for m in matches if m]
    sizes = [int(size) for own in listed for size in own if size]
    return max(sizes, default=None)


def _prefix_caching(
    cache: list[Series], messages: list[tuple[str, str]]
) -> bool | None:
    words = [s.labels.get("enable_prefix_caching") for s in cache]
    if not words:
        matches = (_PREFIX_CACHING.search(message) for _, message in messages)
        words = [m[1] for m in matches if m]
    return {"True": True, "False": False}.get(words[-1] or "") if words else None


def _self_changes(messages: list[tuple[str, str]]) -> tuple[str, ...]:
    """Each process says it again; once is enough."""
    said = (message for _, message in messages if _SELF_CHANGES.search(message))
    return tuple(dict.fromkeys(said))
