"""Prompt lookup on Qwen2.5-7B and a draft model on Qwen2.5-14B, vLLM 0.6.6 on an A100:
one run a point, so outcomes by the raw signs."""

from dataclasses import replace

import pytest

from specbench.analysis.point_answers import conclude_points
from specbench.report.context_words import critical_words
from specbench.schema.comparison import BreakEvenOutcome, SpeedupMetric
from specbench.schema.context import CriticalOutcome
from specbench.schema.point import PointAnswer
from specbench.store.points_file import read_points
from tests.published.figures import (
    GPU_POINTS,
    bracket,
    chosen,
    conclusions,
    found,
    throughput_ratios,
)

SINGLE_RUNS = "Qwen2.5"
CONTEXTS = {
    256: "cnn_dailymail_0.25k",
    512: "cnn_dailymail_0.5k",
    1024: "cnn_dailymail_1k",
    2048: "cnn_dailymail_2k",
    4096: "cnn_dailymail_4k",
    8192: "cnn_dailymail_8k",
}


def single_runs() -> list[PointAnswer]:
    answers = conclusions(GPU_POINTS).answers
    return [a for a in answers if a.setting.model.startswith(SINGLE_RUNS)]


def test_single_runs_give_outcomes_without_intervals_and_say_so() -> None:
    answers = single_runs()
    # 5 draft lengths and 6 contexts, by throughput and by median TPOT
    assert len(answers) == 2 * (5 + 6)
    for answer in answers:
        made = answer.break_even
        assert made.outcome is not BreakEvenOutcome.UNDECIDED
        assert "by the raw signs and without an interval" in made.note
        assert "one run of an arm" in made.note
        assert made.next_step == ""
        for point in made.curve.points:
            assert point.speedup.interval is None
            assert (point.speedup.no_interval or "nothing") in made.note
        for crossing in made.crossings:
            assert crossing.interval is None
            assert crossing.joint_interval is None
            assert (crossing.no_interval or "nothing") in made.note


@pytest.mark.parametrize("metric", [SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT])
def test_speedups_are_the_ratios_in_the_file(metric: SpeedupMetric) -> None:
    column, way = {
        SpeedupMetric.THROUGHPUT: ("output_tok_s", 1),
        SpeedupMetric.TPOT: ("median_tpot_ms", -1),
    }[metric]
    for answer in single_runs():
        if answer.break_even.curve.metric is not metric:
            continue
        where = {"model": answer.setting.model, "dataset": answer.setting.dataset}
        for point in answer.break_even.curve.points:
            load = str(point.condition.concurrency)
            (arm,) = chosen(GPU_POINTS, arm=answer.arm.name, concurrency=load, **where)
            (base,) = chosen(GPU_POINTS, drafter="none", concurrency=load, **where)
            expected = (float(arm[column]) / float(base[column])) ** way
            assert point.speedup.value == pytest.approx(expected, rel=1e-12)


def draft_model(context: int) -> PointAnswer:
    answers = conclusions(GPU_POINTS).answers
    return found(answers, arm="draft_model-k3", context=context)


def test_a_draft_model_stops_paying_between_4_and_8_at_8k_tokens() -> None:
    by_hand = throughput_ratios(dataset=CONTEXTS[8192])
    assert bracket(by_hand) == (4, 8)
    made = draft_model(8192).break_even
    assert made.outcome is BreakEvenOutcome.PAYS_UP_TO
    crossing = made.crossing
    assert crossing is not None
    assert crossing.at is not None
    assert 4 < crossing.at < 8
    assert made.first_slower_concurrency == 8


def test_a_draft_model_still_pays_at_12_with_1k_tokens() -> None:
    by_hand = throughput_ratios(dataset=CONTEXTS[1024])
    assert by_hand[12] > 1
    made = draft_model(1024).break_even
    assert made.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert made.first_slower_concurrency is None


def test_with_a_draft_model_longer_context_breaks_even_earlier() -> None:
    """Its own cache grows too."""
    ends = []
    for context, dataset in CONTEXTS.items():
        crossing = draft_model(context).break_even.crossing
        ends.append(crossing.at if crossing else None)
        by_hand = throughput_ratios(dataset=dataset)
        assert (crossing is None) == (min(by_hand.values()) > 1)
    assert ends[:4] == [None] * 4
    at_4k, at_8k = ends[4:]
    assert at_4k is not None
    assert at_8k is not None
    assert at_8k < at_4k


def test_lengths_with_output_limits_of_their_own_make_no_curve_over_context() -> None:
    assert conclusions(GPU_POINTS).over_context == ()


def test_the_draft_model_has_no_critical_context() -> None:
    """With all lengths taken as one data set: at each of them speedup falls with the
    load, so there is no context from which it grows."""
    table = read_points(GPU_POINTS)
    points = tuple(
        replace(point, setting=replace(point.setting, dataset="cnn_dailymail"))
        for point in table.points
        if point.setting.dataset in CONTEXTS.values()
    )
    answers = conclude_points(replace(table, points=points)).over_context
    assert {answer.load for answer in answers} == {1, 4, 8, 12}
    for answer in answers:
        critical = answer.critical
        assert critical is not None
        assert critical.outcome is CriticalOutcome.FALLS_EVERYWHERE
        assert (critical.below, critical.above) == (None, None)
        assert [t.context for t in critical.trends] == list(CONTEXTS)
        assert critical_words(critical, "concurrency") == (
            "critical context: none found, falls at every context measured"
        )


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_prompt_lookup_pays_for_one_request_at_a_time_only(k: int) -> None:
    arm = f"pld-k{k}"
    rows = chosen(GPU_POINTS, arm=arm)
    (dataset,) = {row["dataset"] for row in rows}
    base = {
        row["concurrency"]: float(row["output_tok_s"])
        for row in chosen(GPU_POINTS, dataset=dataset, drafter="none")
    }
    ratios = {
        int(row["concurrency"]): float(row["output_tok_s"]) / base[row["concurrency"]]
        for row in rows
    }
    assert bracket(ratios) == (1, 4)
    made = found(conclusions(GPU_POINTS).answers, arm=arm).break_even
    assert made.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert made.crossing is not None
    assert 1 < (made.crossing.at or 0) < 4


def test_longer_lookups_lose_more_at_high_load() -> None:
    answers = conclusions(GPU_POINTS).answers
    at_128 = [
        found(answers, arm=f"pld-k{k}").break_even.curve.points[-1].speedup.value
        for k in range(1, 6)
    ]
    assert at_128 == sorted(at_128, key=lambda value: -(value or 0))
