"""H08 to H10 in SGLang's words: counters with and without the companions of a server in
one process, absent until the first request ends, once for each rank; and cells in which
no draft was made. The growth over a cell with idle edges is what counts."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.acceptance import acceptance_between
from specbench.analysis.cell import summarise_cell
from specbench.analysis.missing import Missing
from specbench.engines.sglang_metrics import PREFIX, read_metrics
from specbench.schema.acceptance import Acceptance
from specbench.schema.cell import CellKey
from specbench.schema.drafting import Drafter
from specbench.schema.sample import Role
from specbench.schema.snapshot import EngineReading, Phase
from specbench.wire.prometheus import cut_to_prefix
from tests.factories import condition, observations, steady_sample
from tests.unit.engines.sglang_pages import ended_requests, rank_line

DRAFTER = Drafter("EAGLE3", is_overlapped=False)


@dataclass(frozen=True)
class Counted:
    """What a server has counted since it started."""

    requests: int
    passes: int
    accepted: int

    def plus(self, other: "Counted") -> "Counted":
        """Both together."""
        return Counted(
            self.requests + other.requests,
            self.passes + other.passes,
            self.accepted + other.accepted,
        )

    @property
    def decoded(self) -> int:
        """Each pass gives a token of the target model's own."""
        return self.passes + self.accepted


def counted(least: int = 0) -> st.SearchStrategy[Counted]:
    return st.builds(
        Counted,
        st.integers(least, 10**4),
        st.integers(least, 10**6),
        st.integers(0, 10**7),
    )


def shares(whole: Counted, ranks: int) -> list[int]:
    """Decoded tokens of each rank."""
    part = whole.decoded // ranks
    return [part] * (ranks - 1) + [whole.decoded - part * (ranks - 1)]


def server_lines(whole: Counted, ranks: int = 1, tensor: int = 1) -> list[str]:
    """Requests are counted once for all ranks, steps once by each."""
    lines = ended_requests(whole.requests, whole.decoded, whole.passes).splitlines()
    for dp, decoded in enumerate(shares(whole, ranks)):
        for tp in range(tensor):
            more = {"mode": "decode"} | ({"dp_rank": str(dp)} if ranks > 1 else {})
            text = rank_line("realtime_tokens_total", decoded, tp + tensor * dp, **more)
            lines.append(text.rstrip("\n"))
    return lines


def page(data: st.DataObject, lines: list[str]) -> str:
    """The lines in any order, among others."""
    others = [
        "# TYPE sglang:spec_verify_calls_total counter",
        "",
        "other:spec_verify_calls_total 5",
        'sglang:spec_verify_calls_total_bucket{le="+Inf"} 5',
        rank_line("spec_accept_length", 9.75).rstrip("\n"),
        rank_line("num_running_reqs", 1).rstrip("\n"),
    ]
    return "\n".join(data.draw(st.permutations([*lines, *others]))) + "\n"


def readings(*pages: str) -> list[EngineReading]:
    edges = zip((Phase.BEFORE, Phase.AFTER), pages, strict=True)
    return [
        EngineReading(phase, at, *read_metrics(cut_to_prefix(text, PREFIX)))
        for at, (phase, text) in enumerate(edges)
    ]


def acceptance_of(before: str, after: str) -> Acceptance | Missing:
    edges = (Phase.BEFORE, Phase.AFTER)
    return acceptance_between(readings(before, after), edges, "the cell", DRAFTER)


def assert_is_growth(found: Acceptance | Missing, grown: Counted) -> None:
    assert isinstance(found, Acceptance), found
    assert found.drafts == grown.passes
    assert found.accepted_tokens == grown.accepted
    assert found.length == pytest.approx(1 + grown.accepted / grown.passes)


# H08
@settings(max_examples=100)
@given(counted(), counted(1), st.data())
def test_growth_is_read_whatever_stands_around_it(
    earlier: Counted, grown: Counted, data: st.DataObject
) -> None:
    pages = [
        page(data, server_lines(whole)) for whole in (earlier, earlier.plus(grown))
    ]
    assert_is_growth(acceptance_of(*pages), grown)


@settings(max_examples=60)
@given(counted(1), st.sets(st.integers(0, 10)), st.data())
def test_series_that_are_absent_at_first_began_at_zero(
    grown: Counted, absent: set[int], data: st.DataObject
) -> None:
    """Each appears with its first count, the creation times perhaps before."""
    before = server_lines(Counted(0, 0, 0))
    before = [line for at, line in enumerate(before) if at not in absent]
    pages = page(data, before), page(data, server_lines(grown))
    assert_is_growth(acceptance_of(*pages), grown)


# H09
@settings(max_examples=60)
@given(counted(), counted(1), st.integers(1, 4), st.integers(1, 3), st.data())
def test_figures_are_of_the_sums_over_data_parallel_ranks(
    earlier: Counted, grown: Counted, ranks: int, tensor: int, data: st.DataObject
) -> None:
    """Ranks that share the work of one of them report the same again."""
    after = earlier.plus(grown)
    pages = [page(data, server_lines(one, ranks, tensor)) for one in (earlier, after)]
    assert_is_growth(acceptance_of(*pages), grown)


# H10
def cell_with(before: str, after: str, arm: str) -> set[str]:
    """Codes of the findings about a cell of good requests between two pages."""
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
    seen = observations(
        samples,
        readings(before, after),
        key=CellKey(condition(1), arm, 1),
        expects_speculation=arm != "baseline",
        counts_at_request_end=True,
        drafter=DRAFTER,
    )
    return {finding.code for finding in summarise_cell(seen).findings}


@settings(max_examples=40)
@given(counted(1), st.data())
def test_counters_that_did_not_move_give_no_length(
    whole: Counted, data: st.DataObject
) -> None:
    pages = page(data, server_lines(whole)), page(data, server_lines(whole))
    found = acceptance_of(*pages)
    assert isinstance(found, Acceptance)
    assert found.drafts == 0
    assert (found.rate, found.length) == (None, None)
    assert "no-drafts" in cell_with(*pages, "arm")


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.data())
def test_a_server_without_the_series_is_normal_for_a_baseline_and_not_for_an_arm(
    tokens: int, data: st.DataObject
) -> None:
    text = page(data, ended_requests(3, tokens, None).splitlines())
    assert isinstance(acceptance_of(text, text), Missing)
    assert not {c for c in cell_with(text, text, "baseline") if "accept" in c}
    assert "acceptance-unknown" in cell_with(text, text, "arm")


def test_the_last_intervals_gauge_is_never_the_length() -> None:
    """It keeps its value when the engine is idle, and it is one interval's."""
    gauge = rank_line("spec_accept_length", 4.0)
    before = "\n".join(server_lines(Counted(2, 100, 50))) + "\n" + gauge
    after = "\n".join(server_lines(Counted(4, 200, 250))) + "\n" + gauge
    found = acceptance_of(before, after)
    assert isinstance(found, Acceptance)
    assert found.length == pytest.approx(3.0)
