"""An answer that breaks off is never taken for a whole one, wherever it breaks off; and
what came before the break is read as if there were none."""

from collections.abc import Sequence

import pytest

from specbench.schema.sample import Outcome, RequestSample
from tests.fuzz.fixtures import STREAMS
from tests.fuzz.framing import FRAMINGS
from tests.fuzz.levels import Line, on_line, read_body, read_response
from tests.fuzz.streams import Stream

WHOLE = [stream for stream in STREAMS if stream.error is None]
DONE_WORDS = (b"data: [DONE]", b"data:[DONE]")


def end_of_done(stream: Stream) -> int:
    """Where the last byte of the closing word is; what follows may be missing."""
    body = stream.body
    return max(body.find(word) + len(word) for word in DONE_WORDS if word in body)


@pytest.mark.parametrize("stream", WHOLE, ids=lambda s: s.name)
def test_a_body_that_ends_before_done_fails_and_keeps_its_chunks(
    stream: Stream,
) -> None:
    body = stream.body
    for length in range(end_of_done(stream)):
        read = read_body([body[:length]])
        assert read.error, f"{length} bytes: {body[max(0, length - 40) : length]!r}"
        kept = [t for t, end in zip(stream.tokens, stream.ends, strict=True)]
        there = sum(end < length for end in stream.ends)
        texts = [(c.text, c.is_reasoning, c.tokens_so_far) for c in read.chunks]
        assert texts == kept[:there]


@pytest.mark.parametrize("stream", STREAMS, ids=lambda s: s.name)
def test_a_response_that_says_its_length_fails_wherever_it_is_cut(
    stream: Stream,
) -> None:
    for framing in FRAMINGS:
        response = framing(stream)
        if not response.ends_itself:
            continue
        for length in range(len(response.wire)):
            sample, was_complete = read_response([response.wire[:length]])
            assert not was_complete, f"{framing.__name__}, {length} bytes"
            assert sample.error, f"{framing.__name__}, {length} bytes"


def test_a_connection_that_closes_early_fails_wherever_it_does() -> None:
    def use(line: Line) -> None:
        for stream in STREAMS[::3]:
            wire = FRAMINGS[0](stream).wire
            for length in range(1, len(wire), 3):
                sample, was_done = line.read([wire[:length]])
                assert not was_done, f"{stream.name}, {length} bytes"
                assert_failed(sample, stream.tokens)

    on_line(use)


STRAY = (b"\r\n", b"x", b"HTTP/1.1 408 Request Timeout\r\n\r\n")


def test_a_whole_response_is_done_whatever_follows_in_its_last_read() -> None:
    """Else it would be waited for until the stall limit, and fail."""

    def use(line: Line) -> None:
        for stray in STRAY:
            for framing in FRAMINGS[:2]:
                wire = framing(WHOLE[0]).wire
                head = wire.index(b"\r\n\r\n") + 4
                sample, was_done = line.read([wire[:head], wire[head:] + stray])
                assert was_done, (framing.__name__, stray)
                assert sample.outcome is Outcome.OK

    on_line(use)


def test_line_ends_that_the_reader_takes_end_the_exchange_too() -> None:
    """A single LF may end a line (RFC 9112, section 2.2): take it everywhere, or
    refuse it; not wait for the stall limit."""
    body = WHOLE[0].body
    head = b"HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n"
    wire = head + b"%x\n%b\n0\n\n" % (len(body), body)

    def use(line: Line) -> None:
        _, was_done = line.read([wire[: len(head)], wire[len(head) :]])
        assert was_done

    on_line(use)


def assert_failed(sample: RequestSample, tokens: Sequence[object]) -> None:
    assert sample.outcome is Outcome.FAILED
    assert sample.error
    assert len(sample.chunks) <= len(tokens)
    assert [c.arrival_ns for c in sample.chunks] == [0] * len(sample.chunks)
