"""The only reader of time. Durations come from the monotonic clock, which neither
NTP nor a daylight-saving change can move; wall-clock time is only for labels."""

import time
from datetime import UTC, datetime

monotonic_ns = time.monotonic_ns
"""Now, in ns, on the clock that all instants of a run share."""


def utc_now() -> datetime:
    """Now, in UTC, for names and labels; never for durations."""
    return datetime.now(UTC)
