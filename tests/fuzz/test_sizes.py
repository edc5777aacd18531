"""Giant lines, many tiny reads, deep nesting: an end in a time that grows with the size
and not with its square. The alarm rings where one does not come."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from specbench.analysis.cell import summarise_cell
from specbench.schema.sample import Outcome
from tests.factories import observations
from tests.fuzz.framing import HEAD
from tests.fuzz.levels import Line, make_sample, on_line, read_body, read_response
from tests.fuzz.streams import DONE, chat, counts, event
from tests.fuzz.watch import alarm

MIB = 1 << 20
GIANT = event(chat({"content": "x" * (4 * MIB)})).sent
SPARE_BYTES = 1 << 30


def in_reads(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [64, 1460, 65_536])
def test_a_giant_event_in_small_reads_is_read(size: int) -> None:
    with alarm():
        read = read_body(in_reads(GIANT + DONE.sent, size))
    assert read.error is None
    assert len(read.chunks[0].text) == 4 * MIB


def test_a_giant_comment_in_small_reads_is_passed_over() -> None:
    body = b": " + b"x" * (4 * MIB) + b"\n\n" + DONE.sent
    with alarm():
        read = read_body(in_reads(body, 64))
    assert read.error is None


@pytest.mark.parametrize("size", [64, 1460])
def test_a_giant_chunk_in_small_reads_is_read(size: int) -> None:
    wire = HEAD + b"transfer-encoding: chunked\r\n\r\n"
    wire += b"%x\r\n%b\r\n0\r\n\r\n" % (len(GIANT), GIANT)
    with alarm():
        _, was_complete = read_response(in_reads(wire, size))
    assert was_complete


def test_a_giant_event_on_a_connection_is_read() -> None:
    wire = HEAD + b"transfer-encoding: chunked\r\n\r\n"
    whole = GIANT + DONE.sent
    wire += b"%x\r\n%b\r\n0\r\n\r\n" % (len(whole), whole)

    def use(line: Line) -> None:
        sample, _ = line.read(in_reads(wire, 256))
        assert sample.outcome is Outcome.OK

    with alarm():
        on_line(use)


@pytest.mark.parametrize(
    "endless",
    [b"x" * MIB, HEAD + b"a: " + b"b" * MIB, HEAD + b"a: b\r\n" * 100_000],
    ids=["status", "header", "headers"],
)
def test_a_head_without_an_end_fails(endless: bytes) -> None:
    def use(line: Line) -> None:
        sample, _ = line.read(in_reads(endless, 200))
        assert sample.outcome is Outcome.FAILED
        assert sample.error

    with alarm():
        on_line(use)


@contextmanager
def little_memory() -> Iterator[None]:
    """No more than a GiB beside what is in use."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 (one line of the kernel)
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("count", [10**6, 2**31 - 1, 2**53])
def test_a_count_that_no_answer_can_have_costs_no_memory(count: int) -> None:
    start = event(chat({"content": "a"}, usage=counts(9, 1))).sent
    jump = event(chat({"content": "b"}, usage=counts(9, count))).sent
    pieces = ((1, start), (2, jump), (3, DONE.sent))
    with alarm(), little_memory():
        sample = make_sample(pieces, 200, None, 3)
        summarise_cell(observations([sample]))
