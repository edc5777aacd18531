"""Facts: what the running engine says of itself, on its pages and in its log."""

import dataclasses
from collections.abc import Iterator, Sequence

from specbench.engines.checking.captures import (
    IDLE,
    LOG,
    ArmCapture,
    CaptureSet,
    page_name,
)
from specbench.engines.checking.verdicts import CheckedItem, Verdict
from specbench.engines.contract import EngineAdapter, FactPages
from specbench.schema.record import EngineFacts

NEEDED = {
    "version": "results are kept by engine version",
    "model_id": "requests name the model as the engine serves it",
    "max_model_len": "prompts that are too long are left out before they fail",
    "max_num_seqs": "the admission cap is read back, and must be equal in all arms",
}
"""Facts without which a run is not whole, and what they are for."""

COSTS = {
    "kv_capacity_tokens": "a full KV cache is then seen from waiting requests only",
    "kv_max_concurrency": "worked out from the capacity where that is said",
    "max_num_batched_tokens": "long prompts in one step are then not foreseen",
    "prefix_caching": "a cache that is on is then seen from its hits only",
    "cuda_graph_max_tokens": "steps beyond the graphs are then not pointed out",
}
"""What is lost where the other facts are not said."""


def check_facts(
    adapter: EngineAdapter, captured: CaptureSet, arm: ArmCapture
) -> Iterator[CheckedItem]:
    """One line a fact. What the captures settle must be read as it is."""
    facts = adapter.read_facts(fact_pages(adapter, arm))
    expected = dict(arm.expected)
    if captured.version is not None:
        expected.setdefault("version", captured.version)
    if arm.served_model_name is not None:
        expected.setdefault("model_id", arm.served_model_name)
    for name, value in _read(facts).items():
        verdict, said = _judge(
            name, value, expected.pop(name, None), _absent(adapter, arm)
        )
        yield CheckedItem(arm.name, name, verdict, said, _places(adapter, arm))
    for name in expected:
        yield CheckedItem(
            arm.name,
            name,
            Verdict.WRONG,
            "`expected` names a fact that there is not; there are "
            + ", ".join(_read(facts)),
            "meta.toml",
        )
    said = "; ".join(facts.notes) if facts.notes else "nothing"
    yield CheckedItem(arm.name, "changed by itself", Verdict.OK, said, arm.place(LOG))


def fact_pages(adapter: EngineAdapter, arm: ArmCapture) -> FactPages:
    """The pages as a launch would fetch them."""
    info = arm.pages.get(page_name(adapter.info_path)) if adapter.info_path else None
    return FactPages(
        version=arm.pages.get(page_name(adapter.version_path)),
        models=arm.pages.get(page_name(adapter.models_path)),
        metrics=arm.pages.get(IDLE),
        log=arm.pages.get(LOG, ""),
        info=info,
    )


def _read(facts: EngineFacts) -> dict[str, object]:
    return {
        field.name: getattr(facts, field.name)
        for field in dataclasses.fields(facts)
        if field.name not in {"engine", "notes", "drafter"}
    }


def _judge(
    name: str, value: object, expected: object, absent: Sequence[str]
) -> tuple[Verdict, str]:
    """`absent`: pages that nobody recorded, on which the answer may have stood."""
    if value is None:
        if expected is None and name not in NEEDED:
            return Verdict.UNSAID, COSTS.get(name, "nothing")
        if absent:
            return Verdict.UNSAID, f"nothing; not recorded: {', '.join(absent)}"
        why = NEEDED[name] if expected is None else f"the captures say {expected}"
        return Verdict.MISSING, f"nothing; {why}"
    # True equals 1, and 1 is no answer to whether a cache is on
    is_same = value == expected and isinstance(value, bool) == isinstance(
        expected, bool
    )
    if expected is not None and not is_same:
        return Verdict.WRONG, f"{value}; the captures say {expected}"
    return Verdict.OK, str(value)


def _pages(adapter: EngineAdapter) -> tuple[str, ...]:
    """What a launch asks for: the version only where there is no page of settings."""
    settings = adapter.info_path or adapter.version_path
    return (page_name(settings), page_name(adapter.models_path), IDLE, LOG)


def _absent(adapter: EngineAdapter, arm: ArmCapture) -> list[str]:
    return [name for name in _pages(adapter) if name not in arm.pages]


def _places(adapter: EngineAdapter, arm: ArmCapture) -> str:
    there = [name for name in _pages(adapter) if name in arm.pages]
    return arm.place(", ".join(there))
