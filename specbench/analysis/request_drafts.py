"""Acceptance from what the engine says of single requests: sums over a chosen set of
them. It can be cut at a window where the engine's counters cannot, since they move when
a request ends.

    length = 1 + sum of accepted / sum of drafts

With SGLang (0.5.23) that is 1 + spec_num_correct_drafts / spec_verify_ct, what the
drafter earns; tokens accepted beyond a stop are in it, as in the counters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from specbench.analysis.acceptance import DraftCounts, describe_drafts
from specbench.analysis.missing import Missing
from specbench.schema.acceptance import Acceptance, RequestLengths
from specbench.schema.drafting import Drafter, RequestDrafts
from specbench.schema.sample import Outcome, RequestSample
from specbench.stats.quantiles import quantile

DraftsByRequest = Mapping[int, RequestDrafts]
"""By the request's index in its cell; the others' are not known."""

NOT_SAID = "the server gives no acceptance per request"
NO_DRAFT_COUNT = "the server does not say how many drafts a request had"


def read_drafts(
    samples: Sequence[RequestSample],
    read: Callable[[Mapping[str, Any]], RequestDrafts | None],
) -> dict[int, RequestDrafts]:
    """`read` is the engine adapter's `read_request`."""
    found = {
        sample.index: read(sample.speculation)
        for sample in samples
        if sample.speculation is not None
    }
    return {index: drafts for index, drafts in found.items() if drafts is not None}


def with_pauses(drafts: DraftsByRequest, drafter: Drafter | None) -> DraftsByRequest:
    """An adaptive drafter's steps without a draft are counted as drafts (SGLang 0.5.23,
    srt/speculative/eagle_worker_v2.py): how many drafts there were is not known."""
    if drafter is None or not drafter.is_adaptive:
        return drafts
    return {
        index: _only_steps(one) if one.steps else one for index, one in drafts.items()
    }


def acceptance_of_requests(
    samples: Sequence[RequestSample], drafts: DraftsByRequest, source: str
) -> Acceptance | Missing:
    """Over the requests that ended well; Missing where one of them decoded without
    saying what its drafts came to, since the others' would pass for all."""
    known = drafts_of(samples, drafts)
    return known if isinstance(known, Missing) else join_drafts(known, source)


def drafts_of(
    samples: Sequence[RequestSample], drafts: DraftsByRequest
) -> tuple[RequestDrafts, ...] | Missing:
    """Of the requests that ended well. One with a single token had nothing to draft
    for, and needs no figures."""
    ended = [s for s in samples if s.outcome is not Outcome.FAILED]
    known = tuple(drafts[s.index] for s in ended if s.index in drafts)
    silent = sum(s.index not in drafts and _decoded(s) for s in ended)
    if not known:
        return Missing(NOT_SAID)
    if silent:
        return Missing(
            f"{silent} of {len(ended)} requests ended without the server's figures"
        )
    return known


def join_drafts(known: Sequence[RequestDrafts], source: str) -> Acceptance | Missing:
    """The sums over these requests. A count that one of them lacks, all lack."""
    drafts = _total([one.drafts for one in known])
    if drafts is None:
        return Missing(NO_DRAFT_COUNT)
    counts = DraftCounts(
        drafts=drafts,
        draft_tokens=_total([one.draft_tokens for one in known]),
        accepted_tokens=float(sum(one.accepted_tokens for one in known)),
        by_position=_by_position([one.accepted_by_position for one in known]),
    )
    return describe_drafts(counts, source)


def request_lengths(known: Sequence[RequestDrafts]) -> RequestLengths | None:
    """How the requests' own acceptance lengths are spread; None where none had a
    draft."""
    lengths = sorted(
        1 + one.accepted_tokens / one.drafts for one in known if one.drafts
    )
    if not lengths:
        return None
    low, middle, high = (quantile(lengths, q) for q in (0.1, 0.5, 0.9))
    return RequestLengths(len(lengths), low, middle, high)


def _only_steps(one: RequestDrafts) -> RequestDrafts:
    return replace(
        one,
        drafts=None,
        draft_tokens=None,
        accepted_by_position=None,
        longest_draft=None,
    )


def _decoded(sample: RequestSample) -> bool:
    """Whether it may have had a second token."""
    if sample.output_tokens is None:
        return sample.outcome is Outcome.OK
    return sample.output_tokens > 1


def _total(counts: Sequence[int | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return float(sum(known)) if len(known) == len(counts) else None


def _by_position(
    counts: Sequence[tuple[int, ...] | None],
) -> tuple[float, ...] | None:
    """A request's positions end where none of its drafts got further."""
    known = [positions for positions in counts if positions is not None]
    if len(known) < len(counts):
        return None
    depth = max((len(positions) for positions in known), default=0)
    return tuple(
        float(sum(positions[place] for positions in known if place < len(positions)))
        for place in range(depth)
    )
