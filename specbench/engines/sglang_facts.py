"""What a running SGLang says of itself: its page of settings first, its other pages and
its start-up log for the rest. Written from SGLang 0.5.23; nothing here raises, a fact
that is not said is None. Where there are several data-parallel ranks, caps and the KV
cache are sums over them."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from specbench.engines.contract import FactPages
from specbench.engines.page_values import first_model, json_object, text, whole
from specbench.schema.drafting import Drafter
from specbench.schema.record import EngineFacts
from specbench.wire.errors import WireError
from specbench.wire.prometheus import parse_exposition

KV_TOKENS = "sglang:max_total_num_tokens"
CPU_GREEDY = (
    "on a CPU drafts are verified greedily, whatever the temperature of a request is"
)

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_LOG_LINE = re.compile(
    r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?P<ranks>(?: [A-Z_]+\d+)*)\] (?P<message>.*)$"
)
"""Ranks as in `[2026-11-30 05:17:10 DP1 TP0]`; none where there is one process."""

_SUMMARY = re.compile(
    r"\bmax_total_num_tokens=(?P<tokens>\d+), "
    r"chunked_prefill_size=(?P<chunk>-?\d+|None), .*"
    r"\bmax_running_requests=(?P<requests>\d+), context_len=(?P<context>\d+)"
)
"""One line of each rank, when its memory is laid out."""

_SELF_CHANGES = re.compile(
    r"\bis (re)?set to \d+ (by default )?for .*speculative"
    r"|\bis adjusted to\b"
    r"|\bspeculative_adaptive disabled\b"
    r"|\bAdaptiveSpeculativeParams initialized\b"
    r"|\boverlap schedule is (not implemented|disabled)\b"
    r"|\bnon-overlap \(synchronous\)"
    r"|\bmixed chunked prefill (is|are) disabled\b"
    r"|\boverriding\b"
    r"|\bdefaulting\b"
    r"|\bfall(ing|s)? back\b"
    r"|\bpromoting --speculative-algorithm\b"
    r"|\brejection sampling is enabled\b"
    r"|\benabling \S+ by default\b"
    r"|\b(has no effect|will be a no-op)\b",
    re.IGNORECASE,
)
"""Wordings by which 0.5.23 says that it runs otherwise than it was told, or what it
chose for a drafter (srt/arg_groups/speculative_hook.py, srt/speculative/)."""


def read_facts(engine: str, pages: FactPages) -> EngineFacts:
    """`engine` is the adapter's name."""
    info = json_object(pages.info) or json_object(pages.version)
    states = _states(info)
    messages = _messages(pages.log)
    model = first_model(pages.models)
    summary = _last_summaries(messages)
    return EngineFacts(
        engine=engine,
        version=text(info.get("version")),
        model_id=text(model.get("id")) or text(info.get("served_model_name")),
        max_model_len=whole(model.get("max_model_len"))
        or _sum_or_first(summary, "context", is_sum=False),
        kv_capacity_tokens=_kv_tokens(info, states)
        or _kv_tokens_of_metrics(pages.metrics)
        or _sum_or_first(summary, "tokens"),
        kv_max_concurrency=None,
        max_num_seqs=_cap(info, states) or _sum_or_first(summary, "requests"),
        max_num_batched_tokens=_prefill_chunk(info, summary),
        prefix_caching=_negated(info.get("disable_radix_cache")),
        notes=(*_self_changes(messages), *_greedy_note(info)),
        cuda_graph_max_tokens=_graph_tokens(info, states),
        drafter=_drafter(info),
    )


def _negated(value: object) -> bool | None:
    return (not value) if isinstance(value, bool) else None


def _states(info: dict[str, Any]) -> list[dict[str, Any]]:
    """One for each data-parallel rank."""
    states = info.get("internal_states")
    listed = states if isinstance(states, list) else []
    return [state for state in listed if isinstance(state, dict)]


