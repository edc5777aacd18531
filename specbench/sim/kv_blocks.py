"""The KV cache in blocks, as vLLM V1 keeps it (0.32.0, `v1/core/block_pool.py` and
`kv_cache_manager.py`): a sequence takes whole blocks; full blocks of a prompt can be
found again by their chained hash; a block that nobody uses any more stays findable
until its place is needed, the one unused for longest going first.

    capacity = free + idle (findable, unused) + used (by one sequence or shared)

Blocks of outputs are not made findable: two prompts of this model share no output."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from specbench.sim.config import blocks_for


@dataclass(slots=True)
class Holding:
    """The blocks of one sequence."""

    private: int = 0
    """Blocks that only this sequence uses and that cannot be found."""
    shared: list[int] = field(default_factory=list)
    """Hashes of findable blocks that it uses, in order of the prompt."""
    seen: int = 0
    """Full prompt blocks that are computed, found or made findable."""

    @property
    def blocks(self) -> int:
        """All of its blocks."""
        return self.private + len(self.shared)


class KvPool:
    """The blocks of one engine."""

    def __init__(self, blocks: int, block_size: int) -> None:
        self.blocks = blocks
        self.block_size = block_size
        self._free = blocks
        self._users: dict[int, int] = {}
        """Hash of each findable block -> sequences that use it."""
        self._idle: dict[int, None] = {}
        """Hashes without a user; the first one is evicted first."""

    @property
    def available(self) -> int:
        """Blocks that can be taken, evicting where needed."""
        return self._free + len(self._idle)

    @property
    def usage(self) -> float:
        """Share of the blocks that sequences use, 0..1."""
        return 1.0 - self.available / self.blocks if self.blocks else 0.0

    def find(self, hashes: Sequence[int], limit: int) -> tuple[int, ...]:
        """The longest run of findable blocks from the prompt's start, `limit` at
        most. Takes nothing."""
        found = []
        for block in hashes[:limit]:
            if block not in self._users:
                break
            found.append(block)
        return tuple(found)

    def fits_after_sharing(self, tokens: int, found: Iterable[int]) -> bool:
        """Whether a new sequence of so many tokens finds room when it uses the found
        blocks: those that are idle leave the pool of what can be taken."""
        hits = list(found)
        idle = sum(block in self._idle for block in hits)
        fresh = blocks_for(tokens, self.block_size) - len(hits)
        return fresh <= self.available - idle

    def share(self, holding: Holding, found: Sequence[int]) -> None:
        """Use blocks that were found."""
        for block in found:
            self._users[block] += 1
            self._idle.pop(block, None)
        holding.shared.extend(found)
        holding.seen += len(found)

    def grow(self, holding: Holding, tokens: int) -> bool:
        """Take blocks until the holding has room for so many tokens; False, and
        nothing taken, where they are not to be had."""
        wanted = blocks_for(tokens, self.block_size) - holding.blocks
        if wanted <= 0:
            return True
        if wanted > self.available:
            return False
        while self._free < wanted:
            self._evict()
        self._free -= wanted
        holding.private += wanted
        return True

    def publish(
        self, holding: Holding, hashes: Sequence[int], computed_tokens: int
    ) -> None:
        """Make full prompt blocks findable once a step computes them, as vLLM does
        when it hands the blocks out. A block that is findable already keeps its first
        copy; the second one stays private."""
        full = min(len(hashes), computed_tokens // self.block_size)
        for block in hashes[holding.seen : full]:
            if block not in self._users:
                self._users[block] = 1
                holding.shared.append(block)
                holding.private -= 1
        holding.seen = max(holding.seen, full)

    def release(self, holding: Holding) -> None:
        """Give all blocks of a sequence back; the end of a prompt is evicted before
        its beginning."""
        self._free += holding.private
        for block in reversed(holding.shared):
            self._users[block] -= 1
            if self._users[block] == 0:
                self._idle[block] = None
        holding.private = holding.seen = 0
        holding.shared.clear()

    def _evict(self) -> None:
        oldest = next(iter(self._idle))
        del self._idle[oldest], self._users[oldest]
        self._free += 1
