"""A whole run: every curve has its break-even, every lost launch its line."""

from specbench.analysis.run import conclude
from specbench.schema.comparison import BreakEvenOutcome, SpeedupMetric
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats


def launch(index: int, error: str | None, log_path: str | None = None) -> LaunchRecord:
    return LaunchRecord(
        index=index,
        target="llama",
        arm="eagle",
        replicate=1,
        command=(),
        error=error,
        log_path=log_path,
    )


def test_cells_become_curves_and_curves_become_break_evens() -> None:
    cells = [
        cell_stats(arm, 1, load, output_throughput=rate)
        for load, gain in ((16, 1.25), (1, 2.0), (32, 0.95))
        for arm, rate in ((BASELINE, 100.0), ("ngram", 100.0 * gain))
    ]
    found = conclude(cells, [])
    assert [b.curve for b in found.break_evens] == list(found.curves)
    outcomes = {b.curve.metric: b.outcome for b in found.break_evens}
    assert outcomes == {
        SpeedupMetric.THROUGHPUT: BreakEvenOutcome.PAYS_UP_TO,
        SpeedupMetric.TPOT: BreakEvenOutcome.PAYS_EVERYWHERE,
    }


def test_cells_stand_in_one_order_however_they_were_measured() -> None:
    cells = [cell_stats(arm, 1, load) for load in (4, 1) for arm in ("ngram", BASELINE)]
    there = conclude(cells, [])
    assert there == conclude(cells[::-1], [])
    assert [c.key for c in there.cells] == sorted(c.key for c in cells)


def test_a_launch_that_failed_has_a_line_with_its_reason_and_log() -> None:
    launches = [
        launch(1, None),
        launch(2, "14 attention heads", "launches/2/engine.log"),
        launch(3, "not launched"),
    ]
    lines = conclude([], launches).failed_launches
    assert len(lines) == 2
    for words in ("launch 2", "eagle", "llama", "14 attention heads", "engine.log"):
        assert words in lines[0]
    assert "log" not in lines[1]


def test_an_arm_that_never_served_leaves_the_others_measured() -> None:
    cells = [cell_stats(BASELINE), cell_stats("ngram")]
    found = conclude(cells, [launch(3, "no memory")])
    assert {c.arm for c in found.curves} == {"ngram"}
    assert len(found.cells) == 2
