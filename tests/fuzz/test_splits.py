"""Whatever the split of the bytes, the same events: texts, counts, finish reason and
error, and each chunk has the instant of the read that completed it."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import chain, islice

import pytest

from tests.fuzz.compare import Truth
from tests.fuzz.fixtures import NAMED, SHORT, STREAMS
from tests.fuzz.framing import FRAMINGS, Response, event_chunks
from tests.fuzz.levels import Line, on_line, read_body, read_response
from tests.fuzz.seeds import TIMES, announce, randomness
from tests.fuzz.smallest import complaint, smallest
from tests.fuzz.splits import (
    RANDOM_KINDS,
    Cuts,
    all_pairs,
    even_cuts,
    pieces_of,
    single_cuts,
)
from tests.fuzz.streams import Stream
from tests.fuzz.watch import alarm, rewind

Check = Callable[[bytes, Cuts], str | None]

BODY_SPLITS = 60_000
RESPONSE_SPLITS = 25_000
CONNECTION_SPLITS = 25_000
PAIRS = 6_000
"""Of two short streams: every pair of cuts."""


def test_there_are_enough_splits() -> None:
    assert BODY_SPLITS + RESPONSE_SPLITS + CONNECTION_SPLITS >= 100_000


def check_body(stream: Stream) -> Check:
    truth = Truth(stream)

    def check(data: bytes, cuts: Cuts) -> str | None:
        read = read_body(pieces_of(data, cuts))
        return truth.difference(read, [bisect_right(cuts, end) for end in truth.ends])

    return check


def places_on(response: Response, stream: Stream) -> list[int]:
    """Where on the wire each chunk's last byte is."""
    return [response.body_at[end] for end in stream.ends]


def check_response(stream: Stream, response: Response) -> Check:
    truth = Truth(stream)
    ends = places_on(response, stream)

    def check(data: bytes, cuts: Cuts) -> str | None:
        read, was_complete = read_response(pieces_of(data, cuts))
        if was_complete is not response.ends_itself:
            return f"complete before the closing: {was_complete}"
        return truth.difference(read, [bisect_right(cuts, end) for end in ends])

    return check


def check_connection(stream: Stream, response: Response, line: Line) -> Check:
    truth = Truth(stream)
    ends = places_on(response, stream)

    def check(data: bytes, cuts: Cuts) -> str | None:
        sample, was_done = line.read(pieces_of(data, cuts))
        if was_done is not response.ends_itself:
            return f"done before the closing: {was_done}"
        if sample.end_ns != len(cuts):
            return f"ended at read {sample.end_ns}, not with the last, {len(cuts)}"
        return truth.difference(sample, [bisect_right(cuts, end) for end in ends])

    return check


def fuzz(name: str, data: bytes, check: Check, at_least: int) -> int:
    """Every single cut, every even size, then random ones up to the number asked."""
    rng = randomness(name)
    kinds = chain(
        [[]],
        single_cuts(data),
        even_cuts(data),
        (kind(rng, data) for _ in iter(int, 1) for kind in RANDOM_KINDS),
    )
    fixed = len(data) + 8
    return run_all(name, data, islice(kinds, max(fixed, at_least * TIMES)), check)


def run_all(name: str, data: bytes, splits: Iterator[Cuts], check: Check) -> int:
    """Check each; a failure is made as small as it can be."""
    count = 0
    for cuts in splits:
        rewind()
        reason = check(data, cuts)
        if reason is not None:
            least = smallest(list(cuts), lambda c: check(data, c) is not None)
            about = [f"{name}: {data!r}", f"cut at {least}: {pieces_of(data, least)}"]
            announce(name, count, "splits were right before")
            pytest.fail(complaint(about, check(data, least) or reason))
        count += 1
    return count


def test_any_split_of_a_body_gives_the_same_events() -> None:
    count = 0
    with alarm():
        for stream in STREAMS:
            share = BODY_SPLITS // len(STREAMS) + 1
            count += fuzz(stream.name, stream.body, check_body(stream), share)
    announce("bodies", count, "splits")
    assert count >= BODY_SPLITS


def test_every_pair_of_cuts_of_a_short_body_gives_the_same_events() -> None:
    count = 0
    with alarm():
        for stream in (SHORT, NAMED):
            body = stream.body
            count += run_all(stream.name, body, all_pairs(body), check_body(stream))
    announce("pairs", count, "splits")
    assert count >= PAIRS


def responses() -> list[tuple[Stream, Response, str]]:
    """Each stream as servers send it, and in one of the other framings."""
    return [
        (stream, framing(stream), f"{stream.name}, {framing.__name__}")
        for index, stream in enumerate(STREAMS)
        for framing in (event_chunks, FRAMINGS[1 + index % 3])
    ]


def test_any_split_of_a_response_gives_the_same_events() -> None:
    count = 0
    cases = responses()
    with alarm():
        for stream, response, name in cases:
            check = check_response(stream, response)
            share = RESPONSE_SPLITS // len(cases) + 1
            count += fuzz(name, response.wire, check, share)
    announce("responses", count, "splits")
    assert count >= RESPONSE_SPLITS


def test_any_split_on_a_connection_gives_the_same_sample() -> None:
    counts: list[int] = []

    def use(line: Line) -> None:
        cases = responses()
        for stream, response, name in cases:
            check = check_connection(stream, response, line)
            share = CONNECTION_SPLITS // len(cases) + 1
            counts.append(fuzz(name, response.wire, check, share))

    with alarm():
        on_line(use)
    announce("connections", sum(counts), "splits")
    assert sum(counts) >= CONNECTION_SPLITS
