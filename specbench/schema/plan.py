"""What will be done: launches in order, each with its cells. Made by `planning`,
acted on by `runner`."""

from dataclasses import dataclass
from itertools import groupby

from specbench.schema.cell import CellKey
from specbench.schema.sweep import SweepSpec, Target


@dataclass(frozen=True, slots=True)
class AdmissionCaps:
    """Caps that every arm of a target gets explicitly and identically."""

    max_num_seqs: int
    """Sequences that the engine may run at once."""
    max_num_batched_tokens: int | None
    """Tokens in one engine step; None = the engine's own default (read back)."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """One engine start and the cells measured on it, in order."""

    index: int
    """Position in the sweep, from 1."""
    target: Target
    arm: str
    speculative: dict[str, object] | None
    """None for the baseline."""
    replicate: int
    caps: AdmissionCaps
    cells: tuple[CellKey, ...]
    place: int = 0
    """Which of the machine's places it runs on, from 0: a set of GPUs, or of CPUs."""
    wave: int = 0
    """Launches of one wave run at the same time; waves follow one another, from 0."""


Wave = tuple[LaunchPlan, ...]
"""Launches that run at the same time."""


@dataclass(frozen=True, slots=True)
class CellSize:
    """How many requests a cell sends."""

    warmup: int
    """Sent first, one a slot, never measured; handed over without draining."""
    measured: int


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The whole sweep, in the order in which it will run. Where an adaptive search
    chooses the cells, the grid that it will not exceed."""

    spec: SweepSpec
    launches: tuple[LaunchPlan, ...]
    is_aa: bool = False
    """The baseline against itself; the sweep's own arms are left out."""
    notes: tuple[str, ...] = ()
    """Where the plan is not what the sweep file says by itself, one sentence each."""

    @property
    def cell_count(self) -> int:
        """Cells over all launches."""
        return sum(len(launch.cells) for launch in self.launches)

    @property
    def arms(self) -> tuple[str, ...]:
        """Names, the baseline first."""
        return tuple(dict.fromkeys(launch.arm for launch in self.launches))

    @property
    def waves(self) -> tuple[Wave, ...]:
        """The launches, those that run at the same time together."""
        groups = groupby(self.launches, key=lambda launch: launch.wave)
        return tuple(tuple(launches) for _, launches in groups)

    @property
    def is_adaptive(self) -> bool:
        """Whether a search chooses the cells while the sweep runs; an A/A run measures
        all of them."""
        return self.spec.search.mode == "adaptive" and not self.is_aa

    @property
    def is_side_by_side(self) -> bool:
        """Whether any launches run at the same time."""
        return any(launch.place for launch in self.launches)
