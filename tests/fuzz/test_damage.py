"""Blind damage to bodies, responses and connections ends in a valid reading or in a
failed one with a reason: never in an exception, never in a hang."""

import random
from collections.abc import Callable, Iterator

import pytest

from tests.fuzz.damage import damaged
from tests.fuzz.fixtures import STREAMS
from tests.fuzz.framing import FRAMINGS
from tests.fuzz.keeper import BATCH, Keeper
from tests.fuzz.levels import Line, on_line, read_body, read_response
from tests.fuzz.seeds import TIMES, announce, randomness
from tests.fuzz.smallest import complaint, smallest
from tests.fuzz.sound import unsound
from tests.fuzz.splits import pieces_of, random_many
from tests.fuzz.watch import alarm, rewind

BODIES = 20_000
RESPONSES = 10_000
CONNECTIONS = 10_000

Check = Callable[[list[bytes]], str | None]


def test_there_is_enough_damage() -> None:
    assert BODIES + RESPONSES + CONNECTIONS >= 10_000


def inputs(rng: random.Random, sources: list[bytes], count: int) -> Iterator[bytes]:
    """Damaged copies, of each source equally often."""
    for index in range(count * TIMES):
        yield damaged(rng, sources[index % len(sources)])


def reads_of(rng: random.Random, data: bytes) -> list[bytes]:
    """One read, or up to some twenty."""
    if len(data) < 4 or rng.random() < 0.3:
        return [data]
    return pieces_of(data, random_many(rng, data))


def fuzz(name: str, sources: list[bytes], count: int, check: Check) -> int:
    """Check each; a failure is made as small as it can be."""
    rng = randomness(name)
    done = 0
    for data in inputs(rng, sources, count):
        rewind()
        reads = reads_of(rng, data)
        reason = found(check, reads)
        if reason is not None:
            announce(name, done, "inputs were right before")
            pytest.fail(shrunk(name, data, reads, check, reason))
        done += 1
    announce(name, done, "damaged inputs")
    return done


def shrunk(
    name: str, data: bytes, reads: list[bytes], check: Check, reason: str
) -> str:
    """The failure with the smallest input: in one read, else a byte a read, else as
    it was."""
    for form, cut in (("in one read", whole), ("a byte a read", single)):
        if found(check, cut(data)) is not None:

            def fails(part: bytes, cut: Callable[[bytes], list[bytes]] = cut) -> bool:
                return found(check, cut(part)) is not None

            least = smallest(data, fails)
            again = found(check, cut(least)) or reason
            return complaint([f"{name}, {form}: {least!r}"], again)
    return complaint([f"{name}, in reads: {reads!r}"], reason)


def whole(data: bytes) -> list[bytes]:
    return [data]


def single(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def found(check: Check, reads: list[bytes]) -> str | None:
    """What is wrong; an exception is."""
    try:
        return check(reads)
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        return f"{type(error).__name__}: {error}"[:300]


def test_damaged_bodies_are_read_or_fail_with_a_reason() -> None:
    def check(reads: list[bytes]) -> str | None:
        return unsound(read_body(reads), len(reads))

    with alarm():
        count = fuzz("bodies", [s.body for s in STREAMS], BODIES, check)
    assert count >= BODIES


def wires() -> list[bytes]:
    return [framing(stream).wire for stream in STREAMS for framing in FRAMINGS]


def test_damaged_responses_are_read_or_fail_with_a_reason() -> None:
    def check(reads: list[bytes]) -> str | None:
        sample, _ = read_response(reads)
        return unsound(sample, len(reads))

    with alarm():
        count = fuzz("responses", wires(), RESPONSES, check)
    assert count >= RESPONSES


def test_damage_on_a_connection_is_a_sample_or_a_failed_one() -> None:
    counts: list[int] = []

    def use(line: Line) -> None:
        def check(reads: list[bytes]) -> str | None:
            sample, _ = line.read(reads)
            return unsound(sample, len(reads))

        counts.append(fuzz("connections", wires(), CONNECTIONS, check))

    with alarm():
        on_line(use)
    assert sum(counts) >= CONNECTIONS


def test_what_was_read_of_damaged_responses_can_be_kept_and_summarised() -> None:
    keeper = Keeper()

    def check(reads: list[bytes]) -> str | None:
        sample, _ = read_response(reads)
        keeper.take(b"".join(reads), sample)
        return None

    with alarm():
        fuzz("kept", wires(), BATCH * 10, check)
        complaints = keeper.complaints()
    assert complaints == []
