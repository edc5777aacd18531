"""How long things took on a machine, as it is kept between runs for the estimates of
later ones. No result rests on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptCell:
    """One cell of an arm: its condition without the target, and how long it took."""

    dataset: str
    context: int
    temperature: float
    concurrency: int
    request_rate: float
    seconds: float
    """Mean over the launches of the run that measured it last."""
    measured_utc: str
    """ISO 8601."""


@dataclass(frozen=True, slots=True)
class KeptDurations:
    """One arm, served and measured in one way on one device."""

    model: str
    engine: str
    engine_version: str | None
    device: str
    """What one launch computes on, in words."""
    settings: str
    """A hash of whatever else changes the time of a cell: arguments, the arm's own
    configuration, output limit, sizes."""
    arm: str
    """Its name then, for people; the hash says which arm it is."""
    startup_s: float | None
    """What a launch takes beside its cells, in the run that was kept last."""
    cells: tuple[KeptCell, ...]
    """The newest last."""
