"""The machine time that a run may take: when it is spent nothing new begins, and what
is under way is measured to its end."""

from collections.abc import Callable

from specbench.clock import monotonic_ns
from specbench.units import seconds_between


class Budget:
    """Of one run, from the moment in which it is made."""

    def __init__(
        self, seconds: float | None, now_ns: Callable[[], int] = monotonic_ns
    ) -> None:
        """`seconds`: None = no limit."""
        self._seconds = seconds
        self._now_ns = now_ns
        self._began_ns = now_ns()

    @property
    def elapsed_s(self) -> float:
        """Since the run began."""
        return seconds_between(self._began_ns, self._now_ns())

    @property
    def left_s(self) -> float | None:
        """What may still be used, never negative; None = no limit."""
        if self._seconds is None:
            return None
        return max(0.0, self._seconds - self.elapsed_s)

    @property
    def is_spent(self) -> bool:
        """Whether nothing new should begin."""
        return self.left_s == 0
