"""Acceptance by category of the data set: what an arm's drafts come to on each kind of
text, over all launches and loads that count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.blocks import Block, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import full_title
from specbench.schema.acceptance import CategoryAcceptance
from specbench.schema.findings import RunFindings

HEAD = (
    "category",
    "requests",
    "drafts",
    "acceptance rate",
    "acceptance length",
    "tokens per step",
)
NOTE = (
    "Of the requests that the latencies are over, pooled over launches and loads; each"
    " load and launch by itself is in acceptance.csv."
)
ALL = "all"


@dataclass(frozen=True, slots=True)
class InCategory:
    """One arm's drafts for the requests of one category."""

    category: str
    parts: tuple[CategoryAcceptance, ...]
    """Of each cell."""

    def fields(self) -> tuple[str, ...]:
        """As they stand in a table, in the order of HEAD."""
        return (
            self.category or words.DASH,
            f"{self.requests:,}",
            f"{self.drafts:,.0f}",
            words.shown(self.rate, words.share),
            words.shown(self.length, words.share),
            words.shown(self.tokens_per_step, words.share),
        )

    @property
    def requests(self) -> int:
        """Behind the figures."""
        return sum(part.requests for part in self.parts)

    @property
    def drafts(self) -> float:
        """Over all parts, as the others: ratios are of sums."""
        return sum(part.acceptance.drafts for part in self.parts)

    @property
    def rate(self) -> float | None:
        """None where some part does not know its draft tokens."""
        proposed = _total(part.acceptance.draft_tokens for part in self.parts)
        return self._accepted / proposed if proposed else None

    @property
    def length(self) -> float | None:
        """None without a draft."""
        return 1 + self._accepted / self.drafts if self.drafts else None

    @property
    def tokens_per_step(self) -> float | None:
        """None where some part does not know its steps."""
        tokens = _total(part.decode_tokens for part in self.parts)
        steps = _total(part.steps for part in self.parts)
        return tokens / steps if tokens and steps else None

    @property
    def _accepted(self) -> float:
        return sum(part.acceptance.accepted_tokens for part in self.parts)


@dataclass(frozen=True, slots=True)
class CategoryTable:
    """One arm under conditions that differ in load only."""

    block: Block
    rows: tuple[InCategory, ...]
    """By name; all of them together at the end."""

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, context, temperature."""
        return full_title(self.block.arm or "", self.block.condition, facts)


def category_tables(findings: RunFindings) -> tuple[CategoryTable, ...]:
    """In the order of the blocks; none where the data set has one category only, or
    the server gives no figures per request."""
    tables = []
    for block in make_blocks(findings):
        groups = _groups(block)
        if len(groups) > 1:
            rows = [InCategory(name, tuple(groups[name])) for name in sorted(groups)]
            whole = tuple(part for row in rows for part in row.parts)
            tables.append(CategoryTable(block, (*rows, InCategory(ALL, whole))))
    return tuple(tables)


def _groups(block: Block) -> dict[str, list[CategoryAcceptance]]:
    groups: dict[str, list[CategoryAcceptance]] = {}
    for row in block.rows:
        for cell in row.arm.counted if row.arm else ():
            for found in cell.acceptance_by_category or ():
                groups.setdefault(found.category, []).append(found)
    return groups


def _total(counts: Iterable[float | None]) -> float | None:
    """None where one is unknown: the others would pass for all."""
    given: Sequence[float | None] = list(counts)
    known = [count for count in given if count is not None]
    return sum(known) if len(known) == len(given) else None
