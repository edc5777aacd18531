"""Server-sent events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.wire.sse import SseDecoder, SseEvent
from tests.unit.wire.pieces import cut, single_bytes

MIXED = (
    b"\xef\xbb\xbf: keep-alive 1\r\n\r\ndata:one\r\rdata: two\n\n:\n\n"
    b"event: message\r\ndata: three\r\ndata:  lines \r\ndata\r\n\r\n"
    b'id: 7\nretry: 10\ndata: {"t": "\xe6\xb8\xa9\xe5\xba\xa6 \xe2\x80\xa8 end "}\n\n'
    b"event: lonely\n\ndata: \xf0\x9f\x98\x80\r\n\r\ndata: unfinished\n"
)
MIXED_EVENTS = [
    SseEvent("one", None),
    SseEvent("two", None),
    SseEvent("three\n lines \n", "message"),
    SseEvent('{"t": "温度 \u2028 end "}', None),
    SseEvent("😀", None),
]

LINES = st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=20)


def decode(pieces: list[bytes]) -> list[SseEvent]:
    decoder = SseDecoder()
    return [event for piece in pieces for event in decoder.feed(piece)]


@given(cut(MIXED))
def test_decoder_yields_same_events_for_any_split(pieces: list[bytes]) -> None:
    assert decode(pieces) == MIXED_EVENTS


def test_decoder_yields_same_events_byte_by_byte() -> None:
    assert decode(single_bytes(MIXED)) == MIXED_EVENTS


@given(
    st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.data(),
)
def test_any_text_comes_back_whole(
    events: list[list[str]], line_end: str, data: st.DataObject
) -> None:
    sent = "".join(
        "".join(f"data: {line}{line_end}" for line in lines) + line_end
        for lines in events
    ).encode()
    got = decode(data.draw(cut(sent)))
    assert [event.data for event in got] == ["\n".join(lines) for lines in events]


@given(st.lists(st.binary(max_size=30)))
def test_no_bytes_raise(pieces: list[bytes]) -> None:
    decode(pieces)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"data:x\n\n", "x"),
        (b"data: x\n\n", "x"),
        (b"data:  x \n\n", " x "),
        (b"data\n\n", ""),
        (b"data:\ndata:\n\n", "\n"),
        (b"data: a:b\n\n", "a:b"),
        (b"data: a\x0bb\x0cc\xc2\x85d\n\n", "a\x0bb\x0cc\x85d"),
        (b"data: \xff\n\n", "�"),
        (b"datax: y\ndata: x\n\n", "x"),
        (b" data: y\ndata: x\n\n", "x"),
    ],
)
def test_data_is_what_the_standard_says(sent: bytes, expected: str) -> None:
    assert [event.data for event in decode([sent])] == [expected]


@pytest.mark.parametrize(
    "sent", [b"", b"\n\n\n", b": ping\n\n", b"event: x\n\n", b"id: 1\n\n", b"data: x\n"]
)
def test_nothing_without_data_or_a_blank_line_is_an_event(sent: bytes) -> None:
    assert decode([sent]) == []


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_event_comes_from_the_feed_that_completes_its_blank_line(
    line_end: bytes,
) -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: x" + line_end) == []
    assert decoder.feed(line_end[:1]) == [SseEvent("x", None)]
    assert decoder.feed(line_end[1:] + b"data: y" + line_end) == []
    assert decoder.feed(line_end) == [SseEvent("y", None)]


def test_line_feed_after_a_counted_carriage_return_is_no_second_line_end() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: x\r") == []
    assert decoder.feed(b"\n") == []
    assert decoder.feed(b"data: y\r\n\r") == [SseEvent("x\ny", None)]


def test_byte_order_mark_counts_at_the_start_only() -> None:
    bom = b"\xef\xbb\xbf"
    events = decode([bom[:1], bom[1:] + b"data: a\n\n" + bom + b"data: b\n\n"])
    assert events == [SseEvent("a", None)]


def test_event_name_belongs_to_one_event() -> None:
    events = decode([b"event: a\nevent: error\ndata: 1\n\ndata: 2\n\n"])
    assert [event.event for event in events] == ["error", None]


@pytest.mark.parametrize(
    ("sent", "is_inside"),
    [(b"", False), (b"data: x\n\n", False), (b"data: x\n", True), (b"da", True)],
)
def test_decoder_knows_when_something_would_be_lost(
    sent: bytes, *, is_inside: bool
) -> None:
    decoder = SseDecoder()
    decoder.feed(sent)
    assert decoder.is_inside_event is is_inside