def _sum_of(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _ranks(info: dict[str, Any]) -> int:
    return whole(info.get("dp_size")) or 1


def _kv_tokens(info: dict[str, Any], states: list[dict[str, Any]]) -> int | None:
    """The page's own figure is that of one rank."""
    usage = (state.get("memory_usage") for state in states)
    tokens = [
        whole(one.get("token_capacity")) if isinstance(one, dict) else None
        for one in usage
    ]
    total = _sum_of(tokens)
    if total is not None:
        return total
    own = whole(info.get("max_total_num_tokens"))
    return None if own is None else own * _ranks(info)


def _kv_tokens_of_metrics(page: str | None) -> int | None:
    """Ranks that share the work say the same."""
    try:
        found = [s for s in parse_exposition(page or "") if s.name == KV_TOKENS]
    except WireError:
        return None
    by_rank = {series.labels.get("dp_rank", "0"): series.value for series in found}
    total = math.fsum(by_rank.values())
    return int(total) if by_rank and math.isfinite(total) else None


def _cap(info: dict[str, Any], states: list[dict[str, Any]]) -> int | None:
    """What is in force, which may be less than what was asked for."""
    effective = [
        whole(state.get("effective_max_running_requests_per_dp")) for state in states
    ]
    total = _sum_of(effective)
    return whole(info.get("max_running_requests")) if total is None else total


def _prefill_chunk(
    info: dict[str, Any], summary: dict[str, re.Match[str]]
) -> int | None:
    """Prompt tokens of one step; None where prompts are not cut (-1)."""
    chunk = whole(info.get("chunked_prefill_size"))
    if chunk is None:
        said = next((match["chunk"] for match in summary.values()), "")
        chunk = int(said) if said.lstrip("-").isdecimal() else None
    return chunk if chunk is not None and chunk > 0 else None


def _graph_tokens(info: dict[str, Any], states: list[dict[str, Any]]) -> int | None:
    """The largest decode batch that was captured, times the tokens that a step
    verifies of each sequence. None where none was captured, or nobody says."""
    sizes = [
        size
        for state in states
        if isinstance(listed := state.get("decode_cuda_graph_bs"), list)
        for one in listed
        if (size := whole(one)) is not None
    ]
    if not sizes:
        return None
    width = 1
    if text(info.get("speculative_algorithm")):
        width = whole(info.get("speculative_num_draft_tokens")) or 1
    return max(sizes) * width


def _drafter(info: dict[str, Any]) -> Drafter | None:
    """What is in force: the page has what SGLang chose where nothing was given."""
    method = text(info.get("speculative_algorithm"))
    if method is None:
        return None
    adaptive = info.get("speculative_adaptive")
    return Drafter(
        method=method,
        is_overlapped=_negated(info.get("disable_overlap_schedule")),
        is_adaptive=adaptive if isinstance(adaptive, bool) else None,
        branches=whole(info.get("speculative_eagle_topk")),
    )


def _messages(log: str) -> list[tuple[str, str]]:
    """(ranks, message) of each log line."""
    lines = (_COLOURS.sub("", line) for line in log.splitlines())
    matches = (_LOG_LINE.match(line) for line in lines)
    return [(m["ranks"].strip(), m["message"]) for m in matches if m]


def _last_summaries(messages: list[tuple[str, str]]) -> dict[str, re.Match[str]]:
    """The last one of each data-parallel rank."""
    found: dict[str, re.Match[str]] = {}
    for ranks, message in messages:
        match = _SUMMARY.search(message)
        if match:
            group = next((r for r in ranks.split() if r.startswith("DP")), "")
            found[group] = match
    return found


def _sum_or_first(
    summary: dict[str, re.Match[str]], group: str, *, is_sum: bool = True
) -> int | None:
    values = [int(match[group]) for match in summary.values()]
    if not values:
        return None
    return sum(values) if is_sum else values[0]


def _self_changes(messages: list[tuple[str, str]]) -> tuple[str, ...]:
    """Each process says it again; once is enough."""
    said = (message for _, message in messages if _SELF_CHANGES.search(message))
    return tuple(dict.fromkeys(said))


def _greedy_note(info: dict[str, Any]) -> Iterator[str]:
    """Nobody logs it (srt/speculative/, 0.5.23)."""
    if info.get("device") == "cpu" and text(info.get("speculative_algorithm")):
        yield CPU_GREEDY
