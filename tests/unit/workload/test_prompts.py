import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.plan import CellSize
from specbench.schema.prompt import Message, Prompt, Question, SkippedEntry
from specbench.workload.prompts import (
    cell_prompts,
    list_prompts,
    needs_first_answer,
)

TALK = Question("7", "writing", ("Greet me.", "Again."))
SINGLE = Question("8", "math", ("What is 2 + 2?",))
LONG_TALK = Question("9", "qa", ("One.", "Two.", "Three.", "Four."))


def prompts(count: int) -> tuple[Prompt, ...]:
    questions = [Question(f"q{i}", "", (f"Text {i}.",)) for i in range(count)]
    return list_prompts(questions, "first", {}).prompts


def texts(found: tuple[Prompt, ...]) -> list[str]:
    return [prompt.messages[0].content for prompt in found]


def test_second_turn_is_a_prompt_of_its_own_after_the_frozen_answer() -> None:
    found = list_prompts([TALK, SINGLE], "all", {"7": "Hello."})
    assert found.prompts == (
        Prompt("7/1", "writing", 1, (Message("user", "Greet me."),)),
        Prompt(
            "7/2",
            "writing",
            2,
            (
                Message("user", "Greet me."),
                Message("assistant", "Hello."),
                Message("user", "Again."),
            ),
        ),
        Prompt("8/1", "math", 1, (Message("user", "What is 2 + 2?"),)),
    )
    assert found.left_out == ()


@pytest.mark.parametrize("answers", [{}, {"7": " \n"}, {"8": "Four."}])
def test_question_without_a_first_answer_asks_its_first_turn_and_says_so(
    answers: dict[str, str],
) -> None:
    found = list_prompts([TALK], "all", answers)
    assert [p.prompt_id for p in found.prompts] == ["7/1"]
    assert found.left_out == (SkippedEntry("7/2", "no first answer to build on"),)


def test_only_first_turns_are_asked_where_the_sweep_says_so() -> None:
    found = list_prompts([TALK, LONG_TALK], "first", {"7": "Hello."})
    assert [p.prompt_id for p in found.prompts] == ["7/1", "9/1"]
    assert found.left_out == ()


def test_turns_after_the_second_are_left_out_and_said() -> None:
    found = list_prompts([LONG_TALK], "all", {"9": "Yes."})
    assert [p.prompt_id for p in found.prompts] == ["9/1", "9/2"]
    assert [entry.where for entry in found.left_out] == ["9/3", "9/4"]


def test_first_answers_are_needed_for_questions_with_a_second_turn() -> None:
    assert needs_first_answer([TALK, SINGLE, LONG_TALK]) == (TALK, LONG_TALK)


def test_measured_prompts_start_at_the_head_and_warmup_at_the_end() -> None:
    warmup, measured = cell_prompts(prompts(5), CellSize(warmup=2, measured=3))
    assert texts(measured) == ["Text 0.", "Text 1.", "Text 2."]
    assert texts(warmup) == ["[w1] Text 4.", "[w1] Text 3."]
    assert [p.prompt_id for p in warmup] == ["q4/1#w1", "q3/1#w1"]


def test_prompts_that_come_round_again_carry_their_round_at_the_very_start() -> None:
    warmup, measured = cell_prompts(prompts(2), CellSize(warmup=3, measured=5))
    assert texts(measured) == [
        "Text 0.",
        "Text 1.",
        "[2] Text 0.",
        "[2] Text 1.",
        "[3] Text 0.",
    ]
    assert [p.prompt_id for p in measured][-2:] == ["q1/1#2", "q0/1#3"]
    assert texts(warmup) == ["[w1] Text 1.", "[w1] Text 0.", "[w2] Text 1."]


def test_marker_goes_before_the_first_message_of_a_conversation() -> None:
    talk = list_prompts([TALK], "all", {"7": "Hello."}).prompts
    _, measured = cell_prompts(talk[1:], CellSize(warmup=1, measured=2))
    assert [m.content for m in measured[1].messages] == [
        "[2] Greet me.",
        "Hello.",
        "Again.",
    ]


def test_cell_without_prompts_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one prompt"):
        cell_prompts((), CellSize(warmup=1, measured=1))


sizes = st.builds(CellSize, warmup=st.integers(1, 40), measured=st.integers(1, 80))


@given(st.integers(1, 30), sizes)
def test_cell_never_sends_the_same_bytes_or_the_same_id_twice(
    count: int, size: CellSize
) -> None:
    warmup, measured = cell_prompts(prompts(count), size)
    both = warmup + measured
    assert (len(warmup), len(measured)) == (size.warmup, size.measured)
    assert len(set(texts(both))) == len(both)
    assert len({p.prompt_id for p in both}) == len(both)


@given(st.integers(1, 30), sizes, sizes)
def test_smaller_cell_is_the_beginning_of_a_larger_one(
    count: int, one: CellSize, other: CellSize
) -> None:
    some, more = (cell_prompts(prompts(count), size) for size in (one, other))
    for short, long in zip(some, more, strict=True):
        shared = min(len(short), len(long))
        assert short[:shared] == long[:shared]


@given(st.integers(2, 30), sizes)
def test_warmup_asks_no_measured_question_where_there_are_enough(
    count: int, size: CellSize
) -> None:
    warmup, measured = cell_prompts(prompts(count), size)
    asked = {p.prompt_id.partition("#")[0] for p in measured}
    warm = {p.prompt_id.partition("#")[0] for p in warmup}
    if size.warmup + size.measured <= count:
        assert not asked & warm
