"""The memory of a sweep before it runs, in words: what the models take, what the
largest cell needs, what the machine has. Text in pairs of a name and a line."""

from collections.abc import Iterator

from specbench.planning.memory import CellNeed, MemoryPlan, ModelSize
from specbench.report import words
from specbench.schema.sweep import SweepSpec


def memory_rows(plan: MemoryPlan, spec: SweepSpec) -> tuple[tuple[str, str], ...]:
    """Of one target."""
    return tuple(_rows(plan, spec))


def _rows(plan: MemoryPlan, spec: SweepSpec) -> Iterator[tuple[str, str]]:
    yield "weights", _weights(plan.model)
    for arm, drafter in plan.drafters.items():
        yield f"drafter of {arm}", f"{_weights(drafter)}: {drafter.name}"
    per_token = plan.model.kv.bytes_per_token
    if per_token is None:
        yield "KV cache", f"not known: {plan.model.kv.how}"
    else:
        yield "KV cache", f"{words.memory(per_token)} a token ({plan.model.kv.how})"
    yield "largest cell", _largest(plan.largest, spec.workload.max_tokens)
    yield "this machine", _room(plan)
    if plan.capacity_tokens is not None:
        yield "room for", f"at most {plan.capacity_tokens:,} tokens in the KV cache"
    for line in _misfits(plan):
        yield "cannot fit", line


def _weights(model: ModelSize) -> str:
    if model.weights_bytes is None:
        return "not known: no weights on this machine"
    return f"{words.memory(model.weights_bytes)} on disk"


def _largest(need: CellNeed, max_tokens: int) -> str:
    """`concurrency 16, context 1024: 16 x (1024 + 256) = 20,480 tokens`."""
    c = need.condition
    load = f"concurrency {c.concurrency}"
    if c.is_open:
        load = (
            f"{words.asked(c.request_rate)} requests/s, up to {need.sequences} at once"
        )
    prompt = f"{c.context} + " if c.context else ""
    each = f"({prompt}{max_tokens})" if prompt else f"{max_tokens}"
    said = f"{load}, {words.context(c.context)}: {need.sequences} x {each}"
    said += f" = {need.tokens:,} tokens"
    if need.bytes is not None:
        said += f", {words.memory(need.bytes)} of KV cache"
    return f"{said}; the prompts come on top" if need.is_at_least else said


def _room(plan: MemoryPlan) -> str:
    room = plan.room
    if room.total_bytes is None:
        return f"not known: {room.words}"
    of_what = " for the KV cache" if room.is_for_cache else ""
    share = ""
    if plan.gpu_share is not None and not room.is_for_cache:
        share = f", of which the engine is told to use {words.percent(plan.gpu_share)}"
    return f"{words.memory(room.total_bytes)}{of_what} ({room.words}){share}"


def _misfits(plan: MemoryPlan) -> Iterator[str]:
    """Loads of the same context and reason together."""
    groups: dict[tuple[int, str], dict[str, None]] = {}
    for out in plan.misfits:
        loads = groups.setdefault((out.condition.context, out.why), {})
        loads[words.asked(out.condition.asked)] = None
    for (context, why), loads in groups.items():
        yield f"context {context} at load {words.listed(list(loads))}: {why}"
