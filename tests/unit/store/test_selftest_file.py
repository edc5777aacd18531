"""The kept selftest and the server's log."""

from pathlib import Path

import pytest

from specbench.errors import ResultsError
from specbench.schema.selftest import (
    SelftestMachine,
    SelftestResult,
    SentRequest,
    ServerEffort,
)
from specbench.sim.metronome_log import ScheduleLog
from specbench.store.selftest_file import (
    read_selftest,
    read_server_log,
    selftest_path,
    write_selftest,
)
from tests.unit.selftests import level

RESULT = SelftestResult(
    machine=SelftestMachine("host", None, 2, "0.1.0"),
    measured_utc="2026-11-30T20:00:00+00:00",
    gap_s=0.02,
    levels=(level(16), level(64)),
)
SENT = SentRequest(
    request=None,
    worker=1,
    arrival_ns=5,
    first_due_ns=6,
    gap_ns=2,
    role_ns=5,
    sent_ns=(6, 8),
    tokens=(1, 3, 1),
    end_ns=None,
)
EFFORT = ServerEffort(worker=1, cpu_s=0.5, wall_s=2.0, chunks=2)


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "host.json"
    write_selftest(path, RESULT)
    assert read_selftest(path) == RESULT


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"levels": 3}', "\x00"])
def test_a_result_that_cannot_be_read_counts_as_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "host.json"
    path.write_text(text)
    assert read_selftest(path) is None


def test_no_result_is_none(tmp_path: Path) -> None:
    assert read_selftest(tmp_path / "host.json") is None


def test_the_cache_folder_is_the_user_s_where_it_is_absolute() -> None:
    given = selftest_path("my/host", {"XDG_CACHE_HOME": "/somewhere"})
    assert given == Path("/somewhere/specbench/selftest/my-host.json")
    usual = Path.home() / ".cache" / "specbench" / "selftest" / "h.json"
    assert selftest_path("h", {"XDG_CACHE_HOME": "relative"}) == usual
    assert selftest_path("h", {}) == usual


def test_the_server_s_log_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    log = ScheduleLog(tmp_path)
    log.write(SENT)
    log.close(EFFORT)
    read = read_server_log(tmp_path)
    assert read.sent == (SENT,)
    assert read.efforts == (EFFORT,)
    assert log.chunks == 2


@pytest.mark.parametrize("line", ["{", "[]", '{"request": 1}', "7", '{"cpu_s": 1}'])
def test_a_broken_line_is_named_by_file_and_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "7.jsonl").write_text(line + "\n")
    with pytest.raises(ResultsError, match=r"7\.jsonl:1"):
        read_server_log(tmp_path)
