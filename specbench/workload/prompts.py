"""The prompts of a cell: the same bytes in the same order for every arm. Measured ones
start at the head of the list for every load, so that loads are compared on one mix;
warm-up ones come from its end. What comes round again carries a marker."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from specbench.schema.plan import CellSize
from specbench.schema.prompt import Message, Prompt, Question, SkippedEntry

Turns = Literal["first", "all"]

Opening = Callable[[Prompt, str, int], Prompt]
"""Puts a marker, and whatever else belongs there, at the very start of a prompt. Gets
the prompt, the marker and the prompt's position in the cell (warm-up: -1, -2, ...)."""


@dataclass(frozen=True, slots=True)
class PromptList:
    """All different prompts of a data set, in order."""

    prompts: tuple[Prompt, ...]
    left_out: tuple[SkippedEntry, ...]
    """Turns that are not asked, and why; `where` is `<question id>/<turn>`."""


def needs_first_answer(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Questions whose second turn can only be asked after a frozen first answer."""
    return tuple(question for question in questions if len(question.turns) > 1)


def list_prompts(
    questions: Sequence[Question], turns: Turns, first_answers: Mapping[str, str]
) -> PromptList:
    """Prompts of ordered questions. A second turn follows its first one, with the
    answer in `first_answers` (by question id) between them; where that is missing or
    blank only the first turn is asked."""
    prompts: list[Prompt] = []
    left_out: list[SkippedEntry] = []
    for question in questions:
        prompts.append(_prompt(question, 1, (Message("user", question.turns[0]),)))
        if turns == "first" or len(question.turns) == 1:
            continue
        answer = first_answers.get(question.question_id, "")
        if answer.strip():
            prompts.append(_second_turn(question, answer))
        else:
            where = f"{question.question_id}/2"
            left_out.append(SkippedEntry(where, "no first answer to build on"))
        left_out += [
            SkippedEntry(f"{question.question_id}/{n}", "only two turns are asked")
            for n in range(3, len(question.turns) + 1)
        ]
    return PromptList(tuple(prompts), tuple(left_out))


def put_marker(prompt: Prompt, marker: str, position: int) -> Prompt:  # noqa: ARG001
    """The opening of a prompt that keeps its own length."""
    first, *others = prompt.messages
    marked = replace(first, content=marker + first.content)
    return replace(prompt, messages=(marked, *others))


def mark_pass(opening: Opening, name: str) -> Opening:
    """An opening that also names the pass over a server: a server that keeps prefixes
    then serves none from an earlier pass. Equal names give equal bytes."""

    def open_prompt(prompt: Prompt, marker: str, position: int) -> Prompt:
        return opening(prompt, f"[{name}] {marker}", position)

    return open_prompt


def cell_prompts(
    prompts: Sequence[Prompt], size: CellSize, opening: Opening = put_marker
) -> tuple[tuple[Prompt, ...], tuple[Prompt, ...]]:
    """Warm-up and measured prompts of one cell. No two of them start alike, unless
    the data set itself holds a text twice. Those of a smaller cell are the beginnings
    of those of a larger one, so one call for the largest serves all loads."""
    if not prompts:
        raise ValueError("a cell needs at least one prompt")
    return tuple(_warmup(prompts, size, opening)), tuple(
        _measured(prompts, size, opening)
    )


def _measured(
    prompts: Sequence[Prompt], size: CellSize, opening: Opening
) -> Iterator[Prompt]:
    for position in range(size.measured):
        earlier_rounds, i = divmod(position, len(prompts))
        if earlier_rounds == 0:
            yield opening(prompts[i], "", position)
        else:
            yield opening(*_again(prompts[i], f"{earlier_rounds + 1}"), position)


def _warmup(
    prompts: Sequence[Prompt], size: CellSize, opening: Opening
) -> Iterator[Prompt]:
    for position in range(size.warmup):
        earlier_rounds, i = divmod(position, len(prompts))
        prompt, marker = _again(prompts[-1 - i], f"w{earlier_rounds + 1}")
        yield opening(prompt, marker, -1 - position)


def _again(prompt: Prompt, round_: str) -> tuple[Prompt, str]:
    renamed = replace(prompt, prompt_id=f"{prompt.prompt_id}#{round_}")
    return renamed, f"[{round_}] "


def _second_turn(question: Question, answer: str) -> Prompt:
    messages = (
        Message("user", question.turns[0]),
        Message("assistant", answer),
        Message("user", question.turns[1]),
    )
    return _prompt(question, 2, messages)


def _prompt(question: Question, turn: int, messages: tuple[Message, ...]) -> Prompt:
    prompt_id = f"{question.question_id}/{turn}"
    return Prompt(prompt_id, question.category, turn, messages)
