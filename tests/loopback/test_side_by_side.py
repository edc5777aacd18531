"""Launches side by side on two GPUs that specbench is made to see: who runs where and
when, and what ends with what."""

import csv
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import ExitCode
from specbench.host.machine import usable_cpus
from specbench.store.reader import StoredRun
from tests.loopback.cli import (
    interrupt,
    only_run,
    ran_to_its_end,
    specbench,
    strict_json,
    write_sweep,
)
from tests.loopback.engine_script import write_engine
from tests.loopback.two_gpus import with_two_gpus, write_auto_sweep

SHORT = "max_tokens = 24 -> max_tokens = 12"
LATE_ARM = """#!/bin/sh
case "$*" in *--speculative-config*) sleep 2 ;; esac
exec "$(dirname "$0")/vllm" "$@"
"""
SILENT_ENGINE = "#!/bin/sh\nexec sleep 600\n"


def write_program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def launches(run: Path) -> list[dict[str, Any]]:
    paths = run.glob("launches/*/launch.json")
    return sorted((strict_json(p.read_text()) for p in paths), key=lambda r: r["index"])


def spans(run: Path, indexes: Sequence[int]) -> list[tuple[datetime, datetime]]:
    """From the first cell's start to the last one's end, of each launch."""
    found = []
    for index in indexes:
        records = [
            cell.record
            for cell in StoredRun.open(run).cells().cells
            if cell.record.launch_index == index
        ]
        starts = [datetime.fromisoformat(r.started_utc) for r in records]
        lasting = [timedelta(seconds=r.duration_s) for r in records]
        ends = [start + long for start, long in zip(starts, lasting, strict=True)]
        found.append((min(starts), max(ends)))
    return found


def engines_of(pid: int) -> list[str]:
    """What a specbench process has launched and what still lives."""
    marker = f"SPECBENCH_LAUNCH={pid}-".encode()
    left = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker in path.read_bytes():
                left.append(path.parent.name)
        except OSError:
            continue
    return left


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run's folder, and what was told meanwhile."""
    folder = tmp_path_factory.mktemp("two")
    write_engine(folder)
    late = write_program(folder / "late-vllm", LATE_ARM)
    write_auto_sweep(folder, late, SHORT)
    env = with_two_gpus(folder)
    done = specbench("run", "sweep.toml", cwd=folder, env=env)
    assert ran_to_its_end(done), done.stdout + done.stderr
    return only_run(folder), done.stderr


def test_roles_are_swapped_and_each_place_has_a_gpu_of_its_own(
    done: tuple[Path, str],
) -> None:
    found = launches(done[0])
    assert [(r["arm"], r["replicate"], r["place"], r["gpus"]) for r in found] == [
        ("baseline", 1, 0, ["GPU-0"]),
        ("ngram", 1, 1, ["GPU-1"]),
        ("ngram", 2, 0, ["GPU-0"]),
        ("baseline", 2, 1, ["GPU-1"]),
    ]
    visible = [r["env"]["CUDA_VISIBLE_DEVICES"] for r in found]
    assert {r["env"]["CUDA_DEVICE_ORDER"] for r in found} == {"PCI_BUS_ID"}
    assert visible == ["GPU-0", "GPU-1", "GPU-0", "GPU-1"]
    assert len({r["url"] for r in found[:2]}) == 2


def test_launches_of_a_wave_measure_at_the_same_time_and_waves_do_not(
    done: tuple[Path, str],
) -> None:
    run, _ = done
    for wave in ((1, 2), (3, 4)):
        (start, end), (other_start, other_end) = spans(run, wave)
        assert start < other_end
        assert other_start < end
    last_end = max(end for _, end in spans(run, (1, 2)))
    for record in launches(run)[2:]:
        assert datetime.fromisoformat(record["started_utc"]) >= last_end


def test_none_measures_while_another_starts(done: tuple[Path, str]) -> None:
    run, _ = done
    for wave in ((1, 2), (3, 4)):
        ready = [
            datetime.fromisoformat(r["started_utc"]) + timedelta(seconds=r["ready_s"])
            for r in launches(run)
            if r["index"] in wave
        ]
        first_cell = min(start for start, _ in spans(run, wave))
        # the record's instant is taken a little before the engine is started
        assert first_cell >= max(ready)


def test_more_launches_than_asked_for_are_told(done: tuple[Path, str]) -> None:
    (note,) = strict_json((done[0] / "manifest.json").read_text())["notes"]
    assert note.startswith("tiny: 2 launches of each arm instead of 1")


def test_each_line_says_of_which_place_it_is(done: tuple[Path, str]) -> None:
    for line in done[1].splitlines():
        if "launch " in line or "tokens/s" in line:
            assert line.lstrip().startswith(("place 0: ", "place 1: ")), line


