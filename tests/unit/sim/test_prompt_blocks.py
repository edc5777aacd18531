"""Hashes of a prompt's blocks: equal exactly where all tokens up to there are equal."""

from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.prompt_blocks import prefix_blocks

_TOKENS = st.lists(st.integers(0, 3), max_size=40)


@given(_TOKENS, _TOKENS, st.integers(1, 7))
def test_shared_blocks_are_the_shared_prefix(
    one: list[int], other: list[int], size: int
) -> None:
    common = 0
    while common < min(len(one), len(other)) and one[common] == other[common]:
        common += 1
    shared = common // size
    ours, theirs = prefix_blocks(one, size), prefix_blocks(other, size)
    assert ours[:shared] == theirs[:shared]
    assert set(ours[shared:]).isdisjoint(theirs[shared:])


@given(_TOKENS, st.integers(1, 7))
def test_only_full_blocks_have_a_hash(tokens: list[int], size: int) -> None:
    hashes = prefix_blocks(tokens, size)
    assert len(hashes) == len(tokens) // size
    assert len(set(hashes)) == len(hashes)  # a repeated block has another prefix


def test_words_are_kept_apart() -> None:
    assert prefix_blocks(["ab", "c"], 2) != prefix_blocks(["a", "bc"], 2)
