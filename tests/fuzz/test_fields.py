"""Every field of every event of every stream, with every odd value in turn, left out,
or twice: read, or failed with a reason; and what was read can be kept."""

from collections.abc import Iterator

import pytest

from tests.fuzz.fields import odd_documents
from tests.fuzz.fixtures import STREAMS
from tests.fuzz.keeper import Keeper
from tests.fuzz.levels import make_sample
from tests.fuzz.seeds import announce
from tests.fuzz.smallest import complaint
from tests.fuzz.sound import unsound
from tests.fuzz.streams import Stream, serialised
from tests.fuzz.watch import alarm, rewind

AT_LEAST = 20_000


def odd_bodies(stream: Stream) -> Iterator[tuple[bytes, bytes]]:
    """(odd document, the body with it)."""
    for index, part in enumerate(stream.parts):
        if part.document is None:
            continue
        whole = serialised(part.document, escaped=part.is_escaped)
        assert whole in part.sent
        before = b"".join(p.sent for p in stream.parts[:index])
        after = b"".join(p.sent for p in stream.parts[index + 1 :])
        for odd in odd_documents(part.document):
            yield odd, before + part.sent.replace(whole, odd) + after


def wrong(body: bytes, keeper: Keeper, odd: bytes) -> str | None:
    """Why a body was not read as it should be; an exception is a reason."""
    try:
        sample = make_sample(((0, body),), 200, None, 0)
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        return f"{type(error).__name__}: {error}"[:300]
    keeper.take(odd, sample)
    return unsound(sample, 1)


def test_there_are_enough_odd_documents() -> None:
    count = sum(1 for stream in STREAMS for _ in odd_bodies(stream))
    announce("fields", count, "odd documents")
    assert count >= AT_LEAST


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_odd_fields_are_read_or_fail_with_a_reason_and_can_be_kept(
    stream: Stream,
) -> None:
    keeper = Keeper()
    reasons: dict[str, bytes] = {}
    with alarm():
        for odd, body in odd_bodies(stream):
            rewind()
            reason = wrong(body, keeper, odd)
            if reason is not None and len(odd) < len(reasons.get(reason, odd + b".")):
                reasons[reason] = odd
        unread = [f"{reason}: {odd[:200]!r}" for reason, odd in reasons.items()]
        unkept = keeper.complaints()
    if unread or unkept:
        lines = [*(f"read: {line}" for line in unread), *(f"kept: {u}" for u in unkept)]
        pytest.fail(complaint([stream.name, *lines], "smallest documents above"))
