"""How far a window's output throughput may lie from the load's own, by chance alone: a
standard error from inside one window. Launches differ by more than that (a machine is
not the same after a restart), so it stands beside the spread of launches and never for
it."""

import math
from collections.abc import Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.reasons import NO_USAGE
from specbench.analysis.window import WindowTokens
from specbench.stats.means import arithmetic_mean


def find_window_error(tokens: WindowTokens) -> float | Missing:
    """Relative standard error of the window's throughput: the larger of two, since each
    sees a noise that the other misses.

    Batch means: the spread of the window's 12 parts, for what all slots share (slow
    steps, many prefills at once). Slots: the spread of their totals, for what each has
    by itself; a request reaches over several parts of its slot, which batch means would
    take for independent. Parts of a closed loop hang together the other way round:
    after many prefills come many plain steps. Batch means then say too much, and in
    virtual time (answers of random lengths, 1 to 64 slots) the error is 1.0 to 1.8
    times what windows really differ by, 3 times with a few dozen equal requests. What
    changes more slowly than a part lasts is seen in part only.
    """
    if not tokens.is_known:
        return Missing(NO_USAGE)
    total = tokens.total
    if total == 0:
        return Missing("the window brought no token")
    totals = [math.fsum(parts) for parts in tokens.by_slot]
    return max(_error_of_sum(tokens.by_part), _error_of_sum(totals)) / total


def _error_of_sum(terms: Sequence[float]) -> float:
    """Of the sum of independent terms; 0 for a single one, which has no spread."""
    count = len(terms)
    if count < 2:
        return 0.0
    mean = arithmetic_mean(terms)
    squares = math.fsum((term - mean) ** 2 for term in terms)
    return math.sqrt(count * squares / (count - 1))
