"""The end of a log, for people."""

from pathlib import Path

import pytest

from specbench.launch.log_tail import last_line, read_tail


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "engine.log"


def test_short_file_is_read_whole(log: Path) -> None:
    log.write_text("one\ntwo\n")
    assert read_tail(log, 100) == "one\ntwo\n"


def test_long_file_begins_at_a_whole_line(log: Path) -> None:
    log.write_text("a first line\nsecond\nthird\n")
    assert read_tail(log, 16) == "second\nthird\n"


def test_line_longer_than_the_tail_is_cut(log: Path) -> None:
    log.write_text("x" * 50)
    assert read_tail(log, 10) == "x" * 10


def test_bytes_that_are_no_text_are_replaced(log: Path) -> None:
    log.write_bytes(b"\xff\xfe ok\n")
    assert read_tail(log, 100) == "\ufffd\ufffd ok\n"


def test_missing_file_is_empty(log: Path) -> None:
    assert read_tail(log, 100) == ""
    assert last_line(log) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("INFO one\nINFO two\n", "INFO two"),
        ("INFO one\n\n  \n", "INFO one"),
        ("half a li", "half a li"),
        ("loading: 10%\rloading: 20%\r", "loading: 20%"),
        ("\x1b[1;36m(EngineCore pid=1)\x1b[0m ready\r\n", "(EngineCore pid=1) ready"),
        ("a\x07b\x00\n", "ab"),
        ("\n\r\n", ""),
    ],
)
def test_last_line_is_the_last_with_something_in_it(
    log: Path, text: str, line: str
) -> None:
    log.write_bytes(text.encode())
    assert last_line(log) == line
