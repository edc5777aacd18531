"""Public metric names with unit and one-line meaning: the single source of column
names and of labels in tables and plots."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A name that appears in results."""

    name: str
    unit: str
    """As printed in headers; empty for a pure number."""
    meaning: str


_ROWS = (
    ("concurrency", "requests", "target number of requests in flight"),
    ("in_flight", "requests", "measured mean of requests in flight in the window"),
    ("running_batch", "sequences", "the engine's own mean count of running sequences"),
    ("waiting", "sequences", "the engine's mean count of queued sequences"),
    ("output_throughput", "tokens/s", "output tokens that arrived in the window"),
    (
        "output_throughput_whole_run",
        "tokens/s",
        "all output tokens over the whole duration, ramp and drain included",
    ),
    ("request_throughput", "requests/s", "requests finished in the window"),
    ("ttft", "s", "first generated text minus sent"),
    (
        "tpot",
        "s",
        "(last - first arrival) / (output tokens - tokens of the first text chunk)",
    ),
    ("tpot_usual", "s", "(last - first arrival) / (output tokens - 1)"),
    ("itl", "s", "chunk gap spread over the chunk's tokens, token-weighted"),
    ("chunk_gap", "s", "time between stream chunks; a chunk can hold several tokens"),
    ("e2e_latency", "s", "last generated text minus sent"),
    ("acceptance_rate", "", "accepted / draft tokens, 0..1"),
    (
        "acceptance_length",
        "tokens",
        "1 + accepted / drafts; steps without a draft are left out",
    ),
    (
        "tokens_per_step",
        "tokens",
        "decode tokens per target step of a request, undrafted steps included",
    ),
    ("kv_usage", "", "share of the KV cache in use, 0..1"),
    ("prefix_hit_rate", "", "prefix-cache hits / queries in the cell, 0..1"),
    ("looping_share", "", "share of outputs with a loop in them, 0..1"),
    (
        "client_lag_p99",
        "s",
        "99th percentile of the client's lag: its stamp of a probe less the sending",
    ),
    ("client_lag_watched", "", "share of the lag's probes that arrived, 0..1"),
    (
        "client_cpu_share",
        "",
        "CPU seconds per second of the cell, of the busiest client process",
    ),
    ("window_share", "", "window / whole duration of the cell, 0..1"),
    ("drift", "", "output throughput of the window's last third / of its first"),
    ("throughput_speedup", "", "output throughput of the arm / of the baseline"),
    ("tpot_speedup", "", "median TPOT of the baseline / of the arm"),
)

METRICS = {name: Metric(name, unit, meaning) for name, unit, meaning in _ROWS}
