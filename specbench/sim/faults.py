"""What can go wrong on demand, and which requests it hits. Values and one pure choice;
`fault_flags` reads them, `fault_acts` makes them happen.

A fault of a request strikes once at least `after_tokens` of its output have left; 0 =
right after the head of the answer (and a chat's role)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_TWO_TO_64 = 2.0**64

LONGEST_WORKER_S = 120.0
"""An outliving worker ends by itself after this time at the latest."""


class RequestFaultKind(StrEnum):
    """What happens to one stream."""

    HTTP_ERROR = "http-error"
    """An error status and a body instead of a stream."""
    ERROR_EVENT = "error-event"
    """After status 200 an event with an error, then `[DONE]`."""
    HANG = "hang"
    """Silence; the connection stays open."""
    RESET = "connection-reset"
    """The connection is reset (RST)."""
    CUT = "cut"
    """The connection is closed without the stream's ending."""
    GARBAGE = "garbage"
    """Random bytes; then the stream goes on."""
    SLOW_STREAM = "slow-stream"
    """From here on at most one chunk each `gap_ms`; the engine is not slowed."""
    DEATH = "death"
    """The whole server dies at once."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Which completion calls a fault hits; exactly one field is set, or `every`."""

    request: int | None = None
    """The n-th call since the start, from 1; calls that are refused do not count."""
    share: float | None = None
    """This share of all, drawn."""
    every: bool = False

    def hits(self, number: int, draw_key: str) -> bool:
        """Whether it hits call `number`; `draw_key` seeds the draw."""
        if self.every:
            return True
        if self.request is not None:
            return number == self.request
        return self.share is not None and _uniform(f"{draw_key}/{number}") < self.share


@dataclass(frozen=True, slots=True)
class RequestFault:
    """A fault of single requests. Fields that the kind has no use for keep their
    defaults."""

    kind: RequestFaultKind
    which: Hits
    after_tokens: int = 0
    status: int = 503
    """http-error: the status."""
    text: str = ""
    """http-error: the body; error-event: the message."""
    gap_ms: float = 0.0
    """slow-stream: between two chunks."""
    size: int = 64
    """garbage: bytes."""
    breaks_framing: bool = False
    """garbage: raw bytes between the HTTP chunks instead of inside one."""
    exit_code: int | None = None
    """death: None = by SIGKILL."""


@dataclass(frozen=True, slots=True)
class SlowStart:
    """The server is not ready at first."""

    seconds: float
    is_port_closed: bool
    """Else the port is open and /health says 503."""


@dataclass(frozen=True, slots=True)
class CrashAtStart:
    """The server prints a log and ends before its port opens."""

    seconds: float
    """From the start to the end."""
    exit_code: int
    text: str
    log: Path | None
    """File whose text is printed after `text`."""


@dataclass(frozen=True, slots=True)
class OutlivingWorker:
    """A child in a session of its own that ignores SIGTERM, SIGINT and SIGHUP."""

    pid_file: Path
    seconds: float
    """It ends by itself after this time."""


@dataclass(frozen=True, slots=True)
class CounterReset:
    """All counters of /metrics begin again at 0, once."""

    after_requests: int
    """When this many streams have ended."""


Fault = RequestFault | SlowStart | CrashAtStart | OutlivingWorker | CounterReset


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All faults of a server."""

    faults: tuple[Fault, ...] = ()
    seed: int = 0

    def for_request(self, number: int) -> RequestFault | None:
        """The fault of call `number` (from 1): the first in the plan that hits it."""
        for place, fault in enumerate(self.faults):
            if isinstance(fault, RequestFault) and fault.which.hits(
                number, f"fault/{self.seed}/{place}"
            ):
                return fault
        return None

    def slow_starts(self) -> Sequence[SlowStart]:
        """In the order given, as the next three."""
        return [fault for fault in self.faults if isinstance(fault, SlowStart)]

    def crashes_at_start(self) -> Sequence[CrashAtStart]:
        """Of which the first one ends it."""
        return [fault for fault in self.faults if isinstance(fault, CrashAtStart)]

    def workers(self) -> Sequence[OutlivingWorker]:
        """Children to start."""
        return [fault for fault in self.faults if isinstance(fault, OutlivingWorker)]

    def counter_resets(self) -> Sequence[CounterReset]:
        """Resets to make."""
        return [fault for fault in self.faults if isinstance(fault, CounterReset)]


def _uniform(key: str) -> float:
    """A number in 0..1 that follows from the key."""
    bits = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    return bits / _TWO_TO_64
