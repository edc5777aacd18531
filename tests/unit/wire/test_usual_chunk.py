"""The short ways read what the long way reads, and nothing that they should not."""

import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.sample import Chunk
from specbench.wire.completions import StreamReading, read_stream
from specbench.wire.usual_chunk import UsualChunks
from tests.unit.wire.pieces import mutate

NUMBERS = st.integers(-1, 20) | st.integers(10**6, 10**8) | st.none() | st.floats(0, 9)
TEXTS = st.text(max_size=6) | st.sampled_from(['"', "\\", "\n", "\u2028", "温", ""])


def event(body: object, *, is_compact: bool = True) -> bytes:
    """As vLLM serialises (compact), or as json.dumps does."""
    separators = (",", ":") if is_compact else None
    text = json.dumps(body, ensure_ascii=False, separators=separators)
    return b"data: " + text.encode("utf-8", "replace") + b"\n\n"


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    delta: dict[str, Any] = {"content": draw(TEXTS)}
    if draw(st.integers(0, 9)) == 0:
        delta["reasoning"] = draw(TEXTS | st.none())
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": None}
    if draw(st.integers(0, 9)) == 0:
        choice["finish_reason"] = draw(st.sampled_from(["stop", "length", "error"]))
    body: dict[str, Any] = {"id": "c-17", "created": 5, "choices": [choice]}
    if draw(st.integers(0, 4)):
        body["usage"] = {
            "prompt_tokens": draw(NUMBERS),
            "total_tokens": draw(NUMBERS),
            "completion_tokens": draw(NUMBERS),
        }
    if draw(st.integers(0, 12)) == 0:
        body["metrics"] = {"speculative_decoding": {"num_spec_steps": 3}}
    if draw(st.integers(0, 12)) == 0:
        body["sglext"] = {"spec_tokens_details": {"spec_verify_ct": 3}}
    return body


def read_the_long_way(pieces: list[tuple[int, bytes]]) -> StreamReading:
    with patch.object(UsualChunks, "read", lambda *_: None):
        return read_stream(pieces)


def as_pieces(events: list[bytes]) -> list[tuple[int, bytes]]:
    return [(10 * place, data) for place, data in enumerate(events)]


@given(st.lists(bodies(), max_size=8), st.booleans(), st.booleans())
def test_both_ways_read_the_same_from_any_events(
    sent: list[dict[str, Any]],
    is_compact: bool,
    is_done: bool,
) -> None:
    events = [event(body, is_compact=is_compact) for body in sent]
    pieces = as_pieces([*events, b"data: [DONE]\n\n"] if is_done else events)
    assert read_stream(pieces) == read_the_long_way(pieces)


PLAIN = [
    event(
        {
            "id": "c-17",
            "choices": [{"index": 0, "delta": {"content": f" w{n}"}, "x": None}],
            "usage": {"prompt_tokens": 9, "completion_tokens": n, "d": {"r": 0}},
        }
    )
    for n in range(1, 5)
]


@given(st.data())
def test_both_ways_read_the_same_from_damaged_events(data: st.DataObject) -> None:
    events = list(PLAIN)
    place = data.draw(st.integers(0, len(events) - 1))
    events[place] = data.draw(mutate(events[place]))
    pieces = as_pieces(events)
    assert read_stream(pieces) == read_the_long_way(pieces)


def test_only_the_first_event_of_a_usual_stream_is_read_as_json() -> None:
    usual = UsualChunks()
    assert usual.read(PLAIN[0], 1) == Chunk(1, " w1", False, 1)
    with patch("specbench.wire.usual_chunk.orjson.loads") as loads:
        assert usual.read(PLAIN[1], 2) == Chunk(2, " w2", False, 2)
        assert usual.prompt_tokens == 9
        loads.assert_not_called()


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "x"}, "choices": [{"delta": {"content": "a"}}]},
        {"object": "error", "choices": [{"delta": {"content": "a"}}]},
        {"choices": [{"delta": {"content": "a", "reasoning": "b"}}]},
        {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]},
        {"choices": [{"delta": {"content": "a"}, "text": "b"}]},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": []},
        {"choices": [{"delta": {"content": "a"}}] * 2},
        [],
    ],
)
def test_what_is_not_usual_is_left_to_the_long_way(body: object) -> None:
    assert UsualChunks().read(event(body), 1) is None


def test_a_stream_whose_events_change_shape_is_still_read_right() -> None:
    shapes = [
        {f"key{'x' * n}": n, "choices": [{"delta": {"content": f"t{n}"}}]}
        for n in range(12)
    ]
    pieces = as_pieces([event(body) for body in shapes * 2])
    assert read_stream(pieces) == read_the_long_way(pieces)
    assert [c.text for c in read_stream(pieces).chunks[:3]] == ["t0", "t1", "t2"]


ODD_TEMPLATES = [
    # a second content key, with a blank: the pattern could take the wrong one
    b'{"echo":{"content":"y"},"choices":[{"delta":{"content": "t%d"}}]}',
    # counts that belong to something else than the usage
    b'{"choices":[{"delta":{"content":"t%d"}}],"x":{"prompt_tokens":9,'
    b'"completion_tokens":60},"usage" :{"prompt_tokens":9,"completion_tokens":2},'
    b'"z":{"usage":{}}}',
    b'{"choices":[{"delta":{"content":"t%d"}}],"usage":{"prompt_tokens":9,'
    b'"completion_tokens":2},"usage":{"prompt_tokens":9,"completion_tokens":60}}',
    b'{"choices":[{"delta":{"content":"t%d"}}],"p":1e5}',
    b'{"choices":[{"delta":{"content":"t%d"}}],"p":-1}',
]


@pytest.mark.parametrize("template", ODD_TEMPLATES)
def test_what_could_be_taken_for_something_else_is_no_template(template: bytes) -> None:
    events = [b"data: " + template % n + b"\n\n" for n in range(3)]
    events.append(events[0].replace(b"1e5", b"1e999").replace(b"60", b"61"))
    pieces = as_pieces(events)
    assert read_stream(pieces) == read_the_long_way(pieces)
