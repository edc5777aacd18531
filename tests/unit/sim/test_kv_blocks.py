"""KV blocks: none is lost, none is given twice, and the prefix cache forgets what was
unused for longest."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
)

from specbench.sim.kv_blocks import Holding, KvPool

BLOCK = 4


def fill(pool: KvPool, hashes: tuple[int, ...]) -> Holding:
    """A sequence whose prompt is these full blocks and one token more."""
    holding = Holding()
    tokens = len(hashes) * BLOCK + 1
    pool.share(holding, pool.find(hashes, len(hashes)))
    assert pool.grow(holding, tokens)
    pool.publish(holding, hashes, tokens)
    return holding


def test_a_holding_takes_whole_blocks_and_only_the_missing_ones() -> None:
    pool, holding = KvPool(10, BLOCK), Holding()
    for tokens, blocks in [(1, 1), (4, 1), (5, 2), (3, 2), (17, 5)]:
        assert pool.grow(holding, tokens)
        assert (holding.blocks, pool.available) == (blocks, 10 - blocks)


def test_a_growth_that_does_not_fit_takes_nothing() -> None:
    pool, holding = KvPool(3, BLOCK), Holding()
    assert pool.grow(holding, 8)
    assert not pool.grow(holding, 17)
    assert (holding.blocks, pool.available) == (2, 1)


def test_blocks_are_found_up_to_the_first_that_differs() -> None:
    pool = KvPool(20, BLOCK)
    fill(pool, (1, 2, 3))
    assert pool.find((1, 2, 9, 3), 4) == (1, 2)
    assert pool.find((1, 2, 3), 2) == (1, 2)
    assert pool.find((9, 2, 3), 3) == ()


def test_a_shared_block_is_used_once_however_many_use_it() -> None:
    pool = KvPool(20, BLOCK)
    first = fill(pool, (1, 2, 3))
    second = fill(pool, (1, 2, 3))
    assert 20 - pool.available == 3 + 2
    pool.release(first)
    assert 20 - pool.available == 3 + 1
    pool.release(second)
    assert pool.available == 20
    assert pool.usage == 0.0


def test_an_unused_block_is_found_until_its_place_is_needed() -> None:
    pool = KvPool(4, BLOCK)
    pool.release(fill(pool, (1, 2, 3)))
    assert pool.find((1, 2, 3), 3) == (1, 2, 3)
    other = Holding()
    assert pool.grow(other, 2 * BLOCK)
    # one block was free; the end of the prompt went first
    assert pool.find((1, 2, 3), 3) == (1, 2)


def test_the_prompt_unused_for_longest_goes_first() -> None:
    pool = KvPool(6, BLOCK)
    pool.release(fill(pool, (1,)))
    pool.release(fill(pool, (2,)))
    pool.release(fill(pool, (1,)))
    assert pool.grow(Holding(), 5 * BLOCK)
    assert pool.find((1,), 1) == (1,)
    assert pool.find((2,), 1) == ()


def test_idle_blocks_that_are_found_cannot_be_counted_as_room_too() -> None:
    pool = KvPool(3, BLOCK)
    pool.release(fill(pool, (1, 2)))
    found = pool.find((1, 2), 2)
    assert pool.fits_after_sharing(3 * BLOCK, found)
    assert not pool.fits_after_sharing(4 * BLOCK, found)


@given(st.integers(0, 5), st.lists(st.integers(0, 3), max_size=4, unique=True))
def test_what_does_not_fit_beside_its_prefix_is_refused_before_anything_is_taken(
    extra: int, hashes: list[int]
) -> None:
    pool = KvPool(6, BLOCK)
    pool.release(fill(pool, (0, 1, 2)))
    found = pool.find(hashes, len(hashes))
    tokens = len(found) * BLOCK + extra * BLOCK
    fits = pool.fits_after_sharing(tokens, found)
    holding = Holding()
    pool.share(holding, found)
    assert pool.grow(holding, tokens) == fits


class PoolMachine(RuleBasedStateMachine):
    """Sequences come, grow and go in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = KvPool(12, BLOCK)
        self.live: list[Holding] = []

    holdings = Bundle("holdings")

    @rule(target=holdings, hashes=st.lists(st.integers(0, 2), max_size=4))
    def admit(self, hashes: list[int]) -> Holding:
        chained = tuple(hash(tuple(hashes[: i + 1])) for i in range(len(hashes)))
        holding = Holding()
        found = self.pool.find(chained, len(chained))
        tokens = len(chained) * BLOCK + 1
        if self.pool.fits_after_sharing(tokens, found):
            self.pool.share(holding, found)
            assert self.pool.grow(holding, tokens)
            self.pool.publish(holding, chained, tokens)
            self.live.append(holding)
        return holding

    @rule(holding=holdings, tokens=st.integers(1, 40))
    def grow(self, holding: Holding, tokens: int) -> None:
        if holding in self.live and self.pool.grow(holding, tokens):
            assert holding.blocks * BLOCK >= tokens

    @rule(holding=consumes(holdings))
    def release(self, holding: Holding) -> None:
        if any(h is holding for h in self.live):
            self.live = [h for h in self.live if h is not holding]
            self.pool.release(holding)

    @invariant()
    def every_block_is_free_or_used_once(self) -> None:
        private = sum(h.private for h in self.live)
        shared = len({block for h in self.live for block in h.shared})
        assert private + shared + self.pool.available == self.pool.blocks
        assert 0.0 <= self.pool.usage <= 1.0


TestPool = PoolMachine.TestCase
TestPool.settings = settings(max_examples=40, stateful_step_count=30)
