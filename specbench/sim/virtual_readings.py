"""What the engine's metrics page would say, without a page: readings as the vLLM
adapter makes them, summed over ranks. Series that vLLM has only with speculation are
None without it."""

from specbench.schema.snapshot import (
    EngineCounters,
    EngineGauges,
    EngineReading,
    Phase,
)
from specbench.sim.ranks import Ranks


def take_reading(engine: Ranks, phase: Phase, now_ns: int) -> EngineReading:
    """All counters and gauges at one instant."""
    gauges = EngineGauges(
        running=float(engine.running),
        waiting=float(engine.queued),
        kv_usage=engine.kv_usage,
    )
    return EngineReading(phase, now_ns, _counters(engine), gauges)


def _counters(engine: Ranks) -> EngineCounters:
    ranks = [rank.counters for rank in engine.engines]
    speculates = engine.config.speculation is not None
    by_position = zip(*(c.accepted_by_position for c in ranks), strict=True)
    return EngineCounters(
        drafts=float(sum(c.drafts for c in ranks)) if speculates else None,
        draft_tokens=float(sum(c.draft_tokens for c in ranks)) if speculates else None,
        accepted_tokens=(
            float(sum(c.accepted_tokens for c in ranks)) if speculates else None
        ),
        accepted_by_position=(
            tuple(float(sum(counts)) for counts in by_position) if speculates else None
        ),
        generation_tokens=float(sum(c.generation_tokens for c in ranks)),
        prompt_tokens=float(sum(c.prompt_tokens for c in ranks)),
        preemptions=float(sum(c.preemptions for c in ranks)),
        prefix_queries=float(sum(c.prefix_queries for c in ranks)),
        prefix_hits=float(sum(c.prefix_hits for c in ranks)),
        prefill_seconds=sum(c.prefill.total for c in ranks),
        inference_seconds=sum(c.inference.total for c in ranks),
    )
