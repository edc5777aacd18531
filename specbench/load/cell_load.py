"""What one cell sends, and what follows from it before anything is sent."""

from dataclasses import dataclass, field

from specbench.load.client import PreparedRequest
from specbench.load.open_loop import CONNECT_AHEAD_S
from specbench.load.transport import DEFAULT_STALL_S
from specbench.schema.sample import Role


@dataclass(frozen=True, slots=True)
class CellLoad:
    """What one cell sends, and where to."""

    base_url: str
    path: str
    requests: tuple[PreparedRequest, ...]
    """Warm-up requests first."""
    concurrency: int
    """Slots of a closed loop; 0 in an open one."""
    request_s: float
    """About how long one request takes; starts are spread over it. 0 = at once."""
    headers: dict[str, str] = field(default_factory=dict)
    stall_s: float = DEFAULT_STALL_S
    arrivals: tuple[float, ...] = ()
    """Seconds after the start at which each request of an open loop is due, rising;
    empty = a closed loop."""

    @property
    def is_open(self) -> bool:
        """Whether requests leave whatever became of those before."""
        return bool(self.arrivals)

    @property
    def most_streams(self) -> int:
        """Requests that can be in flight at once."""
        return len(self.requests) if self.is_open else self.concurrency

    @property
    def window_s(self) -> float:
        """About how long the cell takes, in seconds; 0 = unknown."""
        if self.is_open:
            opens, closes = self.window_edges
            return closes - opens
        return self.request_s * len(self.requests) / self.concurrency

    @property
    def window_edges(self) -> tuple[float, float]:
        """When the window of an open loop opens and closes, in seconds after the
        start: when the last request before the measured ones is due, and the last
        one."""
        warmup = sum(request.role is Role.WARMUP for request in self.requests)
        return self.arrivals[max(0, warmup - 1)], self.arrivals[-1]

    @property
    def patience_s(self) -> float:
        """Without a byte for so long an exchange has failed. The queue of an open loop
        can grow for as long as requests arrive, and then has to be worked off."""
        return self.stall_s + (self.arrivals[-1] if self.is_open else 0.0)

    @property
    def connections_ahead(self) -> int:
        """Connections that are made before the cell begins: one for each slot; of an
        open loop those that are needed before one could be made in time."""
        if not self.is_open:
            return self.concurrency
        return sum(due_s <= CONNECT_AHEAD_S for due_s in self.arrivals)
