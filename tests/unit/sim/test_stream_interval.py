"""When chunks leave: the engines' rule, and no token lost by it."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.stream_interval import RANDOM_SIZES, ChunkGate, StreamInterval


def _chunks(steps: list[int], interval: StreamInterval, key: str = "k") -> list[int]:
    """Tokens of each chunk of a request whose steps give so many tokens."""
    gate = ChunkGate(interval.sizes(0, key))
    last = len(steps) - 1
    offers = [gate.offer(n, is_last=i == last) for i, n in enumerate(steps)]
    return [tokens for tokens in offers if tokens]


def test_the_first_token_leaves_at_once_and_then_each_n() -> None:
    assert _chunks([1] * 9, StreamInterval(3)) == [1, 3, 3, 2]
    assert _chunks([1] * 4, StreamInterval(1)) == [1, 1, 1, 1]


def test_a_step_is_never_split() -> None:
    assert _chunks([1, 4, 4, 2, 4], StreamInterval(3)) == [1, 4, 4, 6]
    assert _chunks([1, 2, 2, 2], StreamInterval(8)) == [1, 6]


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=60),
    st.one_of(st.none(), st.integers(1, 9)),
)
def test_every_interval_delivers_every_token(steps: list[int], n: int | None) -> None:
    chunks = _chunks(steps, StreamInterval(n))
    assert sum(chunks) == sum(steps)
    assert chunks[0] == steps[0]
    least = n if n is not None else min(RANDOM_SIZES)
    assert all(tokens >= least for tokens in chunks[1:-1])


def test_random_sizes_hold_for_a_request_and_differ_between_requests() -> None:
    interval = StreamInterval(None)
    sizes = list(islice(interval.sizes(0, "a"), 200))
    assert sizes == list(islice(interval.sizes(0, "a"), 200))
    assert sizes != list(islice(interval.sizes(0, "b"), 200))
    assert sizes != list(islice(interval.sizes(1, "a"), 200))
    assert set(sizes) == set(RANDOM_SIZES)
