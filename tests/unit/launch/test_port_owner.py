"""Who listens on a port, from tables as Linux 6.18 writes them (proc(5))."""

from pathlib import Path

import pytest

from specbench.launch.port_owner import (
    ListeningSocket,
    describe_owner,
    parse_listeners,
    shorten_command,
)

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"
    "   uid  timeout inode\n"
)


def row(port: int, inode: int, state: str = "0A", address: str = "0100007F") -> str:
    return (
        f"   0: {address}:{port:04X} 00000000:0000 {state} 00000000:00000000"
        f" 00:00000000 00000000  1000        0 {inode} 1 0000000000000000 100 0 0\n"
    )


def make_proc(root: Path, tcp: str) -> Path:
    (root / "net").mkdir()
    (root / "net" / "tcp").write_text(tcp)
    return root


def add_process(root: Path, pid: int, cmdline: bytes, *links: str) -> None:
    handles = root / str(pid) / "fd"
    handles.mkdir(parents=True)
    (root / str(pid) / "cmdline").write_bytes(cmdline)
    for number, link in enumerate(links):
        (handles / str(number)).symlink_to(link)


def test_only_listening_sockets_of_that_port_are_found() -> None:
    table = HEAD + row(8000, 11) + row(8000, 12, state="01") + row(8001, 13)
    assert parse_listeners(table, 8000) == (ListeningSocket("11", uid=1000),)


def test_address_of_any_width_is_read() -> None:
    table = HEAD + row(8000, 11, address="0" * 32)
    assert parse_listeners(table, 8000) == (ListeningSocket("11", uid=1000),)


@pytest.mark.parametrize("line", ["", "nonsense", "0: x:y z 0A 0 0 0 a b c d\n"])
def test_other_lines_are_passed_over(line: str) -> None:
    assert parse_listeners(HEAD + line, 8000) == ()


def test_owner_is_named_with_its_command(tmp_path: Path) -> None:
    make_proc(tmp_path, HEAD + row(8000, 11))
    add_process(tmp_path, 41, b"/usr/bin/other\0", "/dev/null", "socket:[12]")
    add_process(tmp_path, 42, b"python3\0-m\0server\0", "/dev/null", "socket:[11]")
    assert describe_owner(8000, tmp_path) == "process 42: python3 -m server"


def test_owner_that_cannot_be_seen_is_told_by_its_user(tmp_path: Path) -> None:
    make_proc(tmp_path, HEAD + row(8000, 11))
    add_process(tmp_path, 41, b"/usr/bin/other\0", "socket:[12]")
    owner = describe_owner(8000, tmp_path)
    assert owner == "a process of user id 1000, which this user may not look at"


def test_nobody_is_none(tmp_path: Path) -> None:
    make_proc(tmp_path, HEAD)
    assert describe_owner(8000, tmp_path) is None


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["vllm", "serve", "m"], "vllm serve m"),
        (["vllm", "--api-key", "s3cret", "--port", "1"], "vllm --api-key *** --port 1"),
        (["vllm", "--api-key=s3cret", "m"], "vllm --api-key=*** m"),
        (["x", "--hf-token", "a", "b", "--port", "1"], "x --hf-token *** *** --port 1"),
        (["x", "--key", "--port", "1"], "x --key --port 1"),
        (["a" * 200], "a" * 99 + "…"),
    ],
)
def test_command_is_shown_without_secrets_and_cut(argv: list[str], text: str) -> None:
    assert shorten_command(argv) == text
