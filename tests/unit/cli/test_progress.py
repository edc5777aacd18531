"""What a run tells while it works."""

from dataclasses import replace

import pytest

from specbench.cli.progress import ProgressDisplay
from specbench.planning.expand import plan_sweep
from specbench.runner.events import (
    CellEnded,
    CellFailed,
    CellStarted,
    Event,
    LaunchFailed,
    LaunchReady,
    LaunchStarted,
    Remark,
    RoundStarted,
    SweepStarted,
)
from specbench.schema.record import EngineFacts
from specbench.schema.search import SearchRound
from tests.factories import cell_stats
from tests.unit.planning.sweep_texts import SOUND, read

FACTS = EngineFacts("vllm", "0.32.0", "m", 4096, 131_072, None, 256, 8192, False)


def told(
    capsys: pytest.CaptureFixture[str], *events: Event, is_quiet: bool = False
) -> list[str]:
    """Lines on a standard error that is no terminal."""
    with ProgressDisplay(is_quiet=is_quiet) as display:
        for event in events:
            display(event)
    return capsys.readouterr().err.splitlines()


def test_lines_of_launches_side_by_side_begin_with_their_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = plan_sweep(read(SOUND), places={"Some-Model-8B": 2})
    first, second, *_ = plan.launches
    lines = told(
        capsys,
        SweepStarted(plan, "out"),
        LaunchStarted(first, "a.log"),
        LaunchStarted(second, "b.log"),
        LaunchReady(first, 5.0, FACTS),
        LaunchFailed(second, "it died", "b.log"),
        CellFailed(first.cells[0], "the client: gone", place=0),
    )
    assert lines == [
        "12 cells in 4 launches; results in out",
        "place 0: launch 1/4 baseline (replicate 1) on Some-Model-8B: starting vllm,"
        " log in a.log",
        "place 1: launch 2/4 ngram-k3 (replicate 1) on Some-Model-8B: starting vllm,"
        " log in b.log",
        "place 0: launch 1/4 baseline (replicate 1) on Some-Model-8B: ready after 5 s,"
        " vllm 0.32.0, KV cache 131,072 tokens",
        "place 1: launch 2/4 ngram-k3 (replicate 1) on Some-Model-8B: failed: it died",
        "  log: b.log",
        "  place 0: baseline mt-bench-style c=1: the client: gone",
    ]


def test_lines_of_one_launch_at_a_time_name_no_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = plan_sweep(read(SOUND))
    lines = told(
        capsys, SweepStarted(plan, "out"), LaunchStarted(plan.launches[0], "a.log")
    )
    assert lines[1].startswith("launch 1/4 baseline")


def test_a_launch_that_is_left_out_is_named_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = plan_sweep(read(SOUND))
    first, *_, last = plan.launches
    lines = told(
        capsys,
        SweepStarted(plan, "out"),
        LaunchStarted(first, "a.log"),
        LaunchFailed(last, "not launched: launch 1 of this arm had failed", None),
        is_quiet=True,
    )
    assert lines == [
        "launch 4/4 baseline (replicate 2) on Some-Model-8B: failed: not launched:"
        " launch 1 of this arm had failed"
    ]


def test_a_search_tells_rounds_and_no_total(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = plan_sweep(read(SOUND, "search.mode=adaptive"))
    launch = plan.launches[0]
    key = replace(launch.cells[0], replicate=2)
    round_ = SearchRound(2, {"baseline": (key.condition,), "ngram-k3": ()}, "near 7")
    lines = told(
        capsys,
        SweepStarted(plan, "out"),
        RoundStarted("tiny", round_),
        LaunchStarted(replace(launch, index=3, replicate=2), "a.log"),
        CellStarted(key, 20, 12, None, 300.0, "what is left of the grid's time"),
        CellEnded(replace(cell_stats(), key=key), 60.0),
    )
    assert lines[0] == (
        "an adaptive search (the grid: 12 cells in 4 launches); results in out"
    )
    assert lines[1] == "round 2 on tiny: near 7 (1 cell in 1 launch)"
    assert lines[2].startswith("launch 3 baseline (round 2) on Some-Model-8B")
    assert lines[3].startswith("  [12, round 2] baseline")
    assert lines[3].endswith("(60 s; at most 4 min left)")


def test_a_remark_is_told_however_quiet_a_run_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(capsys, Remark("something"), is_quiet=True) == ["note: something"]
