"""The noise floor in words."""

from dataclasses import replace

from specbench.report.launch_noise import noise_rows, prior_lines
from specbench.schema.comparison import CLOSED_LOOP, SpeedupMetric
from tests.golden.comparing import compare
from tests.golden.example_findings import AA_RUN, example_findings


def test_each_arm_and_condition_is_a_row_with_both_deviations_in_percent() -> None:
    rows = noise_rows(example_findings())
    assert [(row.condition, row.arm) for row in rows] == [
        ("grounded", "baseline"),
        ("grounded", "ngram-k3"),
        ("open", "baseline"),
        ("open", "ngram-k3"),
    ]
    assert rows[0].deviations == dict.fromkeys(CLOSED_LOOP, "1.2 / 0.72")
    assert (rows[0].launches, rows[0].loads) == (2, 5)


def test_one_launch_has_no_noise_to_show() -> None:
    one = [c for c in example_findings().cells if c.key.replicate == 1]
    assert noise_rows(compare(one)) == ()


def test_metric_without_noise_is_left_out_of_its_row() -> None:
    findings = example_findings()
    few = tuple(n for n in findings.noise if n.noise.metric is SpeedupMetric.THROUGHPUT)
    (row, *_) = noise_rows(replace(findings, noise=few))
    assert list(row.deviations) == [SpeedupMetric.THROUGHPUT]


def test_aa_run_is_named_with_date_engine_version_and_machine() -> None:
    (line,) = prior_lines(example_findings())
    for part in (
        "A/A run of 2026-02-27 (20260227T081200Z-aa01)",
        "vllm 0.32.0",
        "2 cores of Intel Xeon",
        "throughput 0.80 / 0.50 %",
        "p95 TPOT 0 / 2.1 %",
        "(4 launches, 5 loads)",
    ):
        assert part in line


def test_unknown_version_and_empty_record_leave_no_hole() -> None:
    bare = replace(AA_RUN, engine_version=None, noise=())
    (line,) = prior_lines(replace(example_findings(), prior=(bare,)))
    assert "on vllm, 2 cores" in line
    assert line.endswith("no launch noise was found")
