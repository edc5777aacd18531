"""How long things took: in this run, and in earlier ones on this machine. What an
estimate of the time left can rest on."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from specbench.schema.cell import Condition
from specbench.schema.plan import LaunchPlan


@dataclass(frozen=True, slots=True)
class Speed:
    """What one request alone gets from a warmed-up engine, in seconds."""

    ttft_s: float
    tpot_s: float


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is taken for granted while nothing is known."""

    startup_s: float = 120.0
    """Launch to ready, warm-up and end included."""
    speed: Speed = Speed(ttft_s=0.1, tpot_s=0.02)
    flat_until: int = 32
    """A decode step costs the same up to this batch, from there in proportion."""

    def describe(self) -> str:
        """In words, for people."""
        return (
            f"TTFT {self.speed.ttft_s:g} s and TPOT {self.speed.tpot_s:g} s alone,"
            " every answer as long as max_tokens allows"
        )


ASSUMPTIONS = Assumptions()


@dataclass(frozen=True, slots=True)
class RecalledCell:
    """A cell of an earlier run."""

    seconds: float
    day: str
    """When it was measured, as in ISO 8601."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What earlier runs on this machine have shown of a sweep's own arms."""

    cells: Mapping[tuple[Condition, str], RecalledCell] = field(default_factory=dict)
    """By condition and arm."""
    startups: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By target label and arm."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the cells' times. Launches are named by their index."""

    startups: Mapping[int, float] = field(default_factory=dict)
    """Launch to ready in seconds, of every launch that got ready."""
    speeds: Mapping[int, Speed] = field(default_factory=dict)
    ended: Collection[int] = ()
    """Launches that are over, whether or not all their cells were measured."""
    ran: Collection[LaunchPlan] = ()
    """The launches that the indexes name; empty = those of the plan."""
    recalled: Recalled = field(default_factory=Recalled)
    impossible: Collection[Condition] = ()
    """What is not measured, since no arm can serve it."""
