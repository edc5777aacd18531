"""A recorded set on disk: what `meta.toml` says, and what is left out of it."""

import tomllib
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import InputError
from specbench.schema.capture import ArmMeta, CaptureMeta
from specbench.store.capture_secrets import redact_log, redact_page
from specbench.store.captures import (
    arm_table,
    meta_head,
    read_captures,
    toml_text,
    write_arm,
)

META = CaptureMeta(engine="vllm", version="0.32.0", served_model_name="m")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_toml(text: str) -> None:
    assert tomllib.loads(f"a = {toml_text(text)}") == {"a": text}


def test_arms_are_added_to_a_set_one_by_one(tmp_path: Path) -> None:
    for arm, speculates in (("baseline", False), ("ngram.k3", True)):
        own = ArmMeta(command='serve "x"', speculates=speculates, traffic=["a.sse"])
        files = {"a.sse": b"data: [DONE]\n\n", "start.log": b"up\n"}
        write_arm(tmp_path / "set", meta_head(META), arm, arm_table(arm, own), files)
    captured = read_captures(tmp_path / "set")
    assert (captured.engine, captured.version) == ("vllm", "0.32.0")
    assert [(a.name, a.speculates, a.traffic) for a in captured.arms] == [
        ("baseline", False, ("a.sse",)),
        ("ngram.k3", True, ("a.sse",)),
    ]
    assert captured.arms[0].pages == {"start.log": "up\n"}


def test_an_arm_without_a_table_drafts_unless_it_is_the_baseline(
    tmp_path: Path,
) -> None:
    (tmp_path / "meta.toml").write_text('engine = "vllm"\n')
    for arm in ("baseline", "eagle3"):
        (tmp_path / arm).mkdir()
        (tmp_path / arm / "start.log").write_text("up\n")
    arms = read_captures(tmp_path).arms
    assert [(arm.name, arm.speculates) for arm in arms] == [
        ("baseline", False),
        ("eagle3", True),
    ]


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ("", "engine: is missing"),
        ('engine = "vllm"\n[arms.a]\ntraffic = 3\n', "arms.a.traffic"),
        ('engine = "vllm"\n[arms.a]\n', "no folder a"),
        ("engine = vllm\n", "not valid TOML"),
        ('engine = "vllm"\n', "holds no captures"),
    ],
)
def test_what_is_wrong_with_a_set_is_named(
    meta: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "meta.toml").write_text(meta)
    with pytest.raises(InputError, match=words):
        read_captures(tmp_path)


@pytest.mark.parametrize(
    ("line", "public"),
    [
        ("serve --api-key abc --port 1", "serve --api-key <redacted> --port 1"),
        ("args: {'api_key': ['abc'], 'n': 1}", "args: {'api_key': <redacted>, 'n': 1}"),
        ("api_key=None, hf_token='x'", "api_key=None, hf_token=<redacted>"),
        ("max_num_batched_tokens=2048", "max_num_batched_tokens=2048"),
        ("tokenizer='org/toy'", "tokenizer='org/toy'"),
        ("Authorization: Bearer zzz", "Authorization: Bearer <redacted>"),
    ],
)
def test_a_log_loses_its_secrets_only(line: str, public: str) -> None:
    assert redact_log(line, ["zzz"]) == public


def test_a_page_without_a_secret_stays_as_it_was_sent() -> None:
    body = b'{ "version" :  "0.32.0" }\n'
    assert redact_page(body, ["abc"]) == body
    assert redact_page(b"vllm:running 1.0\n", [""]) == b"vllm:running 1.0\n"


def test_a_page_loses_what_stands_under_a_secret_name() -> None:
    page = redact_page(
        b'{"api_key": "abc", "max_tokens": 5, "x": ["zzz"],'
        b' "launch_command": "serve --api-key abc --port 1"}',
        ["zzz"],
    )
    assert orjson.loads(page) == {
        "api_key": "<redacted>",
        "max_tokens": 5,
        "x": ["<redacted>"],
        "launch_command": "serve --api-key <redacted> --port 1",
    }
