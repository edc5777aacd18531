"""A client's stamps held against what a server with a known schedule sent. The server
notes the instant before each `send`, on the same clock; what the client's stamp comes
after it is lag, and a figure that differs from the one made of the server's own
instants is the client's error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.schema.selftest import SentRequest
from specbench.stats.quantiles import quantile
from specbench.units import NS_PER_S, seconds_between


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """One answer as a client timed it. Instants are monotonic ns."""

    request: int
    """Number that its prompt named."""
    sent_ns: int
    stamps: tuple[int, ...]
    """Of each text chunk."""
    first_tokens: int | None
    """Tokens in the first text chunk; None = the server did not say."""
    tokens: int | None
    """Tokens of the answer; None likewise."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One answer from both sides; the client has no more chunks than were sent."""

    timed: TimedAnswer
    sent: SentRequest


@dataclass(frozen=True, slots=True)
class ScheduleMatch:
    """How the client's figures stand to the server's. None = nothing to compare."""

    answers: int
    """Compared."""
    unmatched: int
    """Of which one side knows nothing, or where the client has more than was sent."""
    chunks_sent: int
    chunks_read: int
    lag_p50_s: float | None
    lag_p99_s: float | None
    ttft_error_p50_s: float | None
    """Quantile of the client's TTFTs less the same quantile of the server's."""
    ttft_error_p99_s: float | None
    tpot_error_p50: float | None
    """The same for TPOT, as a share of the server's."""
    tpot_error_p99: float | None
    late_p99_s: float | None
    """How late the server sent by its own schedule."""


def match_schedule(
    timed: Sequence[TimedAnswer], sent: Sequence[SentRequest]
) -> ScheduleMatch:
    """Compare answer by answer; `timed` are the ones that the client calls whole."""
    by_number = {one.request: one for one in sent if one.request is not None}
    pairs = [
        Pair(answer, by_number[answer.request])
        for answer in timed
        if answer.request in by_number
        and len(answer.stamps) <= len(by_number[answer.request].sent_ns)
    ]
    lags = sorted(
        seconds_between(sent_ns, stamp)
        for pair in pairs
        for stamp, sent_ns in zip(pair.timed.stamps, pair.sent.sent_ns, strict=False)
    )
    late = sorted(lateness(sent))
    return ScheduleMatch(
        answers=len(pairs),
        unmatched=len(timed) + len(sent) - 2 * len(pairs),
        chunks_sent=sum(len(one.sent_ns) for one in sent),
        chunks_read=sum(len(one.stamps) for one in timed),
        lag_p50_s=_at(lags, 0.5),
        lag_p99_s=_at(lags, 0.99),
        ttft_error_p50_s=_difference(pairs, 0.5, timed_ttft, sent_ttft),
        ttft_error_p99_s=_difference(pairs, 0.99, timed_ttft, sent_ttft),
        tpot_error_p50=_relative(pairs, 0.5),
        tpot_error_p99=_relative(pairs, 0.99),
        late_p99_s=_at(late, 0.99),
    )


def lateness(sent: Sequence[SentRequest]) -> list[float]:
    """Seconds by which each chunk left after its due instant, in no order."""
    return [
        seconds_between(one.first_due_ns + place * one.gap_ns, instant)
        for one in sent
        for place, instant in enumerate(one.sent_ns)
    ]


def timed_ttft(pair: Pair) -> float | None:
    """As the client has it."""
    stamps = pair.timed.stamps
    return seconds_between(pair.timed.sent_ns, stamps[0]) if stamps else None


def sent_ttft(pair: Pair) -> float | None:
    """As the server has it: first chunk's send less the request's arrival."""
    sent = pair.sent.sent_ns
    return seconds_between(pair.sent.arrival_ns, sent[0]) if sent else None


def timed_tpot(pair: Pair) -> float | None:
    """(last - first) / (N - n1), as the client has it."""
    timed = pair.timed
    if timed.tokens is None or timed.first_tokens is None:
        return None
    return _tpot(timed.stamps, timed.tokens - timed.first_tokens)


def sent_tpot(pair: Pair) -> float | None:
    """The same of the server's instants, for an answer that was sent whole."""
    sent = pair.sent
    if not sent.is_whole:
        return None
    return _tpot(sent.sent_ns, sum(sent.tokens) - sent.tokens[0])


def _tpot(instants: Sequence[int], tokens: int) -> float | None:
    if len(instants) < 2 or tokens < 1:
        return None
    return seconds_between(instants[0], instants[-1]) / tokens


def busy_chunk_rate(
    timed: Sequence[TimedAnswer], streams: int, period_s: float
) -> float | None:
    """Chunks per second while all streams were busy: from the send of request number
    `streams` to the first end after the last send, cut to whole request periods, since
    over one of them every stream gives the same number of chunks wherever it begins.
    None where that is less than one period."""
    whole = [answer for answer in timed if answer.stamps]
    if len(whole) < streams:
        return None
    sends = sorted(answer.sent_ns for answer in whole)
    opened = sends[streams - 1]
    ends = (answer.stamps[-1] for answer in whole)
    closed = min((end for end in ends if end >= sends[-1]), default=opened)
    period_ns = period_s * NS_PER_S
    length_ns = (closed - opened) // period_ns * period_ns
    if length_ns <= 0:
        return None
    count = sum(
        1
        for answer in whole
        for stamp in answer.stamps
        if opened < stamp <= opened + length_ns
    )
    return count * NS_PER_S / length_ns


def further_off(*errors: float | None) -> float | None:
    """The error that is largest, by size; None where none is known."""
    known = [error for error in errors if error is not None]
    return max(known, key=abs) if known else None


def _at(ordered: Sequence[float], q: float) -> float | None:
    return quantile(ordered, q) if ordered else None


def _both(
    pairs: Sequence[Pair],
    q: float,
    timed: Callable[[Pair], float | None],
    sent: Callable[[Pair], float | None],
) -> tuple[float, float] | None:
    """The quantile on both sides, over the answers that have the figure on both."""
    both = [(timed(pair), sent(pair)) for pair in pairs]
    known = [(a, b) for a, b in both if a is not None and b is not None]
    if not known:
        return None
    ours, truth = (sorted(side) for side in zip(*known, strict=True))
    return quantile(ours, q), quantile(truth, q)


def _difference(
    pairs: Sequence[Pair],
    q: float,
    timed: Callable[[Pair], float | None],
    sent: Callable[[Pair], float | None],
) -> float | None:
    both = _both(pairs, q, timed, sent)
    return both[0] - both[1] if both else None


def _relative(pairs: Sequence[Pair], q: float) -> float | None:
    both = _both(pairs, q, timed_tpot, sent_tpot)
    return both[0] / both[1] - 1 if both and both[1] > 0 else None
