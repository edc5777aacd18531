"""H09, any number of engines behind one port, their lines and labels in any order, some
of them idle or late: figures are of the sums."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.engines.vllm_metrics import read_metrics
from tests.cases.metrics_pages import (
    Drafted,
    engine_lines,
    found,
    growths,
    page,
    series,
)

ENGINES = st.lists(st.integers(0, 40).map(str), min_size=2, max_size=5, unique=True)
K = 3
COUNTS = st.tuples(growths(K), growths(K))


def total(counts: list[Drafted]) -> Drafted:
    whole = Drafted(0, 0, (0,) * K)
    for one in counts:
        whole = whole.plus(one)
    return whole


@settings(max_examples=100)
@given(ENGINES, st.booleans(), st.data())
def test_figures_are_of_the_sums_over_engines(
    engines: list[str], are_late: bool, data: st.DataObject
) -> None:
    before: list[str] = []
    after: list[str] = []
    grown: list[Drafted] = []
    for place, engine in enumerate(engines):
        earlier, growth = data.draw(COUNTS)
        is_late = are_late and place == 0
        if is_late:
            earlier = Drafted(0, 0, (0,) * K)
        else:
            before += engine_lines(data.draw, earlier, engine)
        after += engine_lines(data.draw, earlier.plus(growth), engine)
        grown.append(growth)
    acceptance = found(page(data.draw, before), page(data.draw, after))
    whole = total(grown)
    accepted = sum(whole.accepted)
    assert acceptance.drafts == whole.drafts
    assert acceptance.draft_tokens == whole.draft_tokens
    assert acceptance.accepted_tokens == accepted
    if whole.drafts:
        assert acceptance.rate == pytest.approx(accepted / whole.draft_tokens)
        assert acceptance.length == pytest.approx(1 + accepted / whole.drafts)
        shares = tuple(count / whole.drafts for count in whole.accepted)
        assert acceptance.by_position == pytest.approx(shares)
    else:
        assert (acceptance.rate, acceptance.length) == (None, None)


GAUGES = st.tuples(st.integers(0, 500), st.integers(0, 500), st.integers(0, 100))


@given(st.lists(GAUGES, min_size=1, max_size=6), st.data())
def test_gauges_are_sums_and_the_kv_use_is_the_fullest(
    values: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    lines: list[str] = []
    for engine, (running, waiting, percent) in enumerate(values):
        labels = {"engine": str(engine), "model_name": "m"}
        lines += [
            series(data.draw, "vllm:num_requests_running", running, labels),
            series(data.draw, "vllm:num_requests_waiting", waiting, labels),
            f'vllm:kv_cache_usage_perc{{engine="{engine}"}} {percent / 100}',
        ]
    shuffled = "\n".join(data.draw(st.permutations(lines))) + "\n"
    _, gauges = read_metrics(shuffled)
    assert gauges.running == sum(running for running, _, _ in values)
    assert gauges.waiting == sum(waiting for _, waiting, _ in values)
    assert gauges.kv_usage == max(percent for _, _, percent in values) / 100
