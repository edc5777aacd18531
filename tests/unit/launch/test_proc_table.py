"""Rows of /proc/PID/stat as Linux 6.18 writes them (proc(5))."""

import os
from pathlib import Path

import pytest

from specbench.launch.proc_table import (
    ProcessEntry,
    ProcessId,
    has_variable,
    parse_stat,
    read_entry,
    read_table,
)

TAIL = "0 -1 4194304 1185 0 3 0 2 1 0 0 20 0 {threads} 0 81234 9293824 1024 184467"


def stat_line(name: str, state: str = "S", threads: int = 1) -> str:
    return f"812 ({name}) {state} 700 812 799 {TAIL.format(threads=threads)}\n"


def write_process(root: Path, pid: int, stat: str, environ: bytes = b"") -> None:
    folder = root / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(stat)
    (folder / "environ").write_bytes(environ)


@pytest.mark.parametrize(
    "name", ["python3", "VLLM::EngineCore", "a b", "odd) S 1 (", "", "(sd-pam)"]
)
def test_fields_are_read_whatever_the_name_holds(name: str) -> None:
    assert parse_stat(stat_line(name)) == ProcessEntry(
        id=ProcessId(pid=812, start_ticks=81234),
        parent_pid=700,
        group=812,
        session=799,
        is_zombie=False,
    )


@pytest.mark.parametrize(
    ("state", "threads", "is_zombie"),
    [("S", 1, False), ("R", 4, False), ("Z", 1, True), ("Z", 3, False), ("X", 0, True)],
)
def test_zombie_is_one_only_without_living_threads(
    state: str, threads: int, is_zombie: bool
) -> None:
    entry = parse_stat(stat_line("python3", state, threads))
    assert entry is not None
    assert entry.is_zombie is is_zombie


@pytest.mark.parametrize("text", ["", "812", "812 (python3) S 1 2", "x (y) z" * 30])
def test_cut_row_is_none(text: str) -> None:
    assert parse_stat(text) is None


def test_table_holds_processes_and_passes_over_the_rest(tmp_path: Path) -> None:
    write_process(tmp_path, 812, stat_line("python3"))
    write_process(tmp_path, 813, "")
    (tmp_path / "814").mkdir()
    (tmp_path / "meminfo").touch()
    assert list(read_table(tmp_path)) == [812]


def test_this_process_and_its_parent_are_in_the_real_table() -> None:
    table = read_table()
    assert table[os.getpid()].parent_pid == os.getppid()
    assert read_entry(os.getpid()) == table[os.getpid()]


@pytest.mark.parametrize(
    ("environ", "has_it"),
    [
        (b"A=1\0MARK=run-1\0B=2\0", True),
        (b"MARK=run-1", True),
        (b"MARK=run-12\0", False),
        (b"OTHER_MARK=run-1\0", False),
        (b"", False),
    ],
)
def test_variable_counts_only_whole(
    tmp_path: Path, environ: bytes, has_it: bool
) -> None:
    write_process(tmp_path, 812, stat_line("python3"), environ)
    assert has_variable(812, "MARK", "run-1", tmp_path) is has_it


def test_environment_that_cannot_be_read_has_no_variable(tmp_path: Path) -> None:
    assert not has_variable(812, "MARK", "run-1", tmp_path)
