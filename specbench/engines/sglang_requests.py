"""What SGLang says of one request's drafts: `sglext.spec_tokens_details` on an event of
its own before the usage, for requests that ask with `return_spec_tokens_details`
(0.5.23), or the same keys in the `meta_info` of older releases. Their names changed
twice (up to 0.5.10.post1, in 0.5.11, from 0.5.12 on); any of them is read.

Two of the engine's own figures are left alone. `spec_accept_length` divides all output
tokens by the verify passes, although prefill gives the first and a stop cuts the last:
with no draft accepted, 24 tokens of 23 passes are 1.043. `spec_accept_rate` divides by
the passes times the width that the server started with, which is what is proposed only
where that width is fixed."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.draft_histogram import counts_drafts, positions_of
from specbench.schema.drafting import RequestDrafts
from specbench.wire.counts import read_count

VERIFIES = "spec_verify_ct"
ACCEPTED = (
    "spec_num_correct_drafts",
    "spec_accepted_drafts",
    "spec_accept_token_num",
)
PROPOSED = (
    "spec_num_proposed_drafts",
    "spec_proposed_drafts",
    "spec_draft_token_num",
)
HISTOGRAM = ("spec_correct_drafts_histogram", "spec_accept_histogram")
"""Newest first."""


def read_request(figures: Mapping[str, Any]) -> RequestDrafts | None:
    """Every verify pass is a draft, and a step of the request. None where verify
    passes or accepted tokens are not said, or contradict each other. Without its own
    counts beside it a histogram shows that there were passes: the counts are left out
    while an adaptive drafter pauses (srt/managers/tokenizer_manager.py, 0.5.23)."""
    verifies = read_count(figures.get(VERIFIES))
    accepted = read_count(_first(figures, ACCEPTED))
    if verifies is None or accepted is None or (accepted and not verifies):
        return None
    histogram = _first(figures, HISTOGRAM)
    if not verifies and counts_drafts(histogram):
        return None
    proposed = read_count(_first(figures, PROPOSED))
    if proposed is not None and proposed < accepted:
        proposed = None
    positions = positions_of(histogram, verifies, accepted)
    if positions == () and proposed:
        # the list ends at the longest acceptance, and the first token was proposed
        positions = (0,)
    return RequestDrafts(
        steps=verifies,
        drafts=verifies,
        draft_tokens=proposed,
        accepted_tokens=accepted,
        accepted_by_position=positions,
        longest_draft=_width(proposed, verifies),
    )


def _first(figures: Mapping[str, Any], names: tuple[str, ...]) -> object:
    """The value under the first of these names that is there."""
    return next((figures[name] for name in names if name in figures), None)


def _width(proposed: int | None, verifies: int) -> int | None:
    """Draft tokens of each pass; None where there is no one number."""
    if not proposed or not verifies or proposed % verifies:
        return None
    return proposed // verifies
