"""What a rule gets and what it gives back."""

from collections.abc import Callable
from dataclasses import dataclass

from specbench.schema.drafting import Drafter
from specbench.schema.findings import CellStats, Finding, Severity


@dataclass(frozen=True, slots=True)
class CellContext:
    """What a rule may know beside the summary."""

    expects_speculation: bool
    """The arm was meant to speculate."""
    is_caching_wanted: bool = False
    """The sweep itself turned prefix caching on."""
    unsent: int = 0
    """Planned requests that were never sent: a cell that fails too often ends early."""
    not_flushed: str | None = None
    """Why the engine still held what came before the cell; None = it did not."""
    learns_from_traffic: bool = False
    """The arm's drafter proposes what earlier requests have said."""
    drafter: Drafter | None = None
    """How the server drafts, as it says itself."""


Rule = Callable[[CellStats, CellContext], Finding | None]


def void(code: str, message: str, advice: str) -> Finding:
    """The cell takes part in nothing."""
    return Finding(Severity.VOID, code, message, advice)


def flag(code: str, message: str, advice: str) -> Finding:
    """The cell counts; the reader should know."""
    return Finding(Severity.FLAG, code, message, advice)
