"""Conditions that the baseline cannot serve."""

from specbench.runner.limits import find_impossible
from specbench.schema.record import EngineFacts
from specbench.schema.sweep import SweepSpec

SPEC = SweepSpec.model_validate(
    {
        "targets": [{"model": "m", "engine": "vllm"}],
        "arms": [{"name": "a", "speculative": {"method": "ngram"}}],
        "workload": {"datasets": ["d", "e"], "context": [0, 1000, 4000]},
        "load": {"concurrency": [1, 4, 16]},
    }
)


def facts(capacity: int | None, length: int | None = None) -> EngineFacts:
    return EngineFacts(
        engine="vllm",
        version=None,
        model_id="m",
        max_model_len=length,
        kv_capacity_tokens=capacity,
        kv_max_concurrency=None,
        max_num_seqs=None,
        max_num_batched_tokens=None,
        prefix_caching=False,
    )


def left_out(facts_: EngineFacts) -> list[tuple[str, int, int]]:
    found = find_impossible(SPEC, "m", facts_)
    return [
        (o.condition.dataset, o.condition.context, o.condition.concurrency)
        for o in found
    ]


def test_prompts_that_exceed_the_cache_together_are_left_out() -> None:
    assert left_out(facts(15_999)) == [
        ("d", 1000, 16),
        ("d", 4000, 4),
        ("d", 4000, 16),
        ("e", 1000, 16),
        ("e", 4000, 4),
        ("e", 4000, 16),
    ]
    assert left_out(facts(16_000)) == [("d", 4000, 16), ("e", 4000, 16)]


def test_the_context_limit_is_named_before_the_cache() -> None:
    found = list(find_impossible(SPEC, "m", facts(16_000, length=2000)))
    assert {o.condition.context for o in found} == {4000}
    assert all("that the engine serves" in o.why for o in found)


def test_an_engine_that_says_nothing_leaves_nothing_out() -> None:
    assert left_out(facts(None)) == []
