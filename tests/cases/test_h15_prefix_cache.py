"""H15, any growth of the prefix-cache counters, over any engines, or none: the share is
of the cell, between 0 and 1, and spoils it where there should be none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.schema.findings import CellStats, Severity
from specbench.schema.sample import Role
from specbench.schema.snapshot import EngineReading, Phase
from specbench.wire.prometheus import cut_to_prefix
from tests.cases.metrics_pages import Draw, counter, page
from tests.factories import observations, steady_sample

BOUND = 0.01
"""More than one in a hundred prompt tokens from the cache spoils a cell."""
COUNT = st.integers(0, 10**7)
GROWTHS = st.lists(
    st.tuples(COUNT, st.floats(0, 1), COUNT, COUNT), min_size=1, max_size=4
)
"""For each engine: queries, share of hits, and what both were before."""

Counts = list[tuple[int, int]]
"""(queries, hits) of each engine."""


def page_of(draw: Draw, counts: Counts) -> str:
    lines: list[str] = []
    for engine, (queries, hits) in enumerate(counts):
        labels = {"engine": str(engine), "model_name": "m"}
        lines += counter(draw, "vllm:prefix_cache_queries", queries, labels)
        lines += counter(draw, "vllm:prefix_cache_hits", hits, labels)
        # caches of other kinds have counters of their own
        lines += counter(draw, "vllm:external_prefix_cache_queries", 10**6, labels)
        lines += counter(draw, "vllm:external_prefix_cache_hits", 10**6, labels)
    return page(draw, lines)


def cell_between(before: str, after: str, *, is_wanted: bool = False) -> CellStats:
    samples = [
        steady_sample(
            200.0 * place,
            5,
            40.0,
            index=place,
            role=Role.MEASURED if place else Role.WARMUP,
        )
        for place in range(6)
    ]
    texts = {Phase.BEFORE: before, Phase.AFTER: after}
    readings = [
        EngineReading(phase, at, *read_metrics(cut_to_prefix(text, PREFIX)))
        for at, (phase, text) in enumerate(texts.items())
    ]
    return summarise_cell(observations(samples, readings, is_caching_wanted=is_wanted))


def spoils(cell: CellStats) -> bool:
    found = [f for f in cell.findings if f.code == "prefix-cache"]
    assert all(f.severity is Severity.VOID for f in found)
    return bool(found)


@settings(max_examples=150)
@given(GROWTHS, st.booleans(), st.data())
def test_the_share_is_of_this_cells_growth_over_all_engines(
    growths: list[tuple[int, float, int, int]], is_wanted: bool, data: st.DataObject
) -> None:
    before: Counts = [(queries, hits) for _, _, queries, hits in growths]
    grown: Counts = [(q, min(q, round(q * share))) for q, share, _, _ in growths]
    after = [(b[0] + g[0], b[1] + g[1]) for b, g in zip(before, grown, strict=True)]
    cell = cell_between(
        page_of(data.draw, before), page_of(data.draw, after), is_wanted=is_wanted
    )
    queries = sum(q for q, _ in grown)
    hits = sum(h for _, h in grown)
    if queries == 0:
        assert cell.prefix_hit_rate is None
        assert "prefix_hit_rate" in cell.missing
        assert not spoils(cell)
        return
    assert cell.prefix_hit_rate == pytest.approx(hits / queries)
    assert spoils(cell) is (hits / queries > BOUND and not is_wanted)


@given(st.integers(1, 10**6), st.booleans())
def test_without_the_series_the_share_is_unknown_and_no_remark(
    tokens: int, is_wanted: bool
) -> None:
    text = f'vllm:prompt_tokens_total{{engine="0"}} {tokens}\n'
    cell = cell_between(text, text, is_wanted=is_wanted)
    assert cell.prefix_hit_rate is None
    assert "prefix_hit_rate" in cell.missing
    assert not spoils(cell)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.data())
def test_counters_that_contradict_each_other_give_no_share(
    queries: int, more: int, data: st.DataObject
) -> None:
    """More hits than queries, or counters that went back, are no share of anything."""
    for before, after in (
        ([(0, 0)], [(queries, queries + more)]),
        ([(queries + more, more)], [(queries, more)]),
    ):
        cell = cell_between(page_of(data.draw, before), page_of(data.draw, after))
        rate = cell.prefix_hit_rate
        assert rate is None or 0 <= rate <= 1
