"""A reported number: never bare. Where there is no number, `missing` says why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value over replicates with their spread, or the reason why there is none."""

    value: float | None
    low: float | None = None
    """Lowest replicate."""
    high: float | None = None
    """Highest replicate."""
    n: int = 0
    """Replicates (launches) behind it."""
    missing: str | None = None
    """Why `value` is None."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.missing is not None):
            raise ValueError("an estimate has either a value or a reason for none")


def absent(reason: str) -> Estimate:
    """An estimate that does not exist, with the reason in words."""
    return Estimate(value=None, missing=reason)
