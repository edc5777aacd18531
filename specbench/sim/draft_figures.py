"""A request's drafts in the figures that engines send with its last chunk."""

from typing import Any

from specbench.sim.request import DraftHistory


def vllm_figures(drafts: DraftHistory) -> dict[str, Any]:
    """`metrics.speculative_decoding` as vLLM 0.32.0 computes it
    (v1/metrics/stats.py, RequestSpecDecodeMetrics.to_dict)."""
    histogram = drafts.acceptance_histogram
    steps = sum(histogram)
    accepted = sum(j * count for j, count in enumerate(histogram))
    drafted = drafts.draft_tokens
    return {
        "mean_acceptance_length": 1.0 + accepted / steps if steps else 1.0,
        "draft_acceptance_rate": accepted / drafted if drafted else 0.0,
        "acceptance_histogram": list(histogram),
        "num_spec_steps": steps,
        "num_accepted_draft_tokens": accepted,
        "num_draft_tokens": drafted,
        "num_spec_tokens": len(histogram) - 1,
    }
