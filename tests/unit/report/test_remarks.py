"""What is said beside the figures."""

from dataclasses import replace

from specbench.report.blocks import make_blocks
from specbench.report.remarks import (
    MAX_LINES,
    describe_datasets,
    describe_run,
    explain_dashes,
    explain_marks,
    group_by_code,
)
from specbench.schema.findings import Severity
from tests.golden.comparing import compare
from tests.golden.example_findings import example_facts, example_findings, looping
from tests.golden.synthetic import ArmCourse, Course, make_cells

LONG = Course("d", (100.0,) * 8, {"a": ArmCourse((1.2,) * 8, (1.2,) * 8)})


def test_findings_come_by_code_with_void_ones_first_and_all_cells_counted() -> None:
    remarks = group_by_code(example_findings())
    assert [(r.code, r.severity, r.cell_count) for r in remarks] == [
        ("client-lag", Severity.VOID, 1),
        ("looping", Severity.FLAG, 3),
    ]
    assert "1 cell VOID" in remarks[0].title
    assert remarks[0].advice


def test_launches_with_the_same_message_share_a_line() -> None:
    (_, loops) = group_by_code(example_findings())
    assert any("launches 1, 2: 25% of the outputs loop" in x for x in loops.lines)


def test_long_list_of_cells_is_cut_and_says_how_much() -> None:
    cells = [
        replace(c, findings=(looping(0.2 + 0.01 * c.key.condition.concurrency),))
        for c in make_cells((LONG,), tuple(range(1, 9)), 1)
    ]
    (remark,) = group_by_code(compare(cells))
    assert remark.cell_count == 16
    assert len(remark.lines) == MAX_LINES + 1
    assert "10 more" in remark.lines[-1]


def test_loads_with_the_same_message_and_launches_share_a_line() -> None:
    cells = [
        replace(c, findings=(looping(0.2),))
        for c in make_cells((LONG,), (1, 2, 4), 2)
        if (c.key.condition.concurrency, c.key.replicate) != (4, 2)
    ]
    (remark,) = group_by_code(compare(cells))
    assert remark.cell_count == 10
    assert remark.lines == (
        "d, c1, c2, a, launches 1, 2: 20% of the outputs loop",
        "d, c4, a, launch 1: 20% of the outputs loop",
        "d, c1, c2, baseline, launches 1, 2: 20% of the outputs loop",
        "d, c4, baseline, launch 1: 20% of the outputs loop",
    )


def test_cells_of_several_contexts_are_told_apart() -> None:
    cells = [
        replace(c, findings=(looping(0.2),))
        for context in (0, 512)
        for c in make_cells((replace(LONG, context=context),), (1,), 1)
    ]
    (remark,) = group_by_code(compare(cells))
    assert any("context 512" in line for line in remark.lines)
    assert any("context as is" in line for line in remark.lines)


def test_each_dash_has_its_reason_with_figure_and_loads() -> None:
    blocks = make_blocks(example_findings())
    lines = [line for block in blocks for line in explain_dashes(block)]
    assert lines == [
        "the sources disagree: 1.240 by accepted tokens, 1.110 by chunks:"
        " tokens per step at 4"
    ]


def test_arm_that_was_not_measured_is_said_once() -> None:
    cells = [
        c
        for c in make_cells((LONG,), (1, 2), 1)
        if c.key.arm != "baseline" or c.key.condition.concurrency == 1
    ]
    (block,) = make_blocks(compare(cells))
    assert explain_dashes(block) == (
        "not measured: baseline at 2",
        "the baseline was not measured: throughput speedup at 2;"
        " median TPOT speedup at 2; p95 TPOT speedup at 2",
    )


def test_usual_tpot_is_marked_with_its_loads() -> None:
    cells = [replace(c, tpot_is_usual=True) for c in make_cells((LONG,), (1, 2), 1)]
    (block,) = make_blocks(compare(cells))
    (line,) = explain_marks(block)
    assert "baseline at 1, 2; arm at 1, 2" in line


def test_skipped_entries_are_counted_and_the_first_ones_named() -> None:
    facts = example_facts()
    some = replace(
        facts.datasets[0], skipped=tuple(f"line {n}: blank" for n in range(1, 6))
    )
    (line,) = describe_datasets(replace(facts, datasets=(some,)))
    assert line == (
        "open: 16 entries used, 5 skipped"
        " (line 1: blank; line 2: blank; line 3: blank; and 2 more)"
    )


def test_caption_names_model_device_engine_data_launches_and_run() -> None:
    caption = describe_run(example_facts())
    for part in ("SmolLM2", "Xeon", "vLLM 0.32.0", "open, grounded", "2 launches"):
        assert part in caption
    assert "20260301T101500Z-3f9a" in caption
