"""What truly became of the drafts, from the server's log; counts, so all is exact."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.truth.server_log import Call, Page, Step


@dataclass(frozen=True, slots=True)
class DraftTruth:
    """Counts, and the shares that follow from them."""

    drafts: int
    draft_tokens: int
    accepted: int
    by_position: tuple[float, ...]
    conditional: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Accepted share of the draft tokens."""
        return self.accepted / self.draft_tokens

    @property
    def length(self) -> float:
        """Tokens of a verification, its bonus token included."""
        return 1 + self.accepted / self.drafts


def of_steps(steps: Sequence[Step]) -> DraftTruth:
    """Over steps: what counters grow by."""
    drafting = [s for s in steps if s.drafts]
    columns = zip(*(s.accepted_by_position for s in drafting), strict=True)
    return _truth(
        sum(s.drafts for s in drafting),
        sum(s.draft_tokens for s in drafting),
        [sum(column) for column in columns],
    )


def of_calls(calls: Sequence[Call]) -> DraftTruth:
    """Over whole requests, from each one's histogram: at least i were accepted in all
    entries from i on."""
    histograms = [c.histogram for c in calls if c.histogram is not None]
    assert len(histograms) == len(calls)
    totals = [sum(column) for column in zip(*histograms, strict=True)]
    return _truth(
        sum(totals),
        sum(c.draft_tokens or 0 for c in calls),
        [sum(totals[i:]) for i in range(1, len(totals))],
    )


def _truth(drafts: int, draft_tokens: int, counts: list[int]) -> DraftTruth:
    given = [drafts, *counts[:-1]]
    return DraftTruth(
        drafts=drafts,
        draft_tokens=draft_tokens,
        accepted=sum(counts),
        by_position=tuple(count / drafts for count in counts),
        conditional=tuple(c / base for c, base in zip(counts, given, strict=True)),
    )


def counted_on(page: Page) -> tuple[int, int, int]:
    """Drafts, draft tokens and accepted tokens as the server rendered them."""
    shown = page.counters
    return shown["drafts"], shown["draft_tokens"], shown["accepted_tokens"]


def counted_in(text: str) -> tuple[int, int, int]:
    """The same as they stand in a page's text."""
    names = ("drafts", "draft_tokens", "accepted_tokens")
    drafts, tokens, accepted = (
        sum(
            int(float(value))
            for value in re.findall(
                rf"^vllm:spec_decode_num_{name}_total{{[^}}]*}} (\S+)$", text, re.M
            )
        )
        for name in names
    )
    return drafts, tokens, accepted
