"""What a page or a log line shows of one rank at one instant."""

from dataclasses import dataclass

from specbench.sim.counters import SimCounters


@dataclass(frozen=True, slots=True)
class EngineView:
    """Gauges, and the counters themselves (not a copy)."""

    rank: int
    running: int
    waiting: int
    kv_usage: float
    """Share of the KV cache that is in use, 0..1."""
    counters: SimCounters
