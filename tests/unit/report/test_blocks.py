"""How cells come together in blocks and rows."""

from dataclasses import replace

from specbench.analysis.run import conclude
from specbench.report.blocks import make_blocks
from specbench.schema.comparison import CLOSED_LOOP, Side, SpeedupMetric
from specbench.schema.estimate import absent
from specbench.schema.findings import CellStats
from tests.golden.comparing import compare
from tests.golden.example_findings import ARM, LAG, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells

TWO_ARMS = Course(
    "d",
    (100.0, 200.0),
    {"a": ArmCourse((1.2, 0.9), (1.2, 0.9)), "b": ArmCourse((1.1, 1.0), (1.1, 1.0))},
)


def cells(launches: int = 1) -> tuple[CellStats, ...]:
    """Two arms and the baseline at loads 1 and 2."""
    return make_cells((TWO_ARMS,), (1, 2), launches)


def test_each_arm_and_data_set_has_a_block_with_rising_loads() -> None:
    blocks = make_blocks(compare(cells()[::-1]))
    assert [b.arm for b in blocks] == ["a", "b"]
    assert [[r.load for r in b.rows] for b in blocks] == [[1, 2], [1, 2]]


def test_baseline_without_any_arm_has_a_block_of_its_own() -> None:
    alone = [c for c in cells() if c.key.arm == "baseline"]
    (block,) = make_blocks(compare(alone))
    assert block.arm is None
    assert all(row.arm is None for row in block.rows)


def test_load_that_the_arm_lacks_still_shows_the_baseline() -> None:
    kept = [c for c in cells() if c.key.arm == "baseline"]
    kept += [c for c in cells() if c.key.arm == "a"][:1]
    (block,) = make_blocks(compare(kept))
    last = block.rows[-1]
    assert last.baseline.output_throughput.value == 200.0
    assert last.arm
    assert last.arm.output_throughput.missing == "not measured"
    for metric in CLOSED_LOOP:
        assert last.speedup(metric).missing == "not measured"
        assert last.side(metric) is Side.UNKNOWN
        assert last.need(metric) is None


def test_figures_of_a_row_divide_to_its_speedup_despite_a_void_launch() -> None:
    spoilt = tuple(
        replace(c, findings=(LAG,)) if (c.key.arm, c.key.replicate) == ("a", 2) else c
        for c in cells(launches=3)
    )
    for block in make_blocks(conclude(spoilt, [])):
        for row in block.rows:
            base, arm = row.baseline.output_throughput.value, row.arm
            assert base
            assert arm
            assert arm.output_throughput.value
            speedup = row.speedup(SpeedupMetric.THROUGHPUT).value
            assert speedup
            assert abs(arm.output_throughput.value / base / speedup - 1) < 1e-12


def test_batch_in_a_row_is_the_one_that_the_break_even_uses() -> None:
    findings = conclude(example_findings().cells, [])
    points = {
        (p.condition, c.arm): p.running_batch for c in findings.curves for p in c.points
    }
    for block in make_blocks(findings):
        for row in block.rows:
            condition = replace(block.condition, concurrency=row.condition.concurrency)
            assert row.baseline.running_batch.value == points[condition, ARM]


def test_a_curve_over_contexts_does_not_change_the_rows_of_a_load() -> None:
    findings = compare(cells())
    (first, *_) = findings.curves
    other = replace(
        first.points[0],
        condition=replace(first.points[0].condition, context=4000),
        speedup=absent("elsewhere"),
    )
    over = replace(
        first, points=(replace(first.points[0], speedup=absent("elsewhere")), other)
    )
    both = replace(findings, curves=(*findings.curves, over))
    assert make_blocks(both) == make_blocks(findings)
