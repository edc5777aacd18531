"""The figure behind each metric: higher is better, zero and missing are no figure, and
a tail needs enough requests."""

from dataclasses import replace

import pytest

from specbench.analysis.figures import ENOUGH_FOR_P95, figure_of, form_of, name_of
from specbench.schema.comparison import OPEN_LOOP, SpeedupMetric
from specbench.schema.findings import Goodput, LatencyBasis
from tests.factories import latency, open_cell_stats, open_load

TAILS = (SpeedupMetric.TPOT_P95, SpeedupMetric.E2E_P95)


@pytest.mark.parametrize(
    ("metric", "figure"),
    [
        (SpeedupMetric.E2E, 1 / 1.0),
        (SpeedupMetric.E2E_P95, 1 / 1.3),
        (SpeedupMetric.TTFT, 1 / 0.1),
        (SpeedupMetric.TPOT, 1 / 0.01),
        (SpeedupMetric.TPOT_P95, 1 / 0.013),
        (SpeedupMetric.GOODPUT, 0.9),
    ],
)
def test_each_metric_has_its_figure(metric: SpeedupMetric, figure: float) -> None:
    assert figure_of(open_cell_stats(), metric) == pytest.approx(figure)


@pytest.mark.parametrize("metric", TAILS)
def test_a_p95_of_few_requests_is_no_figure(metric: SpeedupMetric) -> None:
    few = replace(latency(1.0), n=ENOUGH_FOR_P95 - 1)
    cell = open_cell_stats(tpot=few, e2e_latency=few)
    assert figure_of(cell, metric) is None
    assert str(ENOUGH_FOR_P95) in name_of(metric)


def test_no_good_request_is_no_figure_and_said_in_words() -> None:
    load = open_load(goodput=Goodput(rate=0.0, good=0, due=64, unknown=0))
    assert figure_of(open_cell_stats(open_load=load), SpeedupMetric.GOODPUT) is None
    assert "no request kept" in name_of(SpeedupMetric.GOODPUT)


@pytest.mark.parametrize("metric", OPEN_LOOP)
def test_what_is_missing_is_no_figure(metric: SpeedupMetric) -> None:
    cell = open_cell_stats(ttft=None, tpot=None, e2e_latency=None, open_load=None)
    assert figure_of(cell, metric) is None


def test_only_tpot_depends_on_how_it_was_made() -> None:
    usual = open_cell_stats(tpot_is_usual=True)
    plain = open_cell_stats()
    assert form_of(usual, SpeedupMetric.TPOT) != form_of(plain, SpeedupMetric.TPOT)
    for metric in set(OPEN_LOOP) - {SpeedupMetric.TPOT, SpeedupMetric.TPOT_P95}:
        assert form_of(usual, metric) == form_of(plain, metric)


def test_latencies_over_other_requests_are_of_another_form() -> None:
    other = open_cell_stats(latency_basis=LatencyBasis.FULL_LOAD)
    for metric in (SpeedupMetric.E2E, SpeedupMetric.TTFT, SpeedupMetric.TPOT):
        assert form_of(other, metric) != form_of(open_cell_stats(), metric)
