"""H07, outputs of no, one or a few tokens in any mixture: a figure is over the requests
that have it, and everything that is written is strict JSON."""

import csv
import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.run import conclude
from specbench.report.csv_files import breakeven_csv, cells_csv
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, Severity
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.store.samples_file import decode_samples, encode_samples
from specbench.store.snapshots_file import encode_snapshots
from tests.cases.answers import (
    DONE,
    FACTS,
    ROLE,
    STOP,
    Timed,
    answered,
    said,
    usage_bytes,
)
from tests.factories import condition, observations, sample

FEW = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=1, max_size=12)
ZEROS = st.lists(st.just(0), min_size=1, max_size=8)


def answer(tokens: int) -> RequestSample:
    """So many tokens, the first at 100 ms and one each 30 ms."""
    timed: list[Timed] = [(20.0, ROLE)]
    timed += [(100.0 + 30 * i, said({"content": f" {i}"})) for i in range(tokens)]
    end = timed[-1][0]
    return answered([*timed, (end, STOP + usage_bytes(9, tokens) + DONE)])


def loop_of(tokens: list[int], arm: str = "baseline") -> CellStats:
    """The outputs one after the other in one slot, after a warm-up."""
    samples: list[RequestSample] = []
    for place, count in enumerate([tokens[0], *tokens]):
        one = answer(count)
        start = 300.0 * place
        chunks = [
            c._replace(arrival_ns=c.arrival_ns + round(start * 1e6)) for c in one.chunks
        ]
        samples.append(
            sample(
                chunks,
                index=place,
                role=Role.MEASURED if place else Role.WARMUP,
                outcome=one.outcome,
                output_tokens=one.output_tokens,
                sent_ms=start,
                scheduled_ms=start,
                end_ms=start + 299,
            )
        )
    seen = observations(samples, key=CellKey(condition(1), arm, 1))
    return summarise_cell(seen)


def strict(text: str) -> Any:
    """JSON without NaN and infinities."""

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


def assert_no_odd_number(table: str) -> None:
    for row in csv.reader(io.StringIO(table)):
        for field in row:
            assert field.strip().lower().lstrip("+-") not in {"nan", "inf", "infinity"}


def test_the_sample_of_an_empty_answer_says_so() -> None:
    assert answer(0).outcome is Outcome.EMPTY
    assert answer(1).outcome is Outcome.OK


@given(FEW)
def test_a_figure_is_over_the_requests_that_have_it(tokens: list[int]) -> None:
    stats = loop_of(tokens)
    with_text = [count for count in tokens if count >= 1]
    with_pace = [count for count in tokens if count >= 2]
    run = stats.whole_run
    assert stats.empty == tokens.count(0)
    assert stats.completed == len(tokens)
    assert stats.failed == 0
    assert (run.ttft.n if run.ttft else 0) == len(with_text)
    assert (run.tpot.n if run.tpot else 0) == len(with_pace)
    if run.ttft is not None:
        assert run.ttft.mean == pytest.approx(0.100)
    if run.tpot is not None:
        assert run.tpot.mean == pytest.approx(0.030)


@given(FEW, st.booleans())
def test_everything_written_is_strict_json_and_has_no_odd_number(
    tokens: list[int], arm_is_empty: bool
) -> None:
    other = loop_of([0] * len(tokens) if arm_is_empty else tokens, "arm")
    findings = conclude([loop_of(tokens), other], [])
    document = strict(report_json(findings, FACTS))
    assert len(document["cells"]) == 2
    assert_no_odd_number(cells_csv(findings))
    assert_no_odd_number(breakeven_csv(findings))
    words = report_markdown(findings, FACTS).lower().replace("|", " ").split()
    assert not {"nan", "inf", "-inf"} & set(words)


@given(ZEROS)
def test_a_cell_of_empty_answers_has_throughput_zero_is_void_and_in_no_speedup(
    tokens: list[int],
) -> None:
    empty = loop_of(tokens, "arm")
    assert (empty.ttft, empty.tpot, empty.itl, empty.chunk_gap) == (None,) * 4
    assert empty.whole_run.output_throughput == 0
    assert empty.output_throughput == 0
    codes = {f.code for f in empty.findings if f.severity is Severity.VOID}
    assert "no-text" in codes
    for base, arm in (
        (loop_of([5] * 4), empty),
        (loop_of(tokens), loop_of([5] * 4, "arm")),
    ):
        for curve in conclude([base, arm], []).curves:
            assert [point.speedup.value for point in curve.points] == [None]


@given(FEW)
def test_samples_come_back_as_they_were_stored(tokens: list[int]) -> None:
    samples = [answer(count) for count in tokens]
    assert list(decode_samples(encode_samples(samples), "samples")) == samples
    assert encode_snapshots(()) == b""


@given(st.integers(0, 3), st.integers(0, 5))
def test_counts_and_chunks_that_disagree_give_no_odd_figure(
    chunks: int, counted: int
) -> None:
    """A server may count an end token without text, or count nothing."""
    events = b"".join(said({"content": f" {i}"}) for i in range(chunks))
    one = answered([(10, ROLE), (50, events), (90, usage_bytes(3, counted) + DONE)])
    stats = summarise_cell(observations([one, one]))
    strict(report_json(conclude([stats], []), FACTS))
    for latency in (stats.ttft, stats.tpot, stats.tpot_usual):
        assert latency is None or (math.isfinite(latency.mean) and latency.mean >= 0)
