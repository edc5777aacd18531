"""What the client's own test sees and says: a server with a known schedule notes what
it sent and when; the client is judged by that."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One streamed answer as the server with a known schedule sent it; a line of its
    log. All instants are monotonic ns, on the clock that the client's stamps share."""

    request: int | None
    """Number that the prompt named (`request 17`); None = it named none."""
    worker: int
    """Which of the server's processes answered, from 0."""
    arrival_ns: int
    """The request was read; its schedule counts from here."""
    first_due_ns: int
    gap_ns: int
    """Text chunk i was due at first_due_ns + i * gap_ns."""
    role_ns: int
    """Just before the head was given to the socket, and the role chunk with it."""
    sent_ns: tuple[int, ...]
    """The same for each text chunk, as far as the answer came."""
    tokens: tuple[int, ...]
    """Tokens in each text chunk of the whole schedule."""
    end_ns: int | None
    """The same for usage and `[DONE]`; None = the client went away before."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it was sent."""
        return self.end_ns is not None


@dataclass(frozen=True, slots=True)
class ServerEffort:
    """What one process of that server used; the last line of its log."""

    worker: int
    cpu_s: float
    """While it served."""
    wall_s: float
    chunks: int
    """Text chunks sent."""


class SelftestVerdict(StrEnum):
    """What a level says of the client."""

    CARRIES = "carries"
    ERRS = "errs"
    SERVER_BOUND = "server-bound"
    """The server could not keep its own schedule: nothing is said of the client."""


@dataclass(frozen=True, slots=True)
class SelftestLevel:
    """One load and how the client bore it. None = could not be known."""

    streams: int
    processes: int
    """Over which the client spread the load."""
    offered_chunks_per_s: float
    """As scheduled, all streams busy."""
    delivered_chunks_per_s: float | None
    """As stamped by the client while all streams were busy."""
    lost_chunks: int
    """Sent by the server and never read by the client."""
    failed_requests: int
    lag_p50_s: float | None
    """Client's stamp less the server's send instant, over all chunks."""
    lag_p99_s: float | None
    ttft_error_s: float | None
    """Client's quantile less the server's, p50 or p99, whichever is further off."""
    ttft_s: float
    """As scheduled."""
    tpot_error: float | None
    """The same for TPOT, as a share of the server's; 0.01 = 1 % too long."""
    client_cpu_share: float | None
    """Of one CPU, of the busiest client process."""
    server_late_p99_s: float | None
    """How late the server sent by its own schedule."""
    server_cpu_share: float | None
    """Of one CPU, of the busiest server process."""
    verdict: SelftestVerdict
    reasons: tuple[str, ...]
    """Which bounds were passed; empty = none."""


@dataclass(frozen=True, slots=True)
class SelftestMachine:
    """What a result holds for."""

    hostname: str
    cpu_model: str | None
    cpus: int | None
    """That this process may use."""
    specbench_version: str


@dataclass(frozen=True, slots=True)
class SelftestResult:
    """The whole test on one machine."""

    machine: SelftestMachine
    measured_utc: str
    gap_s: float
    """Between two chunks of a stream."""
    levels: tuple[SelftestLevel, ...]
    """In the order in which they ran, a repeated one once."""
