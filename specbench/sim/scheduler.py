"""Which sequences a step takes in: continuous batching as vLLM V1 does it (0.32.0,
`v1/core/sched/scheduler.py`, policy `fcfs`), in this order.

1. Running sequences in order of admission: one token and k drafts each, or the next
   part of a prompt, as long as the step's token budget lasts.
2. One that finds no KV block free preempts the last admitted: its blocks are freed, it
   goes to the head of the queue and is computed anew from its first token, its output
   so far included. In such a step nobody is admitted.
3. Waiting ones in order, while there is a slot, budget left, and room for the whole
   prompt (`scheduler_reserve_full_isl`, on by default). The first that does not fit
   stops the rest.

Not modelled: the KV slots that a drafter of its own looks ahead for."""

from collections import OrderedDict

from specbench.sim.config import SimConfig, StepLoad, kv_capacity_blocks
from specbench.sim.counters import SimCounters
from specbench.sim.kv_blocks import KvPool
from specbench.sim.sequence import Sequence


class Scheduler:
    """Queue, batch and KV blocks of one engine."""

    def __init__(self, config: SimConfig, counters: SimCounters) -> None:
        self.waiting: OrderedDict[str, Sequence] = OrderedDict()
        self.running: dict[str, Sequence] = {}
        """In order of admission."""
        self.pool = KvPool(kv_capacity_blocks(config), config.block_size)
        self.regular: list[Sequence] = []
        """In the step: those that decode with all k drafts and got tokens from the
        step before. They are many and alike, so they are handled together."""
        self.others: list[Sequence] = []
        """In the step besides: prefilling ones and the odd ones."""
        self.growing: list[Sequence] = []
        """Regular ones whose next step needs a block or meets the model's length."""
        self._config = config
        self._counters = counters
        speculation = config.speculation
        self._k = speculation.num_speculative_tokens if speculation else 0

    def schedule(self, now_ns: int) -> None:
        """Choose the members of the step that begins now."""
        self.others = []
        budget = self._config.max_num_batched_tokens
        left = budget if budget is not None else float("inf")
        used = len(self.regular) * (self._k + 1)
        is_plain = len(self.regular) == len(self.running) and used <= left
        if is_plain and self._grow_regular():
            left -= used
        else:
            preemptions = self._counters.preemptions
            left = self._schedule_each(now_ns, left)
            if self._counters.preemptions > preemptions:
                return
        self._admit(now_ns, left)

    def load(self) -> StepLoad:
        """What the chosen step has to do."""
        k, count = self._k, len(self.regular)
        context = sum([s.context for s in self.regular])
        drafting = count if k else 0
        plain = StepLoad(
            count, count * (k + 1), 0, k if count else 0, context, drafting
        )
        return self._with_others(plain) if self.others else plain

    def _with_others(self, load: StepLoad) -> StepLoad:
        odd = [s for s in self.others if s.decodes]
        drafting = load.drafting_sequences + sum(s.drafted > 0 for s in odd)
        return StepLoad(
            sequences=load.sequences + len(self.others),
            verified_tokens=load.verified_tokens + sum(s.drafted + 1 for s in odd),
            prefill_tokens=sum(s.chunk for s in self.others if not s.decodes),
            draft_steps=self._k if drafting else 0,
            context_tokens=load.context_tokens + sum(s.context for s in odd),
            drafting_sequences=drafting,
        )

    def join_regular(self, sequence: Sequence) -> None:
        """A sequence outside the regular ones got tokens and decodes from now on."""
        self._set_growth(sequence)
        self.regular.append(sequence)
        if sequence.context > sequence.grow_at:
            self.growing.append(sequence)

    def drop(self, sequence: Sequence) -> None:
        """Take an ended sequence out and free its blocks; `regular` and `others` are
        the caller's to mend."""
        self.running.pop(sequence.request.request_id, None)
        self.pool.release(sequence.holding)

    def _grow_regular(self) -> bool:
        """Give the regular sequences their blocks; False where that is not all."""
        growing, self.growing = self.growing, []
        for sequence in growing:
            if not self.pool.grow(sequence.holding, sequence.context + self._k):
                return False
            self._set_growth(sequence)
            if sequence.context > sequence.grow_at:
                return False
        return True

    def _set_growth(self, sequence: Sequence) -> None:
        room = sequence.holding.blocks * self.pool.block_size
        sequence.grow_at = min(room, self._config.max_model_len - 1) - self._k

    def _schedule_each(self, now_ns: int, left: float) -> float:
        """Running sequences one by one; returns the budget that is left."""
        self.regular, self.growing = [], []
        for sequence in list(self.running.values()):
            # who was preempted by an earlier one is the last or before other such
            if left <= 0 or sequence.request.request_id not in self.running:
                break
            is_decoding = sequence.decodes
            taken = self._take(sequence, left)
            if not taken:
                break
            left -= taken
            is_full = sequence.drafted == self._k
            if is_decoding and is_full and sequence.last_ns == now_ns:
                self._set_growth(sequence)
                self.regular.append(sequence)
            else:
                self.others.append(sequence)
        return left

    def _take(self, sequence: Sequence, left: float) -> int:
        """Tokens of a running sequence in this step; 0 = it had to preempt itself."""
        if not sequence.decodes:
            return self._take_chunk(sequence, left)
        # as vLLM cuts drafts at the budget and at the model's length
        longest = self._config.max_model_len - sequence.context - 1
        sequence.drafted = int(min(self._k, left - 1, longest))
        if not self._make_room(sequence, sequence.context + sequence.drafted):
            return 0
        return 1 + sequence.drafted

    def _take_chunk(self, sequence: Sequence, left: float) -> int:
        sequence.chunk = int(min(sequence.context - sequence.computed, left))
        computed = sequence.computed + sequence.chunk
        if not self._make_room(sequence, computed):
            return 0
        if self._config.prefix_caching:
            blocks = sequence.request.prefix_blocks
            self.pool.publish(sequence.holding, blocks, computed)
        return sequence.chunk

    def _make_room(self, sequence: Sequence, tokens: int) -> bool:
        """Blocks for so many tokens, by preemption where needed; False when it was
        the last admitted and had to go itself."""
        while not self.pool.grow(sequence.holding, tokens):
            _, victim = self.running.popitem()
            self._preempt(victim)
            if victim is sequence:
                return False
        return True

    def _preempt(self, victim: Sequence) -> None:
        self.pool.release(victim.holding)
        victim.decodes = False
        victim.preemptions += 1
        self._counters.preemptions += 1
        request_id = victim.request.request_id
        self.waiting[request_id] = victim
        self.waiting.move_to_end(request_id, last=False)

    def _admit(self, now_ns: int, left: float) -> None:
        while self.waiting and left > 0:
            if len(self.running) >= self._config.max_num_seqs:
                return
            request_id, head = next(iter(self.waiting.items()))
            if head.instants.arrived_ns > now_ns or not self._reuse_prefix(head):
                return
            del self.waiting[request_id]
            self.running[request_id] = head
            if head.instants.scheduled_ns is None:
                head.instants.scheduled_ns = now_ns
            left -= self._take_chunk(head, left)
            self.others.append(head)

    def _reuse_prefix(self, head: Sequence) -> bool:
        """Use what the prefix cache has of a waiting sequence; False where the rest of
        its context finds no room. The last token is always computed."""
        found: tuple[int, ...] = ()
        if self._config.prefix_caching:
            limit = max(0, (head.context - 1) // self.pool.block_size)
            found = self.pool.find(head.request.prefix_blocks, limit)
        if not self.pool.fits_after_sharing(head.context, found):
            return False
        self.pool.share(head.holding, found)
        head.computed = len(found) * self.pool.block_size
        if self._config.prefix_caching and head.preemptions == 0:
            self._counters.prefix_queries += head.context
            self._counters.prefix_hits += head.computed
            head.prefix_hits = head.computed
        return True
