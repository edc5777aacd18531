"""Counts how long an engine has been starting, without the time of a download: weights
that come over a slow line say nothing about whether the start hangs. Pure: it is told
the time and never reads a clock."""

from dataclasses import dataclass, replace
from typing import Self

from specbench.units import NS_PER_S, seconds_between


@dataclass(frozen=True, slots=True)
class StartupClock:
    """Where a start-up stands."""

    started_ns: int
    now_ns: int
    downloading_ns: int = 0
    """Nanoseconds of it that went into downloads."""

    @classmethod
    def begin(cls, now_ns: int) -> Self:
        """A start-up that begins now."""
        return cls(started_ns=now_ns, now_ns=now_ns)

    def tick(self, now_ns: int, is_downloading: bool) -> Self:
        """The clock at `now_ns`; the time since the last tick goes to the download if
        one is under way."""
        passed_ns = now_ns - self.now_ns if is_downloading else 0
        return replace(
            self, now_ns=now_ns, downloading_ns=self.downloading_ns + passed_ns
        )

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start, downloads included."""
        return seconds_between(self.started_ns, self.now_ns)

    @property
    def downloading_s(self) -> float:
        """Seconds of it that went into downloads."""
        return self.downloading_ns / NS_PER_S

    @property
    def counted_s(self) -> float:
        """Seconds that count towards a time-out."""
        return self.elapsed_s - self.downloading_s
