"""H14, data files of both formats damaged in any way: every sound entry is used, in
order and word for word; every other one is reported with its place; nothing raises but
the error that names the file."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from specbench.errors import InputError
from specbench.schema.prompt import Dataset
from specbench.workload.readers import parse_dataset
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import randomness
from tests.fuzz.watch import alarm, rewind

BOM = b"\xef\xbb\xbf"
NAME = "some/people.jsonl"
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)
DAMAGES = 3_000


def parse(data: bytes) -> Dataset:
    return parse_dataset(data, "people", NAME)


@dataclass(frozen=True)
class Line:
    """Bytes of a line, and the turns that it has; None = it has to be reported."""

    data: bytes
    turns: tuple[str, ...] | None


def as_line(draw: DrawFn, value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=draw(st.booleans())).encode()


@st.composite
def sound_lines(draw: DrawFn) -> Line:
    """One or two turns, an id of some type, keys that nobody needs."""
    turns = draw(st.lists(WORDS, min_size=1, max_size=2))
    value = {"question_id": draw(st.integers(1, 999)), "turns": turns}
    value.update(draw(st.sampled_from([{}, {"category": "x"}, {"reference": [None]}])))
    return Line(as_line(draw, value), tuple(turns))


def cut_short(data: bytes) -> list[bytes]:
    """Beginnings of a line, none of them JSON: its brace is never closed."""
    return [data[:length] for length in range(1, len(data))]


@st.composite
def broken_lines(draw: DrawFn) -> Line:
    """Everything that people's files have in place of an entry."""
    whole = draw(sound_lines()).data
    odd: list[Any] = [
        {"question_id": 5},
        {"question_id": 5, "turns": None},
        {"question_id": 5, "turns": []},
        {"question_id": 5, "turns": ""},
        {"question_id": 5, "turns": "not a list"},
        {"question_id": 5, "turns": ["", "only the second"]},
        {"question_id": 5, "turns": ["fine", " \t"]},
        {"question_id": 5, "turns": [None]},
        {"question_id": 5, "turns": [["nested"]]},
        {"question_id": 5, "turns": {"0": "x"}},
        {"question_id": 5, "turns": ["half \ud83d"]},
    ]
    data = draw(
        st.sampled_from(cut_short(whole))
        | st.sampled_from(odd).map(lambda value: json.dumps(value).encode())
        | st.just(whole + whole)
        | st.just(whole[:-1] + b"\xff\xfe}")
        | st.sampled_from([b"null", b"7", b'"text"', b"[]", b"NaN,", b"# x", b"<a>"])
    )
    return Line(data, None)


@st.composite
def files(draw: DrawFn) -> tuple[bytes, list[Line | None]]:
    """More sound lines than others, so that the format is clear; None = blank."""
    sound = draw(st.lists(sound_lines(), min_size=2, max_size=6))
    broken = draw(st.lists(broken_lines(), max_size=len(sound) - 1))
    blanks: list[Line | None] = [None] * draw(st.integers(0, 3))
    lines = draw(st.permutations([*sound, *broken, *blanks]))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    blank = draw(st.sampled_from([b"", b"  ", b"\t"]))
    data = end.join(blank if line is None else line.data for line in lines)
    data += draw(st.sampled_from([b"", end, end + end]))
    return draw(st.sampled_from([b"", BOM])) + data, list(lines)


@settings(max_examples=300)
@given(files())
def test_sound_lines_are_used_and_all_others_reported_by_number(
    file: tuple[bytes, list[Line | None]],
) -> None:
    data, lines = file
    found = parse(data)
    sound = [line.turns for line in lines if line is not None and line.turns]
    assert [question.turns for question in found.questions] == sound
    numbers = [
        number
        for number, line in enumerate(lines, start=1)
        if line is not None and line.turns is None
    ]
    assert [entry.where for entry in found.skipped] == [f"line {n}" for n in numbers]
    assert all(entry.reason for entry in found.skipped)
    assert len({question.question_id for question in found.questions}) == len(sound)


HUMAN = st.sampled_from(["human", "user", "Human", "USER"])


