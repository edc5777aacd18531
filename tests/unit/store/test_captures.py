"""A recorded set on disk: what `meta.toml` says, and what is left out of it."""

import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import InputError
from specbench.schema.capture import ArmMeta, CaptureMeta
from specbench.store.captures import (
    arm_table,
    check_new_arm,
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


NGRAM = ArmMeta(command="serve", speculates=True)


def add(folder: Path, arm: str) -> None:
    table = arm_table(arm, NGRAM)
    write_arm(folder, meta_head(META), arm, table, {"start.log": b"up\n"})


def test_an_arm_whose_folder_was_removed_is_not_added_twice(tmp_path: Path) -> None:
    add(tmp_path, "ngram")
    shutil.rmtree(tmp_path / "ngram")
    before = (tmp_path / "meta.toml").read_bytes()
    with pytest.raises(InputError, match=r"meta\.toml: arms\.ngram is there already"):
        add(tmp_path, "ngram")
    assert (tmp_path / "meta.toml").read_bytes() == before
    assert not (tmp_path / "ngram").exists()


def test_what_the_hint_says_lets_an_arm_be_recorded_again(tmp_path: Path) -> None:
    add(tmp_path, "ngram")
    with pytest.raises(InputError) as caught:
        check_new_arm(tmp_path, "ngram")
    assert '[arms."ngram"]' in (caught.value.hint or "")
    shutil.rmtree(tmp_path / "ngram")
    meta = tmp_path / "meta.toml"
    meta.write_text(meta.read_text().partition('[arms."ngram"]')[0])
    add(tmp_path, "ngram")
    assert [arm.name for arm in read_captures(tmp_path).arms] == ["ngram"]


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        (b'engine = "vll\xe4m"\n', "not UTF-8 text"),
        (b'engine = "vllm"\narms = { a = {} }\n', r"no table .* can be added"),
        (b"engine = vllm\n", "not valid TOML"),
    ],
)
def test_a_set_that_takes_no_arm_says_so_before_anything_is_recorded(
    meta: bytes, words: str, tmp_path: Path
) -> None:
    (tmp_path / "meta.toml").write_bytes(meta)
    with pytest.raises(InputError, match=words):
        check_new_arm(tmp_path, "ngram")


def test_a_byte_order_mark_does_not_spoil_a_set(tmp_path: Path) -> None:
    (tmp_path / "meta.toml").write_bytes(b'\xef\xbb\xbfengine = "vllm"\n')
    add(tmp_path, "ngram")
    assert [arm.name for arm in read_captures(tmp_path).arms] == ["ngram"]
