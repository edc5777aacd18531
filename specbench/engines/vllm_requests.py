"""What vLLM says of one request's drafts: `metrics.speculative_decoding` on the last
event of a stream, with `--per-request-spec-decode-metrics` (0.32.0). Its `summary` and
its `detailed` form hold the same counts; the latter has the steps one by one as well,
which nothing here needs.

`num_spec_steps` counts the steps that verified a draft, not all steps of the request:
in the capture `dynamic/per-request-metrics.json` 32 tokens came of 13 such steps with
16 accepted tokens, 1 of prefill, and 2 steps without a draft that no figure counts."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.draft_histogram import positions_of
from specbench.schema.drafting import RequestDrafts
from specbench.wire.counts import read_count


def read_request(figures: Mapping[str, Any]) -> RequestDrafts | None:
    """None where they do not say how many tokens were accepted."""
    accepted = read_count(figures.get("num_accepted_draft_tokens"))
    if accepted is None:
        return None
    drafts = read_count(figures.get("num_spec_steps"))
    return RequestDrafts(
        steps=None,
        drafts=drafts,
        draft_tokens=read_count(figures.get("num_draft_tokens")),
        accepted_tokens=accepted,
        accepted_by_position=positions_of(
            figures.get("acceptance_histogram"), drafts, accepted
        ),
        longest_draft=read_count(figures.get("num_spec_tokens")),
    )
