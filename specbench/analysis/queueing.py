"""Whether an arm loses its place in the KV cache: its requests wait for admission, or
are thrown out again, where the baseline's are not."""

from collections.abc import Sequence

from specbench.analysis.rules.load import QUEUE
from specbench.schema.findings import CellStats
from specbench.stats.means import arithmetic_mean


def only_arm_queues(baseline: Sequence[CellStats], arm: Sequence[CellStats]) -> bool:
    """By the means over launches; what is unknown is not held against the arm."""
    return _queues(arm) is True and _queues(baseline) is False


def _queues(cells: Sequence[CellStats]) -> bool | None:
    """None where nothing is known."""
    waiting = [c.waiting for c in cells if c.waiting is not None]
    preempted = [c.preemptions for c in cells if c.preemptions is not None]
    if not waiting and not preempted:
        return None
    waits = bool(waiting) and arithmetic_mean(waiting) >= QUEUE
    return waits or (bool(preempted) and min(preempted) > 0)
