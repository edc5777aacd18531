"""`specbench selftest` and the sweep that reads its result, as a user meets them. How
much this machine carries is no rule; that every level has a verdict is."""

import csv
import io
import json
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import specbench, strict_json, write_sweep

VERDICTS = {"carries", "errs", "server-bound"}
MANY = "load.concurrency=[1,4096]"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def test_it_tries_each_level_says_the_limit_and_keeps_the_result(
    tmp_path: Path, cache: Path
) -> None:
    done = specbench(
        "selftest",
        "--levels",
        "2,3",
        "--seconds",
        "1",
        "--format",
        "json",
        cwd=tmp_path,
    )
    assert done.returncode == ExitCode.FINE, done.stderr
    document = strict_json(done.stdout)
    levels = document["result"]["levels"]
    assert [x["streams"] for x in levels] == [2, 3][: len(levels)]
    assert {x["verdict"] for x in levels} <= VERDICTS
    for one in levels:
        assert one["failed_requests"] == 0
        assert one["lost_chunks"] == 0
        assert one["offered_chunks_per_s"] == pytest.approx(one["streams"] * 50 / 1.18)
        assert one["lag_p50_s"] > 0
    assert document["limit"]
    (kept,) = cache.glob("specbench/selftest/*.json")
    assert json.loads(kept.read_text()) == document["result"]


def test_its_rows_are_csv(tmp_path: Path) -> None:
    arguments = ("selftest", "--levels=1", "--seconds=1", "--processes=1")
    done = specbench(*arguments, "--format=csv", cwd=tmp_path)
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["streams"] == "1"
    assert row["verdict"] in VERDICTS


@pytest.mark.parametrize("levels", ["", "0", "4,x", "-1", "999999999"])
def test_levels_that_are_no_counts_are_bad_input(tmp_path: Path, levels: str) -> None:
    done = specbench("selftest", "--levels", levels, cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert "--levels" in done.stderr


def test_a_large_sweep_without_a_selftest_is_told_how_to_get_one(
    tmp_path: Path,
) -> None:
    sweep = str(write_sweep(tmp_path, "true"))
    large = specbench("run", sweep, "--dry-run", "--set", MANY, cwd=tmp_path)
    small = specbench("run", sweep, "--dry-run", cwd=tmp_path)
    assert large.returncode == small.returncode == ExitCode.FINE
    assert "note: " in large.stderr
    assert "specbench selftest" in large.stderr
    assert "selftest" not in small.stderr


def test_a_sweep_beyond_the_kept_limit_is_warned_before_it_starts(
    tmp_path: Path,
) -> None:
    table = specbench("selftest", "--levels=1", "--seconds=1", cwd=tmp_path)
    assert "lag ms" in table.stdout
    assert "share this machine's CPUs" in table.stdout
    sweep = str(write_sweep(tmp_path, "true"))
    done = specbench("run", sweep, "--dry-run", "--set", MANY, cwd=tmp_path)
    assert done.returncode == ExitCode.FINE
    assert "warning: " in done.stderr
    assert "selftest" in done.stderr
