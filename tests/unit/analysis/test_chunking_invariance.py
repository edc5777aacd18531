"""The rule behind every comparison of arms: how a server packs tokens into chunks must
not move a figure. One token trace, any packing, the same TPOT and throughput."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.requests import derive_figures
from specbench.analysis.window import Window, find_window, tokens_in_window
from specbench.schema.sample import RequestSample, Role
from tests.factories import observations, steady_sample

SPACING_MS = 20.0


@dataclass(frozen=True)
class Packing:
    """How one request's tokens travel."""

    sizes: tuple[int, ...]


@st.composite
def packings(draw: st.DrawFn, tokens: int) -> Packing:
    """One token a chunk, three a chunk, or any mixture of 1 to 6."""
    largest = draw(st.sampled_from([1, 3, 6]))
    sizes: list[int] = []
    while sum(sizes) < tokens:
        left = tokens - sum(sizes)
        size = draw(st.integers(1, largest)) if largest == 6 else largest
        sizes.append(min(size, left))
    return Packing(tuple(sizes))


def loop_of(
    slots: int, lengths: list[list[int]], packs: list[Packing]
) -> list[RequestSample]:
    """A closed loop in which every request decodes at the same pace."""
    made: list[RequestSample] = []
    left = iter(packs)
    for slot in range(slots):
        start = slot * SPACING_MS / slots
        for place, tokens in enumerate(lengths[slot]):
            one = steady_sample(
                start,
                tokens,
                SPACING_MS,
                next(left).sizes,
                index=len(made),
                slot=slot,
                role=Role.WARMUP if place == 0 else Role.MEASURED,
            )
            start += tokens * SPACING_MS
            made.append(one)
    return made


@st.composite
def closed_loops(
    draw: st.DrawFn, slots: int
) -> tuple[list[RequestSample], list[RequestSample]]:
    """The same requests twice: one token a chunk, and packed in some way."""
    lengths = [
        draw(st.lists(st.integers(8, 24), min_size=3, max_size=5)) for _ in range(slots)
    ]
    flat = [tokens for row in lengths for tokens in row]
    plain = [Packing((1,) * tokens) for tokens in flat]
    packed = [draw(packings(tokens)) for tokens in flat]
    return loop_of(slots, lengths, plain), loop_of(slots, lengths, packed)


@given(st.integers(2, 60).flatmap(packings))
def test_tpot_does_not_depend_on_the_packing(packing: Packing) -> None:
    tokens = sum(packing.sizes)
    figures = derive_figures(steady_sample(0, tokens, SPACING_MS, packing.sizes))
    if len(packing.sizes) == 1:
        assert figures.tpot is None
    else:
        assert figures.tpot == pytest.approx(SPACING_MS / 1000, rel=1e-9)


@settings(max_examples=40)
@given(closed_loops(slots=1))
def test_window_throughput_of_one_slot_does_not_depend_on_the_packing(
    loops: tuple[list[RequestSample], list[RequestSample]],
) -> None:
    plain, packed = (summarise_cell(observations(loop)) for loop in loops)
    assert packed.output_throughput == pytest.approx(plain.output_throughput, rel=1e-9)
    assert packed.output_throughput == pytest.approx(1000 / SPACING_MS, rel=1e-9)
    assert packed.tokens_exact


@settings(max_examples=40)
@given(closed_loops(slots=3))
def test_window_tokens_differ_by_no_more_than_chunks_cut_at_the_edges(
    loops: tuple[list[RequestSample], list[RequestSample]],
) -> None:
    plain, packed = loops
    window = find_window(plain, 3)
    # slot 0 can run dry before slot 2 has turned over: then neither has a window
    assert isinstance(window, Window) == isinstance(find_window(packed, 3), Window)
    if not isinstance(window, Window):
        return
    assert window == find_window(packed, 3)
    largest = max(
        (b.tokens_so_far or 0) - (a.tokens_so_far or 0)
        for one in packed
        for a, b in zip((one.chunks[0], *one.chunks), one.chunks, strict=False)
    )
    first = max(one.chunks[0].tokens_so_far or 0 for one in packed)
    slack = 2 * 3 * (max(largest, first) - 1)
    tokens = [tokens_in_window(loop, window).total for loop in loops]
    assert abs(tokens[0] - tokens[1]) <= slack


@settings(max_examples=25)
@given(closed_loops(slots=2))
def test_mean_tpot_and_itl_of_a_cell_do_not_depend_on_the_packing(
    loops: tuple[list[RequestSample], list[RequestSample]],
) -> None:
    for loop in loops:
        stats = summarise_cell(observations(loop, concurrency=2))
        assert stats.tpot is not None
        assert stats.itl is not None
        assert stats.tpot.p50 == pytest.approx(SPACING_MS / 1000, rel=1e-9)
        assert stats.itl.mean == pytest.approx(SPACING_MS / 1000, rel=1e-9)
        assert not stats.tpot_is_usual
