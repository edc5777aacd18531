"""What a cell's figures truly were, from the server's instants. Only the window's two
edges and which slot sent what come from the client; they are read here by the words of
docs/method.md: open when every slot has ended its first request, closed when the first
slot runs dry."""

import bisect
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tests.truth.seen import SeenCell, SeenRequest
from tests.truth.server_log import Call, ServerLog, Step

NS = 1e9


@dataclass(frozen=True, slots=True)
class Edges:
    """The window, in ns."""

    all_busy_ns: int
    open_ns: int
    close_ns: int

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.close_ns - self.open_ns) / NS


@dataclass(frozen=True, slots=True)
class Truth:
    """What a faithful client reports; seconds and tokens/s."""

    window_s: float
    throughput: float
    running: float
    running_spread: float
    """Standard deviation over time of the running sequences."""
    ttft_p50: tuple[float, float]
    ttft_mean: tuple[float, float]
    """From the read of a call to its first text, and with the time that the call can
    have waited unread beside it; see `unread_ns`."""
    tpot_p50: float
    tpot_mean: float
    tokens_per_step: float
    worst_stamp_lag: float
    """Of all chunks: stamp less the server's instant."""


def edges_of(cell: SeenCell) -> Edges:
    """Of a cell in which every slot sent at least two requests."""
    slots: dict[int, list[SeenRequest]] = defaultdict(list)
    for request in cell.requests:
        slots[request.slot].append(request)
    assert len(slots) == cell.concurrency
    well = {k: [r for r in s if not r.has_failed] for k, s in slots.items()}
    return Edges(
        all_busy_ns=max(min(r.sent_ns for r in s) for s in slots.values()),
        open_ns=max(min(r.end_ns for r in s) for s in well.values()),
        close_ns=min(max(r.end_ns for r in s) for s in slots.values()),
    )


def pair_up(cell: SeenCell, calls: Sequence[Call]) -> list[tuple[SeenRequest, Call]]:
    """Each recorded request with the call that it was. The same running counts must
    have left the server, each before it was stamped; of several such calls the
    earliest is taken. Raises AssertionError for a request without a call, and where a
    call is left over: then something was lost or made up."""
    left: dict[tuple[int | None, ...], list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda c: c.received_ns):
        left[tuple(tokens for _, tokens in call.sent)].append(call)
    pairs = []
    for request in sorted(cell.requests, key=lambda r: r.sent_ns):
        candidates = left[tuple(tokens for _, tokens in request.arrivals)]
        fitting = [c for c in candidates if _fits(request, c)]
        assert fitting, f"no call is what this request recorded: {request}"
        candidates.remove(fitting[0])
        pairs.append((request, fitting[0]))
    over = [call for calls_left in left.values() for call in calls_left]
    assert not over, f"{len(over)} calls were never recorded, e.g. {over[0]}"
    return pairs


def _fits(request: SeenRequest, call: Call) -> bool:
    return (
        request.sent_ns <= call.received_ns <= request.end_ns
        and request.output_tokens == call.output_tokens
        and all(
            sent <= stamp
            for (sent, _), (stamp, _) in zip(call.sent, request.arrivals, strict=True)
        )
    )


def find_truth(cell: SeenCell, log: ServerLog, calls: Sequence[Call]) -> Truth:
    """The figures of a cell, all of whose requests ended well."""
    edges = edges_of(cell)
    pairs = pair_up(cell, calls)
    full_load = [
        call
        for request, call in pairs
        if request.is_measured
        and edges.all_busy_ns < request.sent_ns
        and request.end_ns <= edges.close_ns
    ]
    bursts = _Bursts(log)
    chosen = {id(call) for call in full_load}
    before = _last_sent_in_slot(pairs)
    ttfts = [
        (read, read + bursts.unread_ns(before[id(call)], call.received_ns) / NS)
        for _, call in pairs
        if id(call) in chosen
        for read in [(call.sent[0][0] - call.received_ns) / NS]
    ]
    least, most = zip(*ttfts, strict=True)
    tpots = [t for c in full_load if (t := _tpot(c)) is not None]
    running, spread = _running(log.steps, edges)
    return Truth(
        window_s=edges.seconds,
        throughput=sum(_sent_inside(c, edges) for _, c in pairs) / edges.seconds,
        running=running,
        running_spread=spread,
        ttft_p50=(median(least), median(most)),
        ttft_mean=(fmean(least), fmean(most)),
        tpot_p50=median(tpots),
        tpot_mean=fmean(tpots),
        tokens_per_step=_tokens_per_step(full_load),
        worst_stamp_lag=max(
            (stamp - sent) / NS
            for request, call in pairs
            for (sent, _), (stamp, _) in zip(call.sent, request.arrivals, strict=True)
        ),
    )


class _Bursts:
    """When the server was busy writing the chunks of a step."""

    def __init__(self, log: ServerLog) -> None:
        self._played = sorted(step.played_ns for step in log.steps)
        self._sent = sorted(at for call in log.calls for at, _ in call.sent)

    def unread_ns(self, earliest_ns: int, received_ns: int) -> int:
        """For how long a call can have lain in the server's socket because the server
        was writing. The client sends it after its slot's answer before has ended, so
        at `earliest_ns` at the earliest; the server reads nothing until it has written
        the other chunks of that step. Its 256 writes take some milliseconds, which
        are the server's, and part of the TTFT that any client sees."""
        following = bisect.bisect_right(self._played, earliest_ns)
        end_ns = received_ns
        if following < len(self._played):
            last = bisect.bisect_left(self._sent, self._played[following]) - 1
            end_ns = min(end_ns, self._sent[last])
        return max(0, end_ns - earliest_ns)


def _last_sent_in_slot(pairs: Sequence[tuple[SeenRequest, Call]]) -> dict[int, int]:
    """For each call (by id) the server's last write to the same slot before it; its
    own read where it is the slot's first."""
    latest: dict[int, int] = {}
    found = {}
    for request, call in sorted(pairs, key=lambda pair: pair[0].sent_ns):
        found[id(call)] = latest.get(request.slot, call.received_ns)
        latest[request.slot] = call.sent[-1][0]
    return found


def _tpot(call: Call) -> float | None:
    first_ns, head = call.sent[0]
    last_ns, total = call.sent[-1]
    return (last_ns - first_ns) / NS / (total - head) if total > head else None


def _sent_inside(call: Call, edges: Edges) -> int:
    before = tokens = 0
    for at, so_far in call.sent:
        if edges.open_ns < at <= edges.close_ns:
            tokens += so_far - before
        before = so_far
    return tokens


def _tokens_per_step(calls: Sequence[Call]) -> float:
    """Holds where each step is a chunk of its own (stream interval 1)."""
    decoded = sum(c.output_tokens - c.sent[0][1] for c in calls)
    return decoded / sum(len(c.sent) - 1 for c in calls)


def _running(steps: Sequence[Step], edges: Edges) -> tuple[float, float]:
    """Mean and standard deviation over the window's time; no step = nothing runs."""
    first = second = 0.0
    for step in steps:
        inside = min(step.ended_ns, edges.close_ns) - max(step.began_ns, edges.open_ns)
        if inside > 0:
            first += step.sequences * inside / NS
            second += step.sequences**2 * inside / NS
    mean = first / edges.seconds
    return mean, math.sqrt(max(0.0, second / edges.seconds - mean**2))
