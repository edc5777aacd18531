"""The data sets in datasets/ are what their READMEs say they are."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
CHAT = "mt-bench-style"
GROUNDED = "input-grounded"

both = pytest.mark.parametrize("name", [CHAT, GROUNDED])


def data(name: str) -> bytes:
    return (DATASETS / f"{name}.jsonl").read_bytes()


def entries(name: str) -> list[dict[str, Any]]:
    lines = data(name).decode("utf-8").removesuffix("\n").split("\n")
    return [json.loads(line) for line in lines]


def all_turns(name: str) -> list[str]:
    return [turn for entry in entries(name) for turn in entry["turns"]]


def test_the_chat_set_has_80_questions_of_two_turns() -> None:
    assert [len(entry["turns"]) for entry in entries(CHAT)] == [2] * 80


def test_the_chat_set_has_ten_questions_in_each_of_its_eight_categories() -> None:
    assert Counter(entry["category"] for entry in entries(CHAT)) == {
        "writing": 10,
        "roleplay": 10,
        "reasoning": 10,
        "math": 10,
        "coding": 10,
        "extraction": 10,
        "stem": 10,
        "humanities": 10,
    }


def test_the_chat_questions_are_numbered_from_1_to_80() -> None:
    assert [entry["question_id"] for entry in entries(CHAT)] == list(range(1, 81))


def test_the_grounded_set_has_40_prompts_of_one_turn() -> None:
    assert [len(entry["turns"]) for entry in entries(GROUNDED)] == [1] * 40


def test_the_grounded_set_has_eight_prompts_in_each_of_its_five_categories() -> None:
    assert Counter(entry["category"] for entry in entries(GROUNDED)) == {
        "edit": 8,
        "fix-code": 8,
        "extract": 8,
        "quote-summary": 8,
        "passage-qa": 8,
    }


def test_the_grounded_prompts_are_numbered_from_g01_to_g40() -> None:
    expected = [f"g{number:02d}" for number in range(1, 41)]
    assert [entry["question_id"] for entry in entries(GROUNDED)] == expected


def test_every_grounded_prompt_has_between_60_and_330_words() -> None:
    lengths = {
        entry["question_id"]: len(entry["turns"][0].split())
        for entry in entries(GROUNDED)
    }
    assert {key: n for key, n in lengths.items() if not 60 <= n <= 330} == {}


@both
def test_no_question_id_occurs_twice(name: str) -> None:
    ids = [str(entry["question_id"]) for entry in entries(name)]
    assert [key for key, times in Counter(ids).items() if times > 1] == []


def test_no_turn_occurs_twice_in_the_two_sets_together() -> None:
    turns = [" ".join(t.split()).lower() for t in all_turns(CHAT) + all_turns(GROUNDED)]
    assert [turn for turn, times in Counter(turns).items() if times > 1] == []


@both
def test_no_turn_is_blank_or_has_blanks_at_its_ends(name: str) -> None:
    assert [t for t in all_turns(name) if not t or t != t.strip()] == []


@both
def test_every_entry_has_just_the_three_documented_fields(name: str) -> None:
    fields = {tuple(entry) for entry in entries(name)}
    assert fields == {("question_id", "category", "turns")}


@both
def test_the_file_has_no_byte_order_mark_and_ends_every_line_with_a_line_feed(
    name: str,
) -> None:
    content = data(name)
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    assert content.endswith(b"}\n")


@both
def test_the_readme_gives_the_sha_256_of_the_file(name: str) -> None:
    readme = (DATASETS / f"{name}.README.md").read_text(encoding="utf-8")
    given = re.findall(r"\b[0-9a-f]{64}\b", readme)
    assert given == [hashlib.sha256(data(name)).hexdigest()]
