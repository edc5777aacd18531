"""What is asked of the server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """One usable entry of a data set."""

    question_id: str
    category: str
    """Empty where the data set has none."""
    turns: tuple[str, ...]
    """User turns, at least one, none blank."""


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """An entry that was not used, and why; counts go into the run's record."""

    where: str
    """`line 5`, or the entry's id."""
    reason: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set as read: usable questions in file order, and what was left out."""

    name: str
    path: str
    sha256: str
    questions: tuple[Question, ...]
    skipped: tuple[SkippedEntry, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to send; equal bytes in all arms."""

    prompt_id: str
    """`<question id>/<turn>`, with `#<round>` where the data set came round again."""
    category: str
    turn: int
    """From 1."""
    messages: tuple[Message, ...]
