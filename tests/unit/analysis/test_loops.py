"""Loops: what repeats without end is one; a list, a program or a poem is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.loops import MAX_PERIOD, is_looping, looping_share

SHOPPING = """Things to bring:
- a warm coat for the evening
- a warm scarf for the evening
- a warm hat for the evening
- water for the way
- bread for the way
1. Pack the coat. 2. Pack the scarf. 3. Pack the hat. 4. Lock the door."""

PROGRAM = """def area(width, height):
    if width < 0:
        raise ValueError("width")
    if height < 0:
        raise ValueError("height")
    return width * height

assert area(1, 1) == 1
assert area(1, 2) == 2
assert area(2, 2) == 4
total = area(1, 1) + area(1, 2) + area(2, 2) + area(2, 3) + area(3, 3)
for row in rows:
    for cell in row:
        print(cell, end=" ")
"""

POEM = """The kettle sang, the window froze,
and down, down, down the chimney rose
the smoke of someone else's tea.
Oh sing to me, oh sing to me,
and I will sing again to thee.

The kettle slept, the window cleared,
and down, down, down the lamplight peered.
Oh sing to me, oh sing to me,
and I will sing again to thee."""

TABLE = """| name | a | b | c |
| --- | --- | --- | --- |
| first | 1 | 2 | 3 |
| second | 1 | 2 | 3 |
| third | 1 | 2 | 3 |"""

WORDS = st.integers(0, 10_000).map(lambda n: f"w{n}")


@pytest.mark.parametrize("text", [SHOPPING, PROGRAM, POEM, TABLE])
def test_honest_texts_do_not_loop(text: str) -> None:
    assert not is_looping(text)


@pytest.mark.parametrize(
    "text",
    [
        "the " * 60,
        "Once there was a cat. It sat on the mat. " + "The cat sat on the mat. " * 9,
        "I do not know. I do not know. I do not know. I do not know. ",
        "Answer: 42\n" * 30,
        "psi, " * 40,
    ],
)
def test_a_word_or_a_sentence_again_and_again_loops(text: str) -> None:
    assert is_looping(text)


def test_where_the_lines_break_does_not_matter() -> None:
    assert is_looping("so it goes\non and\ton " * 6)


@pytest.mark.parametrize(("copies", "loops"), [(11, False), (12, True)])
def test_one_word_loops_from_twelve_copies_on(copies: int, loops: bool) -> None:
    assert is_looping("Well then, " + "no " * copies) is loops


@pytest.mark.parametrize(("copies", "loops"), [(2, False), (3, True)])
def test_a_long_sentence_loops_from_its_third_copy_on(copies: int, loops: bool) -> None:
    sentence = "she went down to the old harbour to look for her brother. "
    assert is_looping("And so it was: " + sentence * copies) is loops


@given(st.lists(WORDS, min_size=12, max_size=200, unique=True))
def test_a_text_without_a_repeated_word_never_loops(words: list[str]) -> None:
    assert not is_looping(" ".join(words))


@given(
    st.lists(WORDS, max_size=20, unique=True),
    st.lists(WORDS, min_size=4, max_size=MAX_PERIOD, unique=True),
    st.integers(3, 6),
)
def test_three_copies_of_any_block_loop_whatever_stands_before(
    before: list[str], block: list[str], copies: int
) -> None:
    assert is_looping(" ".join(before + block * copies))


@given(st.lists(WORDS, min_size=4, max_size=MAX_PERIOD, unique=True))
def test_two_copies_of_a_block_do_not_loop(block: list[str]) -> None:
    assert not is_looping(" ".join(block * 2))


def test_the_share_is_over_outputs_with_text() -> None:
    assert looping_share(["the " * 60, POEM, "", "   ", SHOPPING, PROGRAM]) == 0.25


def test_without_any_text_there_is_no_share() -> None:
    assert looping_share([]) is None
    assert looping_share(["", " \n"]) is None


@pytest.mark.parametrize("text", ["我不知道。" * 60, "ha" * 200, "0" * 400])
def test_text_without_blanks_loops_too(text: str) -> None:
    assert is_looping(text)


def test_a_wide_table_does_not_loop() -> None:
    head = "| a | b | c | d | e | f |\n| --- | --- | --- | --- | --- | --- |\n"
    assert not is_looping(head + "| 1 | 2 | 3 | 4 | 5 | 6 |")


@pytest.mark.parametrize("text", ["!" * 256, "... " * 60, "- " * 100])
def test_endless_punctuation_is_a_loop(text: str) -> None:
    # what a broken model prints; a rule of dashes or a table is shorter
    assert is_looping(text)


def test_a_line_of_dashes_under_a_heading_does_not_loop() -> None:
    assert not is_looping("Summary\n" + "-" * 72 + "\nAll is well, and it ends here.")
