"""Texts that make prompts longer."""

import hashlib
import re
from pathlib import Path

import pytest

from specbench.errors import InputError
from specbench.workload import filler
from specbench.workload.filler import (
    UNKNOWN_LICENCE,
    join_fillers,
    read_fillers,
    read_own_text,
    read_topics,
)


def test_topics_are_named_with_their_licence_and_hash() -> None:
    text = read_topics()
    assert text.licence == "PSF-2.0"
    assert re.fullmatch(r"[0-9a-f]{64}", text.sha256)
    assert "documentation topics" in text.name
    assert text.words > 50_000


def test_without_files_the_topics_are_read() -> None:
    assert read_fillers([], "s.toml: workload.texts") == (read_topics(),)


def test_own_files_are_named_as_the_sweep_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = "\ufeffEin Wort.\r\nNoch eins: über.\n".encode()
    Path("book.txt").write_bytes(data)
    Path("two.txt").write_text("more")
    book, two = read_fillers(["book.txt", "two.txt"], "s.toml: workload.texts")
    assert (book.name, book.licence) == ("book.txt", UNKNOWN_LICENCE)
    assert book.text == "Ein Wort.\nNoch eins: über."
    assert book.sha256 == hashlib.sha256(data).hexdigest()
    assert book.words == 5
    assert join_fillers([book, two]).endswith("über.\n\nmore")


def test_a_file_that_is_not_there_is_named_with_key_and_place(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_fillers([str(tmp_path / "none.txt")], "s.toml: workload.texts")
    assert caught.value.message.startswith(
        "s.toml: workload.texts[0]: there is no file"
    )
    assert str(tmp_path) in caught.value.message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"good\nbad \xff", "line 2: not valid UTF-8: byte 0xff"),
        (b"\xff\xfeh\x00", "is UTF-16 text"),
        (b"\x1f\x8b\x08\x00", "is a gzip file"),
        (b"a\x00b", "holds zero bytes"),
        (b" \n\t", "holds no words"),
        (b"", "holds no words"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_own_text(str(path), "s.toml: workload.texts[3]")
    assert caught.value.message.startswith("s.toml: workload.texts[3]: ")
    assert said in caught.value.message


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filler, "MAX_TEXT_BYTES", 3)
    path = tmp_path / "book.txt"
    path.write_text("four")
    with pytest.raises(InputError, match="4 bytes, more than the 3 that are read"):
        read_own_text(str(path), "here")


def test_a_folder_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        read_own_text(str(tmp_path), "here")
