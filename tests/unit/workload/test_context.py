import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.schema.plan import CellSize
from specbench.schema.prompt import Message, Prompt
from specbench.workload.context import (
    ContextAxis,
    PromptRuler,
    divide_text,
    join_contents,
    tolerance,
)
from specbench.workload.prompts import cell_prompts

_draw = random.Random(1)
WORDS = ["".join(_draw.choices("abcdefgh", k=_draw.randint(1, 9))) for _ in range(4000)]
TEXT = " ".join(WORDS)


def count_pieces(text: str) -> int:
    """A stand-in for a tokenizer: words in pieces of up to four letters."""
    return len(re.findall(r"\w{1,4}|[^\w\s]", text))


RULER = PromptRuler(count_pieces)


def prompt(number: int, words: int = 8) -> Prompt:
    text = " ".join([f"q{number}", *["ask"] * words]) + "?"
    return Prompt(f"{number}/1", "", 1, (Message("user", text),))


def axis(
    *contexts: int, datasets: tuple[str, ...] = ("a",), seed: int = 0
) -> ContextAxis:
    return ContextAxis(TEXT, datasets, contexts, seed, RULER)


def start_of(found: Prompt) -> str:
    return found.messages[0].content[:24]


@settings(max_examples=40)
@given(st.integers(40, 6000), st.integers(0, 10**6), st.integers(0, 500))
def test_prompt_has_the_wanted_tokens_and_never_more(
    wanted: int, seed: int, position: int
) -> None:
    opening = axis(wanted, seed=seed).opening("a", wanted)
    tokens = RULER.measure(opening(prompt(1), "[2] ", position).messages)
    assert wanted - tolerance(wanted) <= tokens <= wanted
    # half a per cent where that is more than two tokens
    assert wanted - max(2, wanted // 200) <= tokens


def test_question_stands_last_and_marker_first() -> None:
    opened = axis(200).opening("a", 200)(prompt(1), "[w1] ", -1)
    content = opened.messages[0].content
    assert content.startswith("[w1] ")
    assert content.endswith("\n\n" + prompt(1).messages[0].content)
    assert content[5:40] in TEXT


def test_later_turns_count_and_keep_their_place() -> None:
    talk = (
        Message("user", "First?"),
        Message("assistant", "yes " * 50),
        Message("user", "Second?"),
    )
    opened = axis(300).opening("a", 300)(Prompt("1/2", "", 2, talk), "", 0)
    assert opened.messages[1:] == talk[1:]
    assert opened.messages[0].content.endswith("\n\nFirst?")
    assert 292 <= RULER.measure(opened.messages) <= 300


def test_tokens_of_the_chat_template_are_part_of_the_length() -> None:
    ruler = PromptRuler(count_pieces, lambda m: "x " * 30 + join_contents(m))
    opening = ContextAxis(TEXT, ("a",), (100,), 0, ruler).opening("a", 100)
    bare = RULER.measure(opening(prompt(1), "", 0).messages)
    assert 62 <= bare <= 70


def test_every_prompt_of_a_sweep_opens_with_a_stretch_of_its_own() -> None:
    shared = axis(60, 120, datasets=("a", "b"))
    cells = [
        cell_prompts(
            [prompt(i) for i in range(20)],
            CellSize(warmup=20, measured=60),
            shared.opening(dataset, context),
        )
        for dataset in ("a", "b")
        for context in (60, 120)
    ]
    found = [p for warmup, measured in cells for p in warmup + measured]
    assert len({start_of(p).split("] ")[-1] for p in found}) == len(found)


def test_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    one, again = (axis(90).opening("a", 90)(prompt(1), "", 3) for _ in range(2))
    other = axis(90, seed=1).opening("a", 90)(prompt(1), "", 3)
    assert one == again
    assert start_of(one) != start_of(other)


def test_context_of_nought_leaves_prompts_as_the_data_set_has_them() -> None:
    assert axis(0, 50).opening("a", 0)(prompt(1), "", 0) == prompt(1)


def test_a_context_takes_prompts_that_leave_room_for_marks() -> None:
    long, just, short = prompt(1, words=90), prompt(1, words=46), prompt(2)
    assert [axis(64).takes(p, 64) for p in (long, just, short)] == [False, True, True]
    assert not axis(63).takes(just, 63)
    assert axis(64).takes(long, 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(40, 300), st.integers(1, 90), st.integers(0, 10**6))
def test_every_prompt_that_a_context_takes_is_within_two_percent_of_it(
    wanted: int, words: int, seed: int
) -> None:
    one = axis(wanted, seed=seed)
    asked = prompt(1, words=words)
    if not one.takes(asked, wanted):
        return
    opened = one.opening("a", wanted)(asked, "[c16r3a] [w12] ", -1)
    tokens = RULER.measure(opened.messages)
    assert abs(tokens - wanted) <= 0.02 * wanted


def test_a_text_has_to_hold_the_longest_context_and_enough_beginnings() -> None:
    few = ContextAxis(" ".join(["word"] * 100), ("a", "b"), (0, 60, 90), 0, RULER)
    assert few.lacking_text(25) is None
    assert few.lacking_text(26) == (
        "gives 25 words to begin with for each data set and context, fewer than the 26"
        " prompts of the largest cell"
    )
    long = ContextAxis(few.text, ("a",), (101,), 0, RULER)
    assert long.lacking_text(1) == "has 100 tokens, fewer than the context of 101"


def test_text_goes_on_from_its_beginning_where_it_is_too_short() -> None:
    short_text = ContextAxis(" ".join(WORDS[:50]), ("a",), (2000,), 0, RULER)
    opened = short_text.opening("a", 2000)(prompt(1), "", 0)
    assert 1960 <= RULER.measure(opened.messages) <= 2000


def test_few_passes_of_the_tokenizer_find_the_length() -> None:
    calls = 0

    def counting(text: str) -> int:
        nonlocal calls
        calls += 1
        return count_pieces(text)

    ruler = PromptRuler(counting)
    opening = ContextAxis(TEXT, ("a",), (1000,), 0, ruler).opening("a", 1000)
    for position in range(20):
        opening(prompt(position), "", position)
    assert calls <= 20 * 8


@pytest.mark.parametrize("count", [lambda _: 0, lambda _: 7, len])
def test_odd_tokenizer_ends_the_search_too(count: object) -> None:
    ruler = PromptRuler(count)  # type: ignore[arg-type]  # pytest hands it on untyped
    opening = ContextAxis(TEXT, ("a",), (100,), 0, ruler).opening("a", 100)
    assert opening(prompt(1), "", 0).messages[0].content.endswith("?")


@settings(max_examples=20)
@given(st.integers(0, 3), st.integers(0, 10**6))
def test_starts_come_round_only_after_all_were_used(share: int, seed: int) -> None:
    stretches = divide_text(TEXT, share, 4, seed)
    count = len(stretches.starts)
    used = {(stretches.first + i * stretches.step) % count for i in range(count)}
    assert len(used) == count == len(WORDS) // 4


def test_text_without_enough_words_is_refused() -> None:
    with pytest.raises(ValueError, match="too few words"):
        divide_text("one two", 2, 3, 0)
