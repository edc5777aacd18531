"""The server with a known schedule, through real sockets and judged by its own log. How
late it is depends on the machine and is no rule here; that it is never early is."""

import itertools
import socket
import subprocess
import sys

import pytest

from specbench.errors import ExitCode
from specbench.schema.selftest import SentRequest
from tests.unit.sim.metronome_client import (
    Served,
    ask,
    connect,
    metronome,
    read_response,
    request_bytes,
)

GAP_NS = 1_000_000
TTFT_NS = 5_000_000
CHUNKS = 8


def only(served: Served) -> SentRequest:
    """The only answer that was noted."""
    (sent,) = served.noted().sent
    return sent


def test_an_answer_is_a_role_then_text_with_a_running_count_then_usage() -> None:
    with metronome("--tokens-per-chunk=3") as served, connect(served) as sock:
        reading = ask(sock, 17)
    assert reading.error is None
    assert reading.is_done
    role, *texts = reading.chunks
    assert role.text == ""
    assert role.tokens_so_far == 0
    assert [chunk.tokens_so_far for chunk in texts] == [3 * n for n in range(1, 9)]
    assert all(chunk.text for chunk in texts)
    assert reading.output_tokens == 3 * CHUNKS
    assert reading.finish_reason == "length"


def test_no_chunk_leaves_before_it_is_due_nor_is_stamped_after_it_came() -> None:
    with metronome() as served, connect(served) as sock:
        reading = ask(sock, 1)
    sent = only(served)
    due = [sent.first_due_ns + place * sent.gap_ns for place in range(CHUNKS)]
    assert sent.first_due_ns == sent.arrival_ns + TTFT_NS
    assert sent.gap_ns == GAP_NS
    assert all(s >= d for s, d in zip(sent.sent_ns, due, strict=True))
    assert sent.arrival_ns <= sent.role_ns < sent.sent_ns[0]
    stamps = [chunk.arrival_ns for chunk in reading.chunks if chunk.text]
    assert all(c >= s for c, s in zip(stamps, sent.sent_ns, strict=True))
    assert sent.is_whole


def test_the_role_comes_with_the_first_text_where_it_is_told_to() -> None:
    flags = ("--role-with-text", "--ttft-ms=50")
    with metronome(*flags) as served, connect(served) as sock:
        reading = ask(sock, 1)
    role, first, *_ = reading.chunks
    assert role.text == ""
    assert first.text
    assert role.arrival_ns >= only(served).sent_ns[0]


def test_the_log_names_each_request_by_the_number_in_its_prompt() -> None:
    with metronome() as served, connect(served) as one, connect(served) as other:
        for number in (3, 1):
            one.sendall(request_bytes(number))
            other.sendall(request_bytes(number + 10))
            read_response(one)
            read_response(other)
    assert sorted(s.request or 0 for s in served.noted().sent) == [1, 3, 11, 13]
    assert sum(effort.chunks for effort in served.noted().efforts) == 4 * CHUNKS


def test_requests_that_come_together_are_answered_one_after_another() -> None:
    with metronome() as served, connect(served) as sock:
        sock.sendall(request_bytes(1) + request_bytes(2))
        came = b""
        while came.count(b"[DONE]") < 2:
            came += sock.recv(65536)
    first, second = sorted(served.noted().sent, key=lambda s: s.arrival_ns)
    assert (first.request, second.request) == (1, 2)
    assert first.end_ns is not None
    assert second.arrival_ns >= first.end_ns


def test_random_tokens_are_dealt_alike_by_every_server_with_the_same_seed() -> None:
    traces = []
    flags = ("--tokens-per-chunk=random", "--seed=4")
    for _ in range(2):
        with metronome(*flags) as served, connect(served) as sock:
            readings = [ask(sock, number) for number in range(3)]
        by_number = sorted(served.noted().sent, key=lambda s: s.request or 0)
        traces.append([sent.tokens for sent in by_number])
        for reading, sent in zip(readings, by_number, strict=True):
            counts = [c.tokens_so_far for c in reading.chunks if c.text]
            assert counts == list(itertools.accumulate(sent.tokens))
    assert traces[0] == traces[1]
    assert len(set(traces[0])) == 3