@st.composite
def sound_talks(draw: DrawFn) -> tuple[list[dict[str, Any]], str]:
    """A conversation and its first human turn, whoever began."""
    who, what = draw(st.sampled_from([("from", "value"), ("role", "content")]))
    others = st.sampled_from(["gpt", "system", "assistant", "bing"])
    opening = draw(st.lists(others, max_size=2))
    prompt = draw(WORDS)
    messages = [{who: name, what: "hello"} for name in opening]
    messages.append({who: draw(HUMAN), what: prompt})
    messages += [{who: "gpt", what: "answer"}, {who: draw(HUMAN), what: "more"}]
    return messages[: draw(st.integers(len(opening) + 1, len(messages)))], prompt


BAD_TALKS: list[Any] = [
    None,
    [],
    {},
    "text",
    7,
    ["Hello"],
    [None],
    [{}],
    [{"from": "gpt", "value": "alone"}],
    [{"from": "human", "value": ""}],
    [{"from": "human", "value": " \n"}],
    [{"from": "human", "value": None}],
    [{"from": "human", "value": 3}],
    [{"from": "human"}],
    [{"from": None, "value": "x"}],
    [{"from": "human", "value": "half \udc00"}],
    [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}],
]


@settings(max_examples=200)
@given(
    st.lists(sound_talks(), min_size=1, max_size=5),
    st.lists(st.sampled_from(BAD_TALKS), max_size=6),
    st.sampled_from(["list", "indented", "lines"]),
    st.sampled_from([b"", BOM]),
    st.data(),
)
def test_conversations_are_used_from_the_first_human_turn_or_skipped_by_id(
    sound: list[tuple[list[dict[str, Any]], str]],
    bad: list[Any],
    form: str,
    start: bytes,
    data: st.DataObject,
) -> None:
    talks: list[tuple[Any, str | None]] = [*sound, *((talk, None) for talk in bad)]
    talks = data.draw(st.permutations(talks))
    entries = [{"id": f"t{i}", "conversations": t} for i, (t, _) in enumerate(talks)]
    found = parse(start + FORMS[form](entries))
    used = {f"t{i}": (p,) for i, (_, p) in enumerate(talks) if p is not None}
    assert {q.question_id: q.turns for q in found.questions} == used
    assert [q.question_id for q in found.questions] == list(used)
    left = [f"t{i}" for i, (_, prompt) in enumerate(talks) if prompt is None]
    assert len(found.skipped) == len(left)
    for entry, talk in zip(found.skipped, left, strict=True):
        assert talk in f"{entry.where} {entry.reason}"


FORMS: dict[str, Callable[[list[Any]], bytes]] = {
    "list": lambda entries: json.dumps(entries).encode(),
    "indented": lambda entries: json.dumps(entries, indent=2).encode(),
    "lines": lambda entries: "\r\n".join(map(json.dumps, entries)).encode(),
}


@given(st.lists(sound_talks(), min_size=2, max_size=4), st.data())
def test_a_list_that_was_cut_short_is_refused_by_file_and_place(
    talks: list[tuple[list[dict[str, Any]], str]], data: st.DataObject
) -> None:
    whole = FORMS["indented"](
        [{"id": i, "conversations": t} for i, (t, _) in enumerate(talks)]
    )
    length = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(InputError) as caught:
        parse(whole[:length])
    assert NAME in caught.value.message
    assert "line" in caught.value.message


def read_or_refused(data: bytes) -> Dataset | str:
    """The data set, or the message of the error."""
    try:
        return parse(data)
    except InputError as error:
        return error.message


def test_blind_damage_is_a_data_set_or_an_error_that_names_the_file() -> None:
    rng = randomness("data files")
    talks = [
        {"id": f"t{i}", "conversations": [{"from": "human", "value": "q"}]}
        for i in range(4)
    ]
    lines = [json.dumps({"question_id": i, "turns": ["q", "r"]}) for i in range(4)]
    sources = ["\n".join(lines).encode(), *(make(talks) for make in FORMS.values())]
    with alarm():
        for index in range(DAMAGES):
            rewind()
            data = damaged(rng, sources[index % len(sources)])
            found = read_or_refused(data)
            if isinstance(found, str):
                assert NAME in found
            else:
                turns = [turn for q in found.questions for turn in q.turns]
                assert turns
                assert all(turn.strip() and turn.encode() for turn in turns)
