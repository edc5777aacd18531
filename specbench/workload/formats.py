"""From JSON entries to questions: MT-Bench (`turns`), ShareGPT (`conversations`), and a
user's own (`prompt`, `text`, `messages`, or bare strings). The format is that of most
entries, whatever the file is called. Pure; an unusable entry comes with its reason."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from specbench.schema.prompt import Question, SkippedEntry
from specbench.workload.entries import Entry, Placed


class Format(StrEnum):
    """Shapes of an entry, by the key that shows it; earlier wins a tie."""

    MT_BENCH = "turns"
    SHAREGPT = "conversations"
    PLAIN = "prompt"


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an entry gives no question."""

    reason: str


Turns = tuple[str, ...] | Unusable


def read_questions(
    entries: Sequence[Entry],
) -> tuple[list[Question], list[Placed]]:
    """Usable questions in file order, and the entries that are none. Ids are unique:
    a repeated one gets its place as an ending."""
    read_turns = _READERS[find_format(entries)]
    questions: list[Question] = []
    skipped: list[Placed] = []
    taken: set[str] = set()
    for entry in entries:
        entry_id = _id_of(entry.value)
        turns = check_texts(read_turns(entry.value))
        if isinstance(turns, Unusable):
            skipped.append((entry.position, _skip(entry, entry_id, turns)))
            continue
        place = entry.where.replace(" ", "")
        unique = entry_id or place
        while unique in taken:
            unique = f"{unique}@{place}"
        taken.add(unique)
        questions.append(Question(unique, _category_of(entry.value), turns))
    return questions, skipped


def find_format(entries: Sequence[Entry]) -> Format:
    """The format of most entries; one odd entry does not decide for the file."""
    votes: Counter[Format] = Counter()
    for entry in entries:
        keys = entry.value if isinstance(entry.value, dict) else ()
        votes[next((f for f in Format if f in keys), Format.PLAIN)] += 1
    return max(Format, key=lambda f: votes[f])


def check_texts(turns: Turns) -> Turns:
    """Blank texts ask nothing, and a lone surrogate cannot be sent."""
    if isinstance(turns, Unusable):
        return turns
    if not turns:
        return Unusable("no turns")
    for number, text in enumerate(turns, start=1):
        name = f"turn {number}" if len(turns) > 1 else "the prompt"
        if not text.strip():
            return Unusable(f"{name} is blank")
        if not _is_unicode(text):
            return Unusable(f"{name} holds bytes or escapes that are no valid Unicode")
    return turns


def _mt_bench_turns(value: Any) -> Turns:
    turns = value.get("turns") if isinstance(value, dict) else None
    if turns is None:
        return Unusable("no `turns`")
    if not isinstance(turns, list):
        return Unusable("`turns` is not a list")
    texts = _all_text(turns)
    return Unusable("a turn is not text") if texts is None else texts


def _sharegpt_turns(value: Any) -> Turns:
    if not isinstance(value, dict) or "conversations" not in value:
        return Unusable("no `conversations`")
    return _first_human_turn(value["conversations"], "conversations")


def _plain_turns(value: Any) -> Turns:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, dict):
        return Unusable("neither an object nor a string")
    for key in ("prompt", "text"):
        if isinstance(value.get(key), str):
            return (value[key],)
    for key in ("messages", "prompt"):
        if key in value:
            return _first_human_turn(value[key], key)
    return Unusable("no `prompt`, `text` or `messages` with text in it")


_READERS: dict[Format, Callable[[Any], Turns]] = {
    Format.MT_BENCH: _mt_bench_turns,
    Format.SHAREGPT: _sharegpt_turns,
    Format.PLAIN: _plain_turns,
}


def _first_human_turn(messages: Any, key: str) -> Turns:
    """What the person said first, whoever opened the conversation."""
    if not isinstance(messages, list):
        return Unusable(f"`{key}` is not a list of messages")
    for message in messages:
        if not isinstance(message, dict):
            return Unusable("a message is not an object")
        speaker = message.get("from", message.get("role"))
        if isinstance(speaker, str) and speaker.lower() in ("human", "user"):
            text = _text_of(message.get("value", message.get("content")))
            return (
                Unusable("the first human turn is not text")
                if text is None
                else (text,)
            )
    return Unusable("no human turn")


def _text_of(content: Any) -> str | None:
    """A message's text; its parts joined where all of them are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    texts = _all_text(parts)
    is_whole = texts is not None and len(texts) == len(content)
    return "\n".join(texts) if texts and is_whole else None


def _all_text(values: list[Any]) -> tuple[str, ...] | None:
    texts = tuple(value for value in values if isinstance(value, str))
    return texts if len(texts) == len(values) else None


def _id_of(value: Any) -> str:
    """The entry's own id as text; empty where it has none."""
    for key in ("question_id", "id"):
        found = value.get(key) if isinstance(value, dict) else None
        if isinstance(found, str | int) and not isinstance(found, bool):
            text = str(found).strip()
            if text and _is_unicode(text):
                return text
    return ""


def _category_of(value: Any) -> str:
    found = value.get("category") if isinstance(value, dict) else None
    return found if isinstance(found, str) and _is_unicode(found) else ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _skip(entry: Entry, entry_id: str, unusable: Unusable) -> SkippedEntry:
    """Lines are found by number, entries of a list by id."""
    if not entry.is_line:
        return SkippedEntry(entry_id or entry.where, unusable.reason)
    suffix = f" (id {entry_id})" if entry_id else ""
    return SkippedEntry(entry.where, unusable.reason + suffix)
