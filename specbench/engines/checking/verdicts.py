"""What became of one thing that an adapter has to answer."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Of one thing."""

    OK = "ok"
    MISSING = "missing"
    """The adapter must answer it, and does not."""
    WRONG = "wrong"
    """The answer contradicts the captures."""
    UNSAID = "not said"
    """Neither engine nor captures say it; what that costs stands beside it."""


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """One line of the result."""

    arm: str
    item: str
    verdict: Verdict
    said: str
    """What the adapter read, or what is wrong with it."""
    place: str
    """File of the captures."""

    @property
    def is_failed(self) -> bool:
        """Whether the adapter has to be changed."""
        return self.verdict in {Verdict.MISSING, Verdict.WRONG}


def number(value: float | None) -> str:
    """A count as the page has it; a dash where there is none."""
    return "—" if value is None else f"{value:g}" if value < 1e6 else f"{value:.0f}"
