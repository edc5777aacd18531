"""Streams that real servers sent, cut anywhere: what is read is what the whole stream
gives, and each chunk has the instant of the read that completed it."""

import json
import re
from bisect import bisect_right
from pathlib import Path

import pytest

from tests.fuzz.levels import Read, read_body
from tests.fuzz.seeds import TIMES, announce, randomness
from tests.fuzz.smallest import complaint, smallest
from tests.fuzz.splits import RANDOM_KINDS, Cuts, pieces_of
from tests.fuzz.watch import alarm, rewind

CAPTURES = Path(__file__).parents[1] / "contract/captures"
STREAMS = sorted(CAPTURES.rglob("*.sse"))
EACH = 400

_EVENT = re.compile(rb"data: (\{.*\})\n\n")
"""The servers that were captured frame all their events so."""


def ends_of(body: bytes) -> list[int]:
    """Places of the bytes that complete the events with a choice."""
    return [
        found.end() - 1
        for found in _EVENT.finditer(body)
        if json.loads(found[1]).get("choices")
    ]


def told(read: Read) -> tuple[object, ...]:
    """Everything but the instants."""
    chunks = [(c.text, c.is_reasoning, c.tokens_so_far) for c in read.chunks]
    counts = (read.prompt_tokens, read.output_tokens, read.finish_reason)
    return (chunks, *counts, read.error, read.speculation)


def test_there_are_captured_streams() -> None:
    assert len(STREAMS) >= 5


@pytest.mark.parametrize(
    "path", STREAMS, ids=lambda p: str(p.relative_to(CAPTURES)).removesuffix(".sse")
)
def test_any_split_of_a_captured_stream_gives_the_same_reading(path: Path) -> None:
    body = path.read_bytes()
    whole = told(read_body([body]))
    ends = ends_of(body)
    assert ends

    def is_wrong(cuts: Cuts) -> bool:
        read = read_body(pieces_of(body, cuts))
        stamps = [chunk.arrival_ns for chunk in read.chunks]
        return told(read) != whole or stamps != [bisect_right(cuts, e) for e in ends]

    rng = randomness(path.name)
    with alarm():
        for index in range(EACH * TIMES):
            rewind()
            cuts = RANDOM_KINDS[index % len(RANDOM_KINDS)](rng, body)
            if is_wrong(cuts):
                announce(path.name, index, "splits were right before")
                least = smallest(list(cuts), is_wrong)
                pytest.fail(complaint([f"{path}, cut at {least}"], "read otherwise"))
