"""A reported number: never bare. Where there is no number, `missing` says why; where it
has no interval, `no_interval` does."""

from dataclasses import dataclass

CONFIDENCE = 0.95
"""Of every interval that a report shows, each by itself."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a value lies with 95 % confidence. An open end reaches beyond what was
    measured."""

    low: float | None
    """None = open."""
    high: float | None
    """None = open."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value over replicates with their spread, or the reason why there is none."""

    value: float | None
    low: float | None = None
    """Lowest replicate: a spread, not an interval."""
    high: float | None = None
    """Highest replicate."""
    n: int = 0
    """Replicates (launches) behind it."""
    missing: str | None = None
    """Why `value` is None."""
    interval: Interval | None = None
    no_interval: str | None = None
    """Why a value that should have an interval has none."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.missing is not None):
            raise ValueError("an estimate has either a value or a reason for none")


def absent(reason: str) -> Estimate:
    """An estimate that does not exist, with the reason in words."""
    return Estimate(value=None, missing=reason)
