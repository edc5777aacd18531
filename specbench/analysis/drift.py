"""Drift: whether the load ran at one pace from the window's first third to its last.
Token counts of a closed loop are noisy, so the ratio of the two stands beside the
factor within which it may lie by chance."""

import math
from collections.abc import Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.window import PARTS, WindowTokens
from specbench.schema.findings import Drift
from specbench.stats.means import arithmetic_mean

ENOUGH_REQUESTS = 12
"""Requests that must have finished in the window, one for each of its parts: with
fewer the parts show where in a request the window happened to be cut."""
LEAST_LIMIT = 0.10
"""A smaller change is not called drift, however sure it is."""
SURE = 4.0
"""Standard errors of the change that chance is allowed: a sweep asks this of every
cell, and the error itself has 9 degrees of freedom (p = 0.003)."""

_THIRD = PARTS // 3


def find_drift(tokens: WindowTokens, finished: int) -> Drift | Missing:
    """Throughput of the last third / of the first, and the limit of chance:
    1 + max(10 %, 4 standard errors of the change).

    `finished` = requests that ended in the window. The standard error is the larger
    of two, since each sees a noise that the other misses. From batch means: the
    spread of the window's 12 parts inside their thirds (what all slots share). From
    the slots: the spread of their own changes (a slot's parts depend on each other:
    one request can fill several).
    """
    if not tokens.is_known:
        return Missing("the server reports no token counts (usage)")
    if finished < ENOUGH_REQUESTS:
        return Missing(
            f"fewer than {ENOUGH_REQUESTS} requests finished inside the window"
        )
    parts = tokens.by_part
    first, last = math.fsum(parts[:_THIRD]), math.fsum(parts[-_THIRD:])
    if first == 0 or last == 0:
        return Missing("a third of the window brought no token")
    changes = [
        math.fsum(slot[-_THIRD:]) - math.fsum(slot[:_THIRD]) for slot in tokens.by_slot
    ]
    error = max(_error_by_parts(parts), _error_by_slots(changes))
    relative = error / arithmetic_mean([first, last])
    return Drift(ratio=last / first, limit=1 + max(LEAST_LIMIT, SURE * relative))


def _error_by_parts(parts: Sequence[float]) -> float:
    """Of the difference of two sums of `_THIRD` independent parts each."""
    thirds = [parts[at : at + _THIRD] for at in range(0, PARTS, _THIRD)]
    squares = math.fsum(_squares(third) for third in thirds)
    return math.sqrt(2 * _THIRD * squares / (PARTS - len(thirds)))


def _error_by_slots(changes: Sequence[float]) -> float:
    """Of the sum of independent changes; 0 for a single slot, which has no spread."""
    count = len(changes)
    if count < 2:
        return 0.0
    return math.sqrt(count * _squares(changes) / (count - 1))


def _squares(values: Sequence[float]) -> float:
    mean = arithmetic_mean(values)
    return math.fsum((value - mean) ** 2 for value in values)
