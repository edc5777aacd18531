"""The metronome's bytes, made ahead: whatever the trace and the number, they are one
whole answer."""

from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.http1 import STREAM_HEAD
from specbench.sim.metronome_schedule import (
    AnswerBytes,
    answer_bytes,
    answer_id,
    even_traces,
    random_traces,
)
from specbench.wire.completions import StreamReading, read_stream
from specbench.wire.http1 import ResponseReader

TRACES = st.lists(st.integers(1, 9), min_size=1, max_size=12).map(tuple)


def read_answer(answer: AnswerBytes, ident: bytes) -> StreamReading:
    """All pieces as the loop sends them."""
    reader = ResponseReader()
    pieces = [STREAM_HEAD + ident.join(answer.role)]
    pieces += [h + ident + t for h, t in zip(answer.heads, answer.tails, strict=True)]
    pieces.append(ident.join(answer.ending))
    for instant, piece in enumerate(pieces):
        reader.feed(instant, piece)
    assert reader.is_complete
    return read_stream(reader.body)


@given(TRACES, st.integers(0, 9999), st.integers(0, 10**12 - 1))
def test_the_pieces_of_an_answer_are_whole_events_in_whole_chunks(
    tokens: tuple[int, ...], worker: int, number: int
) -> None:
    reading = read_answer(
        answer_bytes(tokens, 1_700_000_000), answer_id(worker, number)
    )
    assert reading.error is None
    assert reading.is_done
    texts = [chunk for chunk in reading.chunks if chunk.text]
    assert [chunk.arrival_ns for chunk in texts] == list(range(1, len(tokens) + 1))
    counts = [sum(tokens[: place + 1]) for place in range(len(tokens))]
    assert [chunk.tokens_so_far for chunk in texts] == counts
    assert reading.output_tokens == sum(tokens)
    assert reading.finish_reason == "length"


@given(st.integers(1, 50), st.integers(1, 9))
def test_even_traces_hold_the_same_in_each_chunk(chunks: int, tokens: int) -> None:
    assert even_traces(chunks, tokens) == ((tokens,) * chunks,)


@given(st.integers(1, 50), st.integers())
def test_random_traces_are_long_enough_and_the_seed_s_own(
    chunks: int, seed: int
) -> None:
    traces = random_traces(chunks, seed)
    assert traces == random_traces(chunks, seed)
    assert {len(trace) for trace in traces} == {chunks}
    assert all(1 <= tokens <= 5 for trace in traces for tokens in trace)


def test_no_two_answers_of_a_server_share_an_id() -> None:
    ids = {answer_id(worker, number) for worker in range(3) for number in range(5)}
    assert len(ids) == 15
    assert {len(ident) for ident in ids} == {25}
