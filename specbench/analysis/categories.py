"""Acceptance by category of the data set: what a drafter earns on each kind of text."""

from collections.abc import Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.request_drafts import (
    DraftsByRequest,
    drafts_of,
    join_drafts,
    request_lengths,
)
from specbench.analysis.steps import count_steps
from specbench.schema.acceptance import CategoryAcceptance
from specbench.schema.sample import RequestSample


def acceptance_by_category(
    samples: Sequence[RequestSample], drafts: DraftsByRequest, source: str
) -> tuple[CategoryAcceptance, ...] | Missing:
    """By name. All or none: categories are there to be set beside each other. One
    whose requests all ended with their first token had nothing to draft for."""
    whole = drafts_of(samples, drafts)
    if isinstance(whole, Missing):
        return whole
    groups: dict[str, list[RequestSample]] = {}
    for sample in samples:
        groups.setdefault(sample.category, []).append(sample)
    found = []
    for category in sorted(groups):
        one = _category(category, groups[category], drafts, source)
        if isinstance(one, Missing):
            return one
        if one.requests:
            found.append(one)
    return tuple(found)


def _category(
    name: str, samples: Sequence[RequestSample], drafts: DraftsByRequest, source: str
) -> CategoryAcceptance | Missing:
    known = drafts_of(samples, drafts)
    known = () if isinstance(known, Missing) else known
    acceptance = join_drafts(known, source)
    if isinstance(acceptance, Missing):
        return acceptance
    counted = count_steps(samples, drafts)
    steps = None if isinstance(counted, Missing) else counted
    return CategoryAcceptance(
        category=name,
        requests=len(known),
        acceptance=acceptance,
        lengths=request_lengths(known),
        decode_tokens=steps.decode_tokens if steps else None,
        steps=steps.steps if steps else None,
        tokens_per_step=steps.tokens_per_step if steps else None,
    )
