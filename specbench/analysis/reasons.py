"""Why a figure of a cell is missing, in words. Every figure that is None has a reason,
and nothing else has one."""

from dataclasses import fields, replace

from specbench.schema.findings import CellStats

NO_SERIES = "the server's metrics page has no such series"
NO_USAGE = "the server reports no token counts (usage)"
NO_TEXT = "no request brought generated text"

FEW_READINGS = "the window held fewer than 3 readings of the metrics page"

GAUGE_FIELDS = ("running_batch", "waiting", "kv_usage")
WINDOW_FIELDS = (
    "window_s",
    "in_flight",
    "output_throughput",
    "request_throughput",
    "window_share",
    "drift",
    "window_completed",
    "window_error",
    "prefill_share",
    *GAUGE_FIELDS,
)
"""Figures that need a window."""

USUAL_REASONS = {
    "ttft": NO_TEXT,
    "e2e_latency": NO_TEXT,
    "looping_share": NO_TEXT,
    "tpot": "no request gave more tokens than its first chunk",
    "tpot_usual": "no request gave more than one token",
    "mean_tpot_by_token": "no request gave more tokens than its first chunk",
    "itl": "the server sends no running token counts, or no second token came",
    "chunk_gap": "no request brought a second chunk",
    "mean_output_tokens": NO_USAGE,
    "output_tokens": NO_USAGE,
    "prompt_length": NO_USAGE,
    "client_lag_p99": "the client's lag was not measured",
    "client_lag_watched": "it is not known how many lag probes were due",
    "client_cpu_share": "the client's CPU time was not measured",
    "window_share": "the length of the whole cell is unknown",
    "gpu": "no GPU was read in this cell",
}
"""Where nothing more particular is known."""

NO_FIGURES = ("open_load",)
"""Parts of the summary that other cells have, so that nothing is missing here."""


def explain_missing(stats: CellStats) -> CellStats:
    """The summary with a reason for every field that is None, and for no other one."""
    names = [f.name for f in fields(stats) if f.name not in NO_FIGURES]
    # reasons of parts of a field, such as `acceptance_rate`, stay as they are
    reasons = {name: why for name, why in stats.missing.items() if name not in names}
    for name in names:
        if getattr(stats, name) is None:
            usual = USUAL_REASONS.get(name, NO_SERIES)
            reasons[name] = stats.missing.get(name) or usual
    return replace(stats, missing=reasons)
