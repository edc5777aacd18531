"""Streamed answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.sample import Chunk
from specbench.wire.completions import StreamReading, read_stream
from tests.unit.wire.pieces import cut, mutate, single_bytes
from tests.unit.wire.streams import (
    DONE,
    NS_PER_MS,
    ROLE,
    STOP,
    at,
    chat,
    event,
    usage,
    usage_event,
)

PLAIN = (
    ROLE
    + chat({"content": "Ja, "}, usage=None)
    + chat({"content": "温度 23℃ 😀"}, usage=usage(9, 4))
    + b": ping\r\n\r\n"
    + chat({"content": "."}, usage=usage(9, 5), finish_reason="stop")
    + usage_event(9, 5)
    + DONE
)


def texts(reading: StreamReading) -> list[str]:
    return [chunk.text for chunk in reading.chunks]


def read_once(data: bytes) -> StreamReading:
    return read_stream([(0, data)])


def test_whole_answer_is_read() -> None:
    reading = read_once(PLAIN)
    assert texts(reading) == ["", "Ja, ", "温度 23℃ 😀", "."]
    assert [chunk.tokens_so_far for chunk in reading.chunks] == [None, None, 4, 5]
    assert (reading.prompt_tokens, reading.output_tokens) == (9, 5)
    assert reading.finish_reason == "stop"
    assert reading.error is None
    assert reading.speculation is None
    assert reading.is_done


@given(cut(PLAIN))
def test_any_split_gives_the_same_reading(pieces: list[bytes]) -> None:
    assert read_stream([(0, piece) for piece in pieces]) == read_once(PLAIN)


def test_chunk_has_the_stamp_of_the_piece_that_completed_its_event() -> None:
    stamped = list(enumerate(single_bytes(PLAIN)))
    ends = [i + 1 for i in range(len(PLAIN)) if PLAIN[: i + 2].endswith(b"\n\n")]
    reading = read_stream(stamped)
    assert [chunk.arrival_ns for chunk in reading.chunks] == ends[:4]


# H01: a chunk may hold several tokens; only usage tells.
def test_tokens_are_those_of_usage_and_not_the_chunks() -> None:
    sizes = [3, 4, 2, 3]
    events = [(40.0, ROLE)]
    for index, size in enumerate(sizes):
        text = "".join(f" word{index}{i}" for i in range(size))
        events.append((200.0 + 60 * index, chat({"content": text})))
    reading = read_stream(
        at(*events, (390.0, STOP), (391.0, usage_event(11, 12)), (391.0, DONE))
    )
    assert reading.output_tokens == 12
    with_text = [chunk for chunk in reading.chunks if chunk.text]
    assert [c.arrival_ns // NS_PER_MS for c in with_text] == [200, 260, 320, 380]


# H02: the transport cuts where it likes; comments and line ends vary.
def test_blanks_of_the_text_survive_the_transport() -> None:
    words = ["alpha", " beta", " gamma ", "\n", " end "]
    sent = b": keep-alive\r\n\r\n:\r\n\r\nevent: message\r\n"
    for index, word in enumerate(words):
        body = chat({"content": word}).removeprefix(b"data: ").rstrip(b"\n")
        sent += (b"data:" if index % 2 else b"data: ") + body + b"\r\n\r\n"
    sent += (usage_event(9, 5) + DONE).replace(b"\n", b"\r\n")
    for pieces in ([sent], single_bytes(sent)):
        reading = read_stream([(0, piece) for piece in pieces])
        assert reading.error is None
        assert "".join(texts(reading)) == "alpha beta gamma \n end "
        assert (reading.prompt_tokens, reading.output_tokens) == (9, 5)


# H03: a read may end inside a character.
@pytest.mark.parametrize("text", ["温度は 23℃", "😀 é", "a\u2028b", "\u0085\x0b"])
def test_characters_cut_in_half_are_whole_again(text: str) -> None:
    body = json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)
    sent = b"data: " + body.encode() + b"\n\n" + DONE
    reading = read_stream([(0, piece) for piece in single_bytes(sent)])
    assert texts(reading) == [text]
    assert reading.error is None


def test_half_of_a_surrogate_pair_does_not_fail_the_request() -> None:
    sent = b'data: {"choices":[{"delta":{"content":"a\\ud83d b"}}]}\n\n' + DONE
    reading = read_once(sent)
    assert reading.error is None
    assert texts(reading) == ["a\ufffd b"]


# H04: usage is null until the last event, which has no choice.
def test_usage_event_without_choices_is_no_chunk() -> None:
    sent = b"".join(chat({"content": word}, usage=None) for word in "abcd")
    reading = read_once(sent + STOP + usage_event(17, 4) + DONE)
    assert texts(reading) == ["a", "b", "c", "d", ""]
    assert (reading.prompt_tokens, reading.output_tokens) == (17, 4)
    assert reading.error is None


# H05: reasoning is generated text, under either name.
@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_text_and_its_tokens_are_inside_the_count(name: str) -> None:
    thoughts = [chat({name: word, "content": None}) for word in ("Let", " me", " see")]
    answers = [chat({"content": word}) for word in ("It", " is")]
    last = event({"choices": [], "usage": usage(14, 5, reasoning_tokens=3)})
    reading = read_once(ROLE + b"".join(thoughts + answers) + STOP + last + DONE)
    assert texts(reading) == ["", "Let", " me", " see", "It", " is", ""]
    marks = [chunk.is_reasoning for chunk in reading.chunks]
    assert marks == [False, True, True, True, False, False, False]
    assert reading.output_tokens == 5


def test_reasoning_sent_under_both_names_counts_once() -> None:
    reading = read_once(chat({"reasoning": "so", "reasoning_content": "so"}) + DONE)
    assert texts(reading) == ["so"]


def test_chunk_with_reasoning_and_answer_is_answer() -> None:
    reading = read_once(chat({"reasoning": "so: ", "content": "7"}) + DONE)
    assert texts(reading) == ["so: 7"]
    assert not reading.chunks[0].is_reasoning


# H06: an error inside a stream whose status was 200.
@pytest.mark.parametrize(
    "failure",
    [
        event({"error": {"message": "engine gone", "type": "Internal", "code": 500}}),
        event({"error": {"message": "engine gone"}}),
        event({"error": "engine gone"}),
        event({"object": "error", "message": "engine gone", "code": 500}),
        b"event: error\n" + event({"detail": "engine gone"}),
    ],
)
def test_error_event_is_the_error_and_keeps_what_came_before(failure: bytes) -> None:
    before = ROLE + chat({"content": "one"}) + chat({"content": " two"})
    reading = read_once(before + failure + DONE)
    assert reading.error is not None
    assert "engine gone" in reading.error
    assert texts(reading) == ["", "one", " two"]
    assert reading.is_done


def test_error_event_without_a_message_is_quoted() -> None:
    reading = read_once(event({"error": {"reason": 7}}) + DONE)
    assert reading.error == '{"reason":7}'


def test_null_error_is_no_error() -> None:
    assert read_once(chat({"content": "x"}, error=None) + DONE).error is None


# H07: nothing or one token generated.
def test_empty_answer_has_no_text_and_no_error() -> None:
    reading = read_once(ROLE + STOP + usage_event(5, 0) + DONE)
    assert texts(reading) == ["", ""]
    assert reading.output_tokens == 0
    assert reading.error is None


def test_answer_of_one_token_has_one_text() -> None:
    reading = read_once(ROLE + chat({"content": "4"}) + STOP + usage_event(5, 1) + DONE)
    assert [text for text in texts(reading) if text] == ["4"]
    assert reading.output_tokens == 1


def test_server_without_usage_has_no_counts() -> None:
    reading = read_once(chat({"content": "x"}) + DONE)
    assert (reading.prompt_tokens, reading.output_tokens) == (None, None)


@pytest.mark.parametrize("count", ["7", -1, 2.5, True, None, [7]])
def test_count_that_is_none_is_no_count(count: object) -> None:
    sent = event({"choices": [], "usage": {"completion_tokens": count}})
    assert read_once(sent + DONE).output_tokens is None


def test_text_completion_is_read() -> None:
    first = event({"choices": [{"text": " one", "finish_reason": None}]})
    last = event({"choices": [{"text": " two", "finish_reason": "length"}]})
    reading = read_once(first + last + DONE)
    assert texts(reading) == [" one", " two"]
    assert reading.finish_reason == "length"


def test_request_figures_of_the_engine_are_kept() -> None:
    figures = {"num_spec_steps": 21, "acceptance_histogram": [1, 18, 0, 2]}
    last = event({"choices": [], "metrics": {"speculative_decoding": figures}})
    assert read_once(last + DONE).speculation == figures


FIGURES = {"spec_verify_ct": 2, "spec_correct_drafts_histogram": [0, 1, 1]}


def sglang_figures() -> bytes:
    """An event of its own, before the usage."""
    details = {"spec_tokens_details": FIGURES}
    return event({"choices": [], "usage": None, "sglext": details})


def test_figures_on_an_event_of_their_own_are_kept() -> None:
    text = event({"choices": [{"delta": {"content": "one"}}]})
    usage = event({"choices": [], "usage": {"completion_tokens": 3}})
    reading = read_once(text + sglang_figures() + usage + DONE)
    assert reading.speculation == FIGURES
    assert reading.output_tokens == 3
    assert texts(reading) == ["one"]


@pytest.mark.parametrize(
    "after", [b"", b'data: {"cho', event({"error": {"message": "gone"}}) + DONE]
)
def test_figures_that_came_before_a_stream_broke_are_kept(after: bytes) -> None:
    reading = read_once(sglang_figures() + after)
    assert reading.error is not None
    assert reading.speculation == FIGURES


@pytest.mark.parametrize(
    "sglext", [None, 3, [], {}, {"spec_tokens_details": [FIGURES, FIGURES]}]
)
def test_other_engine_extras_are_no_figures(sglext: object) -> None:
    reading = read_once(event({"choices": [], "sglext": sglext}) + DONE)
    assert reading.error is None
    assert reading.speculation is None


@pytest.mark.parametrize("metrics", [None, 3, {}, {"speculative_decoding": None}])
def test_absent_request_figures_are_none(metrics: object) -> None:
    reading = read_once(event({"choices": [], "metrics": metrics}) + DONE)
    assert reading.speculation is None


@pytest.mark.parametrize(
    "body",
    [
        {"choices": None},
        {"choices": [3]},
        {"choices": {}},
        {"usage": 3},
        {},
    ],
)
def test_odd_shapes_are_passed_over(body: object) -> None:
    reading = read_once(event(body) + DONE)
    assert reading.chunks == ()
    assert reading.error is None


@pytest.mark.parametrize(
    "choice",
    [{}, {"delta": None}, {"delta": {}}, {"delta": {"content": 3}}, {"text": None}],
)
def test_choice_without_text_is_a_chunk_without_text(choice: object) -> None:
    reading = read_once(event({"choices": [choice]}) + DONE)
    assert reading.chunks == (Chunk(0, "", is_reasoning=False, tokens_so_far=None),)


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        (b'data: {"choices": [\n\n', "event 2 is not JSON"),
        (b"data: overloaded\n\n", "event 2 is not JSON"),
        (b"data: " + b"[" * 5000 + b"\n\n", "event 2 is not JSON"),
        (b"data: [1, 2]\n\n", "event 2 is not an object"),
    ],
)
def test_broken_event_is_an_error_with_the_place(broken: bytes, what: str) -> None:
    reading = read_once(ROLE + broken + chat({"content": "x"}) + DONE)
    assert reading.error is not None
    assert reading.error.startswith(what)
    assert texts(reading) == ["", "x"]


def test_first_error_is_kept() -> None:
    failure = event({"error": {"message": "first"}}) + event({"error": "second"})
    assert read_once(failure).error == "first"


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        (ROLE + STOP, "ended without [DONE], after event 2"),
        (ROLE + STOP[:-9], "after event 1, inside an event"),
        (b'{"error": "no"}', 'holds no event; it begins with \'{"error": "no"}\''),
        (b"", "no body"),
    ],
)
def test_stream_that_ends_early_is_an_error(sent: bytes, what: str) -> None:
    reading = read_once(sent)
    assert not reading.is_done
    assert reading.error is not None
    assert what in reading.error


@given(st.integers(0, len(PLAIN) - 1))
def test_no_cut_before_done_passes_for_a_whole_answer(length: int) -> None:
    reading = read_once(PLAIN[:length])
    assert reading.is_done == (reading.error is None)
    assert reading.is_done == (length >= len(PLAIN) - len("\n\n"))


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
def test_done_counts_without_its_blank_line(end: bytes) -> None:
    reading = read_once(ROLE + STOP + b"data: [DONE]" + end)
    assert reading.is_done
    assert reading.error is None


def test_what_follows_done_is_nobodys() -> None:
    assert read_once(PLAIN + chat({"content": "x"})) == read_once(PLAIN)


@given(mutate(PLAIN).flatmap(cut))
def test_mutated_stream_never_raises(pieces: list[bytes]) -> None:
    read_stream([(0, piece) for piece in pieces])


@given(st.lists(st.tuples(st.integers(), st.binary(max_size=40))))
def test_no_bytes_raise(pieces: list[tuple[int, bytes]]) -> None:
    read_stream(pieces)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = ["choices", "delta", "content", "text", "usage", "error", "metrics", "object"]


@given(st.dictionaries(st.sampled_from(KEYS), JSON), JSON)
def test_no_json_raises(body: dict[str, object], choice: object) -> None:
    read_once(event(body) + event({"choices": [choice], "usage": body}) + DONE)