def test_all_arms_get_the_same_requests(done: tuple[Path, str]) -> None:
    asked: dict[int, set[tuple[str, ...]]] = {}
    for cell in StoredRun.open(done[0]).cells().cells:
        prompts = tuple(sample.prompt_id for sample in cell.samples())
        load = cell.record.key.condition.concurrency
        asked.setdefault(load, set()).add(prompts)
    assert [len(different) for different in asked.values()] == [1, 1]


def test_a_dry_run_shows_waves_places_and_their_gpus(tmp_path: Path) -> None:
    write_auto_sweep(tmp_path, write_engine(tmp_path))
    env = with_two_gpus(tmp_path)
    table = specbench("run", "sweep.toml", "--dry-run", cwd=tmp_path, env=env).stdout
    assert "place 0 has GPU GPU-0; place 1 has GPU GPU-1" in table
    assert "2 launches of each arm instead of 1" in table
    done = specbench(
        *("run", "sweep.toml", "--dry-run", "--format", "json"), cwd=tmp_path, env=env
    )
    plan = strict_json(done.stdout)
    assert {(c["wave"], c["place"], c["arm"]) for c in plan["cells"]} == {
        (0, 0, "baseline"),
        (0, 1, "ngram"),
        (1, 0, "ngram"),
        (1, 1, "baseline"),
    }
    assert [place["gpus"] for place in plan["places"]["tiny"]] == [["GPU-0"], ["GPU-1"]]


def test_second_turns_are_asked_with_one_baselines_first_answers(
    tmp_path: Path,
) -> None:
    changes = """turns = "first" -> turns = "all"
                 max_tokens = 24 -> max_tokens = 8
                 concurrency = [1, 4] -> concurrency = [2]"""
    write_auto_sweep(tmp_path, write_engine(tmp_path), changes)
    env = with_two_gpus(tmp_path)
    done = specbench("run", "sweep.toml", cwd=tmp_path, env=env)
    assert ran_to_its_end(done), done.stdout + done.stderr
    run = only_run(tmp_path)
    answers = strict_json((run / "frozen" / "mt-bench-style.json").read_text())
    assert all(answers.values())
    asked = {
        tuple((s.prompt_id, s.prompt_tokens) for s in cell.samples())
        for cell in StoredRun.open(run).cells().cells
    }
    assert len(asked) == 1
    assert any(prompt_id.endswith("/2") for prompt_id, _ in next(iter(asked)))


def test_an_arm_that_dies_leaves_the_baseline_measured_on_both_places(
    tmp_path: Path,
) -> None:
    write_auto_sweep(tmp_path, write_engine(tmp_path, crashes=True), SHORT)
    env = with_two_gpus(tmp_path)
    done = specbench("run", "sweep.toml", cwd=tmp_path, env=env)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "14 heads" in done.stderr
    assert "Traceback" not in done.stderr
    found = launches(only_run(tmp_path))
    assert [r["error"] is None for r in found] == [True, False, False, True]
    assert "launch 2 of this arm had failed" in found[2]["error"]
    with (only_run(tmp_path) / "cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["arm"] for row in rows} == {"baseline"}


def interrupted(folder: Path, until: Sequence[str]) -> tuple[int, str]:
    """Exit code and the rest of what was told, of a run that gets a Ctrl-C when each
    of the words has been told. No engine outlives it."""
    run = interrupt(folder, *until, env=with_two_gpus(folder))
    assert engines_of(run.pid) == []
    return run.returncode, run.rest


def test_interrupting_cells_ends_both_engines_and_keeps_what_was_measured(
    tmp_path: Path,
) -> None:
    write_auto_sweep(tmp_path, write_engine(tmp_path))
    code, rest = interrupted(tmp_path, ["[1/8]"])
    assert code == ExitCode.INTERRUPTED, rest
    assert "Traceback" not in rest
    run = only_run(tmp_path)
    assert strict_json((run / "manifest.json").read_text())["status"] == "interrupted"
    assert (run / "cells.csv").read_text().count("\n") >= 2


def test_interrupting_starts_ends_both_engines(tmp_path: Path) -> None:
    write_auto_sweep(tmp_path, write_program(tmp_path / "vllm", SILENT_ENGINE))
    code, rest = interrupted(tmp_path, ["place 0: launch", "place 1: launch"])
    assert code == ExitCode.INTERRUPTED, rest
    assert "Traceback" not in rest


@pytest.mark.skipif(len(usable_cpus()) < 3, reason="needs three CPUs")
def test_engines_on_the_cpu_run_side_by_side_where_that_is_asked_for(
    tmp_path: Path,
) -> None:
    changes = 'placement = "sequential" -> placement = "side-by-side"'
    write_sweep(tmp_path, write_engine(tmp_path), changes)
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert ran_to_its_end(done), done.stdout + done.stderr
    assert [r["place"] for r in launches(only_run(tmp_path))] == [0, 1, 0, 1]
