"""A whole run: every curve has its break-even, every lost launch its line, and what is
known of launch noise reaches the intervals."""

import math
from random import Random

import pytest

from specbench.analysis.run import conclude
from specbench.schema.comparison import (
    CLOSED_LOOP,
    BreakEven,
    BreakEvenOutcome,
    Component,
    LaunchNoise,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats, latency
from tests.unit.stats.simulated import noisy_table

LOADS = (1, 2, 4, 8, 16, 32, 64)
LOGS = (0.7, 0.6, 0.5, 0.4, 0.2, -0.05, -0.2)


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


def cells(
    arms: tuple[str, ...] = ("ngram",), launches: int = 3, noise: float = 0.005
) -> list[CellStats]:
    random = Random(14)
    made = []
    for arm in (BASELINE, *arms):
        logs = [0.0] * len(LOADS) if arm == BASELINE else LOGS
        table = noisy_table(random, logs, launches, (noise, noise))
        made += [
            cell_stats(
                arm,
                replicate,
                load,
                output_throughput=100 * load * math.exp(value or 0.0),
                tpot=latency(0.01 * math.exp(-(value or 0.0))),
            )
            for replicate, row in enumerate(table, 1)
            for load, value in zip(LOADS, row, strict=True)
        ]
    return made


def answer_of(
    found: RunFindings,
    arm: str = "ngram",
    metric: SpeedupMetric = SpeedupMetric.THROUGHPUT,
) -> BreakEven:
    (answer,) = (
        b for b in found.break_evens if (b.curve.arm, b.curve.metric) == (arm, metric)
    )
    return answer


def test_cells_become_curves_and_curves_become_break_evens() -> None:
    made = [
        cell_stats(arm, 1, load, output_throughput=rate)
        for load, gain in ((16, 1.25), (1, 2.0), (32, 0.95))
        for arm, rate in ((BASELINE, 100.0), ("ngram", 100.0 * gain))
    ]
    found = conclude(made, [])
    assert [b.curve for b in found.break_evens] == list(found.curves)
    outcomes = {b.curve.metric: b.outcome for b in found.break_evens}
    # the TPOTs of both arms are equal here
    assert outcomes == {
        SpeedupMetric.THROUGHPUT: BreakEvenOutcome.PAYS_UP_TO,
        SpeedupMetric.TPOT: BreakEvenOutcome.UNDECIDED,
        SpeedupMetric.TPOT_P95: BreakEvenOutcome.UNDECIDED,
    }


def test_three_launches_give_every_metric_its_interval() -> None:
    found = conclude(cells(), [])
    assert len(found.break_evens) == len(CLOSED_LOOP)
    for answer in found.break_evens:
        assert answer.outcome is BreakEvenOutcome.PAYS_UP_TO
        assert answer.crossing is not None
        assert answer.crossing.interval is not None
        assert 16 < (answer.crossing.at or 0) < 32


def test_cells_stand_in_one_order_however_they_were_measured() -> None:
    made = cells()
    there = conclude(made, [])
    assert there == conclude(made[::-1], [])
    assert [c.key for c in there.cells] == sorted(c.key for c in made)


def test_the_joint_interval_is_over_all_break_evens_of_the_run() -> None:
    """Three metrics of one arm, or of three: the plain interval stays, the joint one
    grows."""
    alone, among = conclude(cells(), []), conclude(cells(("ngram", "zz", "zzz")), [])
    assert (len(alone.break_evens), len(among.break_evens)) == (3, 9)
    widths = []
    for found in (alone, among):
        crossing = answer_of(found).crossing
        assert crossing is not None
        for interval in (crossing.interval, crossing.joint_interval):
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            widths.append(interval.high / interval.low)
    plain, joint, plain_among, joint_among = widths
    assert plain == pytest.approx(plain_among)
    assert plain < joint < joint_among


def test_each_arm_is_compared_with_the_one_baseline() -> None:
    found = conclude(cells(("eagle", "ngram")), [])
    assert {c.arm for c in found.curves} == {"eagle", "ngram"}
    for arm in ("eagle", "ngram"):
        assert answer_of(found, arm).outcome is BreakEvenOutcome.PAYS_UP_TO


def test_the_noise_of_every_arm_is_told() -> None:
    found = conclude(cells(), [])
    arms = {(n.arm, n.noise.metric) for n in found.noise}
    assert arms == {(arm, m) for arm in (BASELINE, "ngram") for m in CLOSED_LOOP}
    assert conclude(cells(launches=1), []).noise == ()


def record(variance: float, target: str = "target") -> NoiseRecord:
    return NoiseRecord(
        target=target,
        model="m",
        engine="vllm",
        engine_version=None,
        device="GPU",
        run_id="aa7",
        measured_utc="2026-01-02T03:04:05Z",
        noise=tuple(
            LaunchNoise(
                metric,
                Component(variance, 10),
                Component(variance, 80),
                launches=6,
                loads=9,
            )
            for metric in CLOSED_LOOP
        ),
    )


def test_one_launch_with_the_machines_noise_has_an_interval_and_names_its_source() -> (
    None
):
    made = cells(launches=1)
    without = answer_of(conclude(made, []))
    found = conclude(made, [], prior=[record(0.005**2)])
    with_it = answer_of(found)
    assert found.prior == (record(0.005**2),)
    assert without.crossing is not None
    assert without.crossing.interval is None
    assert with_it.crossing is not None
    assert with_it.crossing.interval is not None
    assert "aa7" in with_it.note
    assert "2026-01-02" in with_it.note


def test_the_noise_of_another_target_is_not_used() -> None:
    made = cells(launches=1)
    found = conclude(made, [], prior=[record(0.005**2, target="other")])
    assert found.break_evens == conclude(made, []).break_evens


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
    made = [cell_stats(BASELINE), cell_stats("ngram")]
    found = conclude(made, [launch(3, "no memory")])
    assert {c.arm for c in found.curves} == {"ngram"}
    assert len(found.cells) == 2


def test_nothing_measured_is_nothing_concluded() -> None:
    found = conclude([], [])
    assert (found.cells, found.curves, found.break_evens, found.noise) == ((),) * 4
