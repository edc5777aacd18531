from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.overrides import apply_overrides, parse_value, split_key
from tests.unit.planning.sweep_texts import SOUND, TWO_TARGETS, complaint, read


def test_override_replaces_a_value_of_the_file() -> None:
    spec = read(SOUND, "measure.replicates=5", "load.concurrency=[2, 8]")
    assert spec.measure.replicates == 5
    assert spec.load.concurrency == [2, 8]


def test_override_adds_keys_and_tables_that_the_file_leaves_out() -> None:
    spec = read(TWO_TARGETS, "measure.min_requests=7", "workload.turns=first")
    assert spec.measure.min_requests == 7
    assert spec.workload.turns == "first"


def test_target_is_reached_as_the_file_writes_it() -> None:
    assert read(SOUND, "target.port=8123").targets[0].port == 8123
    assert read(TWO_TARGETS, "targets.1.port=8123").targets[1].port == 8123


def test_list_position_is_a_number_between_dots_or_in_brackets() -> None:
    assert read(SOUND, "arms.0.name=x").arms[0].name == "x"
    assert read(SOUND, "arms[0].name=x").arms[0].name == "x"


def test_keys_of_engine_options_keep_their_dashes() -> None:
    spec = read(SOUND, "target.args.max-model-len=2048")
    assert spec.targets[0].args == {"max-model-len": 2048}


def test_last_override_of_a_key_wins() -> None:
    spec = read(SOUND, "measure.replicates=5", "measure.replicates=1")
    assert spec.measure.replicates == 1


def test_later_equals_signs_belong_to_the_value() -> None:
    assert read(SOUND, "target.env.A=b=c").targets[0].env == {"A": "b=c"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("0.5", 0.5),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ("{ a = 1 }", {"a": 1}),
        ('"8"', "8"),
        ("vllm", "vllm"),
        (".venv/bin/vllm", ".venv/bin/vllm"),
        ("[1, 2", "[1, 2"),
        ("", ""),
        ("1\nother = 2", "1\nother = 2"),
    ],
)
def test_value_is_read_as_toml_else_as_a_bare_string(text: str, value: object) -> None:
    assert parse_value(text) == value


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("a", ["a"]),
        ("a.b-c", ["a", "b-c"]),
        ("a.0.b", ["a", "0", "b"]),
        ("a[10].b", ["a", "10", "b"]),
        ('a."b.c"', ["a", "b.c"]),
        ("a.'b c'", ["a", "b c"]),
        ("", []),
        (".a", []),
        ("a.", []),
        ("a..b", []),
        ("[0]", []),
        ("a b", []),
    ],
)
def test_key_is_split_as_toml_splits_it(key: str, parts: list[str]) -> None:
    assert split_key(key) == parts


@given(st.text(max_size=12))
def test_any_key_is_split_or_refused(key: str) -> None:
    assert all(isinstance(part, str) for part in split_key(key))


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        (
            "measure.replicates",
            "--set measure.replicates: expected KEY=VALUE, e.g. `measure.replicates=1`",
        ),
        (
            "arms.3.name=x",
            "--set arms.3.name=x: arms is a list: expected a position from 0 to 0,"
            " got `3`",
        ),
        (
            "targets.0.port=1",
            "--set targets.0.port=1: the file has `target`, so write e.g."
            " `target.port=8123`",
        ),
        (
            "target.model.x=1",
            "--set target.model.x=1: target.model is not a table",
        ),
        (
            "measure.replicates=0",
            "--set measure.replicates=0: measure.replicates: expected a number of at"
            " least 1, got 0",
        ),
    ],
)
def test_bad_override_is_named_instead_of_the_file(
    override: str, expected: str
) -> None:
    assert complaint(SOUND, override) == expected


def test_target_of_a_file_with_several_needs_its_position() -> None:
    assert complaint(TWO_TARGETS, "target.port=1") == (
        "--set target.port=1: the file has `targets`, so write e.g."
        " `targets.0.port=8123`"
    )


def test_entry_of_an_empty_list_cannot_be_set() -> None:
    document: dict[str, Any] = {"arms": []}
    _, problems = apply_overrides(document, ["arms.0.name=x"])
    assert [p.message for p in problems] == ["arms is an empty list; set it whole"]