def test_a_client_that_goes_away_is_noted_with_what_it_got() -> None:
    with metronome("--chunks=100000") as served:
        with connect(served) as sock:
            sock.sendall(request_bytes(1))
            while b" tick" not in sock.recv(65536):
                pass
        with connect(served) as sock:  # it serves on
            sock.sendall(b"GET /health HTTP/1.1\r\n\r\n")
            assert read_response(sock).status == 200
    sent = only(served)
    assert not sent.is_whole
    assert 0 < len(sent.sent_ns) < 100_000


def test_a_client_without_room_gets_every_byte_later_and_in_order() -> None:
    flags = ("--gap-ms=0.01", "--chunks=3000", "--ttft-ms=1")
    with metronome(*flags) as served, connect(served, receive_buffer=4096) as slow:
        slow.sendall(request_bytes(1))
        with connect(served) as quick:
            # by the time that this one is through, the other's buffers are full
            assert ask(quick, 2).is_done
        reader = read_response(slow)
    assert reader.is_complete
    by_number = {sent.request: sent for sent in served.noted().sent}
    stamps = by_number[1].sent_ns
    assert len(stamps) == 3000
    assert list(stamps) == sorted(stamps)
    assert by_number[1].is_whole


def test_a_connection_that_is_not_to_be_kept_is_closed_after_the_answer() -> None:
    with metronome() as served, connect(served) as sock:
        sock.sendall(request_bytes(1, "connection: close\r\n"))
        read_response(sock)
        assert sock.recv(1) == b""


@pytest.mark.parametrize(
    ("request_line", "status"),
    [("GET /v1/models", 200), ("GET /health", 200), ("GET /nowhere", 404)],
)
def test_plain_pages_are_answered_at_once(request_line: str, status: int) -> None:
    with metronome() as served, connect(served) as sock:
        sock.sendall(f"{request_line} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        assert read_response(sock).status == status


def test_bytes_that_are_no_request_end_the_connection_and_not_the_server() -> None:
    with metronome() as served:
        with connect(served) as sock:
            sock.sendall(b"nonsense\r\n\r\n")
            assert read_response(sock).status == 400
            assert sock.recv(1) == b""
        with connect(served) as sock:
            assert ask(sock, 1).is_done


def test_several_processes_share_the_port_and_each_notes_its_own() -> None:
    with metronome("--processes=3") as served:
        socks = [connect(served) for _ in range(24)]
        for number, sock in enumerate(socks):
            sock.sendall(request_bytes(number))
        for sock in socks:
            read_response(sock)
            sock.close()
    noted = served.noted()
    assert sorted(s.request or 0 for s in noted.sent) == list(range(24))
    assert {effort.worker for effort in noted.efforts} == {0, 1, 2}
    for effort in noted.efforts:
        mine = [s for s in noted.sent if s.worker == effort.worker]
        assert effort.chunks == CHUNKS * len(mine)


def test_it_ends_with_its_standard_input_where_it_is_told_to() -> None:
    with metronome("--until-stdin-ends", "--processes=2") as served:
        assert served.process.stdin is not None
        served.process.stdin.close()
        assert served.process.wait(30) == 0
        # the port is free again: no child holds it
        with pytest.raises(ConnectionRefusedError):
            connect(served)


@pytest.mark.parametrize(
    "flag",
    [
        "--chunks=0",
        "--chunks=many",
        "--gap-ms=0",
        "--ttft-ms=nan",
        "--tokens-per-chunk=0",
        "--processes=-1",
    ],
)
def test_a_schedule_that_cannot_be_is_bad_input(flag: str) -> None:
    command = [sys.executable, "-m", "specbench.sim.metronome", flag]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == ExitCode.BAD_INPUT
    assert flag.partition("=")[0] in done.stderr


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "specbench.sim.metronome", f"--port={port}"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == ExitCode.BAD_INPUT
    assert str(port) in done.stderr
    assert "hint:" in done.stderr
