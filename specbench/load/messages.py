"""What the parent and its load processes tell each other. Values only.

parent      CellJob               Go                        SendResults
process              Ready            Ended... Dry  Drained             Results... Done
"""

from collections.abc import Mapping
from dataclasses import dataclass

from specbench.load.client import PreparedRequest
from specbench.load.columns import PackedSample
from specbench.load.lag import ProcessWatch
from specbench.load.slots import SlotStart


@dataclass(frozen=True, slots=True)
class CellJob:
    """A process's part of a cell."""

    base_url: str
    path: str
    headers: Mapping[str, str]
    requests: tuple[PreparedRequest, ...]
    """All of the cell's: the processes share one queue of their indices."""
    connections: int
    stall_s: float


@dataclass(frozen=True, slots=True)
class Ready:
    """Bytes are prepared and connections open."""


@dataclass(frozen=True, slots=True)
class Go:
    """Begin."""

    starts: tuple[SlotStart, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A request has ended."""

    is_answered: bool
    is_turn_over: bool
    """It is the first answer in its slot."""


@dataclass(frozen=True, slots=True)
class Dry:
    """A slot found no more request."""


@dataclass(frozen=True, slots=True)
class Drained:
    """All slots are dry."""


@dataclass(frozen=True, slots=True)
class SendResults:
    """Parse what was kept, and send it."""


@dataclass(frozen=True, slots=True)
class Results:
    """Some samples."""

    samples: tuple[PackedSample, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """All samples are sent."""

    watch: ProcessWatch
    """From `Go` to `Drained`."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The process met a fault of its own."""

    trace: str


FromProcess = Ready | Ended | Dry | Drained | Results | Done | Broken
