"""Prompts of wanted lengths, prepared."""

from pathlib import Path
from typing import Any

import pytest

from specbench.errors import InputError
from specbench.runner.lengths import prepare_lengths
from specbench.schema.prompt import Dataset, Question
from specbench.schema.sweep import SweepSpec


def spec(context: list[int], **workload: Any) -> SweepSpec:
    return SweepSpec.model_validate(
        {
            "targets": [{"name": "t", "model": "m", "engine": "sim"}],
            "arms": [{"name": "a", "speculative": {"method": "sim"}}],
            "workload": {"datasets": ["d"], "context": context, **workload},
            "load": {"concurrency": [1, 4]},
            "measure": {"min_requests": 8},
        }
    )


def dataset(*words: int) -> dict[str, Dataset]:
    """A prompt of so many words each."""
    questions = tuple(
        Question(f"q{i}", "", (" ".join(["ask"] * count),))
        for i, count in enumerate(words)
    )
    return {"d": Dataset("d", "d.jsonl", "0" * 64, questions, ())}


def save(path: Path, words: int) -> str:
    path.write_text(" ".join(f"w{i}" for i in range(words)))
    return str(path)


def test_without_a_length_nothing_is_read() -> None:
    lengths = prepare_lengths(spec([0]), dataset(5), "s.toml")
    assert lengths.texts == ()
    assert lengths.axis("t") is None
    assert lengths.notes == ()


def test_texts_without_a_length_to_fill_are_said_to_be_unused() -> None:
    lengths = prepare_lengths(spec([0], texts=["none.txt"]), dataset(5), "s.toml")
    assert "workload.texts was not read" in lengths.notes[0]


def test_a_file_of_the_users_makes_prompts_as_long_as_asked(tmp_path: Path) -> None:
    name = save(tmp_path / "book.txt", 2000)
    lengths = prepare_lengths(spec([100], texts=[name]), dataset(5, 9), "s.toml")
    assert [text.name for text in lengths.texts] == [name]
    axis = lengths.axis("t")
    assert axis is not None
    assert axis.text.startswith("w0 w1 ")


def test_several_texts_are_one_after_the_other(tmp_path: Path) -> None:
    names = [save(tmp_path / f"{i}.txt", 500) for i in range(2)]
    lengths = prepare_lengths(spec([100], texts=names), dataset(5), "s.toml")
    assert [text.words for text in lengths.texts] == [500, 500]
    axis = lengths.axis("t")
    assert axis is not None
    assert axis.text.count("w499\n\nw0") == 1


@pytest.mark.parametrize(
    ("words", "context", "said"),
    [
        (90, [100], "has 90 tokens, fewer than the context of 100"),
        (130, [100], None),
        (60, [20, 40, 50], "gives 20 words to begin with for each data set and"),
    ],
)
def test_a_text_that_is_too_short_is_refused_with_file_and_key(
    tmp_path: Path, words: int, context: list[int], said: str | None
) -> None:
    name = save(tmp_path / "book.txt", words)
    wanted = spec(context, texts=[name])
    if said is None:
        prepare_lengths(wanted, dataset(2), "s.toml")
        return
    wanted = wanted.model_copy(
        update={"measure": wanted.measure.model_copy(update={"min_requests": 20})}
    )
    with pytest.raises(InputError) as caught:
        prepare_lengths(wanted, dataset(2), "s.toml")
    assert caught.value.message.startswith("s.toml: workload.texts: the text (")
    assert said in caught.value.message


def test_prompts_that_are_too_long_are_left_out_of_their_context_and_named() -> None:
    # a role counts as a word, marks may take 16
    lengths = prepare_lengths(
        spec([100, 400]), dataset(10, 83, 84, 90, 7, 8, 9), "s.toml"
    )
    assert lengths.notes == (
        "d: 2 prompts left out of context 100, being too long by themselves (up to 91"
        " tokens): q2/1, q3/1",
    )


def test_a_context_that_hardly_any_prompt_fits_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        prepare_lengths(spec([0, 100]), dataset(10, 90, 95, 99), "s.toml")
    assert caught.value.message == (
        "s.toml: workload.context[1]: only 1 of the 4 prompts of d are short enough to"
        " be made 100 tokens long; the others have 91 to 100 by themselves"
    )
