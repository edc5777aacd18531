"""What the parent and its load processes tell each other. Values only; tuples, since
those are pickled fast and some are sent beside the stamping.

parent      CellJob               Go                        SendResults
process              Ready            Ended... Dry  Drained             Results... Done

An open loop is begun by `GoOpen` and has no `Dry`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from specbench.load.client import PreparedRequest
from specbench.load.columns import PackedSample
from specbench.load.lag import ProcessWatch
from specbench.load.open_loop import Arrival
from specbench.load.slots import SlotStart


class CellJob(NamedTuple):
    """A process's part of a cell."""

    base_url: str
    path: str
    headers: Mapping[str, str]
    requests: tuple[PreparedRequest, ...]
    """All of the cell's: the processes share one queue of their indices."""
    connections: int
    """Made before it begins."""
    stall_s: float
    idle_s: float
    """A connection that nothing used for so long is not used again."""


class Ready(NamedTuple):
    """Bytes are prepared and connections open."""


class Go(NamedTuple):
    """Begin a closed loop."""

    starts: tuple[SlotStart, ...]


class GoOpen(NamedTuple):
    """Begin an open loop."""

    arrivals: tuple[Arrival, ...]
    """The process's own, by rising instants."""


class Ended(NamedTuple):
    """Requests have ended, since the last such message."""

    answered: int
    failed: int
    turned_over: int
    """Slots that had their first answer."""


class Dry(NamedTuple):
    """A slot found no more request."""


class Drained(NamedTuple):
    """All slots are dry."""


class SendResults(NamedTuple):
    """Parse what was kept, and send it."""


class Results(NamedTuple):
    """Some samples."""

    samples: tuple[PackedSample, ...]


class Done(NamedTuple):
    """All samples are sent."""

    watch: ProcessWatch
    """From `Go` to `Drained`."""


class Broken(NamedTuple):
    """The process met a fault of its own."""

    trace: str


FromProcess = Ready | Ended | Dry | Drained | Results | Done | Broken
