"""The tables of papers: ready speedups, one value a point."""

import math

import pytest

from specbench.report.points_words import legends, said
from specbench.schema.comparison import BreakEvenOutcome, Side
from specbench.schema.context import CriticalOutcome, Direction
from specbench.schema.point import PointAnswer
from tests.published.figures import PAPERS, chosen, conclusions, found, rows

SGLANG = "EAGLE-3 paper, SGLang table"
MAGIC = "MagicDec table"


def of_paper(source: str, arm: str) -> PointAnswer:
    return found(conclusions(PAPERS).answers, source=source, arm=arm)


def test_every_row_is_in_some_curve_as_it_stands() -> None:
    values = sorted(
        point.speedup.value or math.nan
        for answer in conclusions(PAPERS).answers
        for point in answer.break_even.curve.points
    )
    printed = sorted(float(row["throughput_speedup"]) for row in rows(PAPERS))
    assert values == pytest.approx(printed, rel=1e-12)


def test_ready_speedups_give_outcomes_without_intervals_and_say_so() -> None:
    findings = conclusions(PAPERS)
    for answer in (*findings.answers, *findings.over_context):
        made = answer.break_even
        assert made.outcome is not BreakEvenOutcome.UNDECIDED
        assert "by the raw signs and without an interval" in made.note
        assert "one value" in made.note
        assert all(p.speedup.interval is None for p in made.curve.points)
        assert all(c.interval is None for c in made.crossings)


def test_the_axis_is_the_batch_as_the_paper_gives_it() -> None:
    findings = conclusions(PAPERS)
    assert "Batch: as the paper or post gives it." in legends(findings)
    for answer in findings.answers:
        assert "concurrency" not in said(answer, findings.form)
        assert "batch" in said(answer, findings.form)


def test_eagle_in_sglang_stops_paying_between_16_and_24_whatever_64_says() -> None:
    printed = {
        int(row["batch"]): float(row["throughput_speedup"])
        for row in chosen(PAPERS, source=SGLANG, drafter="eagle")
    }
    assert printed[64] == 0.99 > printed[48]
    assert all((value < 1) == (batch >= 24) for batch, value in printed.items())
    made = of_paper(SGLANG, "eagle k=3").break_even
    assert made.outcome is BreakEvenOutcome.PAYS_UP_TO
    (crossing,) = made.crossings
    assert crossing.below.condition.concurrency == 16
    assert crossing.above.condition.concurrency == 24
    assert 16 < (crossing.at or 0) < 24
    assert made.loads(Side.LOSES) == (24, 32, 48, 64)


def test_eagle3_in_sglang_pays_everywhere_measured_up_to_64() -> None:
    answer = of_paper(SGLANG, "eagle3 k=3")
    assert answer.break_even.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    words = said(answer, conclusions(PAPERS).form)
    assert words == "pays everywhere measured (to batch 64), by the raw signs"


def test_one_data_set_is_not_joined_with_another() -> None:
    """SpecDecode-Bench has 1.68 on ShareGPT and 1.73 on GSM8K, both at batch 1."""
    answers = [
        answer
        for answer in conclusions(PAPERS).answers
        if (answer.setting.model, answer.arm.name) == ("Llama-3.1-8B", "eagle k=3")
    ]
    curves = {
        answer.setting.dataset: {
            point.condition.concurrency: round(point.speedup.value or 0, 2)
            for point in answer.break_even.curve.points
        }
        for answer in answers
    }
    assert curves == {
        "ShareGPT": {1: 1.68, 32: 1.61},
        "GSM8K": {1: 1.73, 128: 1.21},
    }


def over_context(batch: int) -> PointAnswer:
    (answer,) = [
        answer
        for answer in conclusions(PAPERS).over_context
        if answer.setting.source == MAGIC and answer.load == batch
    ]
    return answer


def test_magicdec_breaks_even_near_8000_tokens_at_batch_32() -> None:
    printed = {
        int(row["context"]): float(row["throughput_speedup"])
        for row in chosen(PAPERS, source=MAGIC, gpu="8x A100", batch="32")
    }
    low, high = math.log(printed[4000]), math.log(printed[32000])
    by_hand = 4000 * (32000 / 4000) ** (low / (low - high))
    assert by_hand == pytest.approx(8219, abs=1)
    made = over_context(32).break_even
    assert made.outcome is BreakEvenOutcome.PAYS_FROM
    assert made.crossing is not None
    assert made.crossing.at == pytest.approx(by_hand)


def test_magicdec_has_its_critical_context_between_4000_and_32000() -> None:
    critical = over_context(32).critical
    assert critical is not None
    assert critical.outcome is CriticalOutcome.BETWEEN
    assert (critical.below, critical.above) == (4000, 32000)
    # a doubling of the batch: 0.90, 0.81, 0.76 and 1.22, 1.28, 1.35 lie on equal steps
    for trend, ends in zip(critical.trends, ((0.90, 0.76), (1.22, 1.35)), strict=True):
        expected = (math.log(ends[1]) - math.log(ends[0])) / 2
        assert trend.slope == pytest.approx(expected)


def test_magicdec_grows_with_the_batch_at_32000_and_not_at_4000() -> None:
    critical = over_context(32).critical
    assert critical is not None
    assert [(t.context, t.direction) for t in critical.trends] == [
        (4000, Direction.FALLS),
        (32000, Direction.GROWS),
    ]


def test_break_even_and_critical_context_are_two_things() -> None:
    """The one depends on the batch, the other is about all batches."""
    answers = [over_context(batch) for batch in (32, 64, 128)]
    places = [a.break_even.crossing.at for a in answers if a.break_even.crossing]
    assert len(set(places)) == 3
    assert len({answer.critical for answer in answers}) == 1
