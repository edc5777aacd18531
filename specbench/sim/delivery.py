"""The end of a step: what each of its sequences gets, counted. The regular sequences
of a large batch go through one tight loop, since a simulated sweep spends its time
there."""

from specbench.sim.counters import SimCounters
from specbench.sim.request import StepOutput
from specbench.sim.scheduler import Scheduler
from specbench.sim.sequence import Sequence
from specbench.units import seconds_between


class Delivery:
    """Ends one step. `outputs`: the regular sequences' first, each part in order of
    admission."""

    def __init__(
        self, scheduler: Scheduler, counters: SimCounters, k: int, ended_ns: int
    ) -> None:
        self.outputs: list[StepOutput] = []
        self.tokens = 0
        """Output tokens given."""
        self.draft_tokens = 0
        self.drafts = 0
        """Sequences whose drafts were verified."""
        self.accepted_by_position: tuple[int, ...] = ()
        """Entry i: verifications that accepted position i, so more than i drafts."""
        self._accepted = [0] * (k + 1)
        """Entry j: verifications that accepted j drafts."""
        self._prompt_tokens = 0
        self._finished: list[Sequence] = []
        self._scheduler = scheduler
        self._counters = counters
        self._k = k
        self._ended_ns = ended_ns

    def end_step(self, began_ns: int) -> None:
        """Give every member its tokens and leave the scheduler ready for the next."""
        scheduler, counters = self._scheduler, self._counters
        regular, others = scheduler.regular, scheduler.others
        gap_s = seconds_between(began_ns, self._ended_ns)
        counters.inter_token.observe(gap_s, len(regular))
        if self._k:
            self._verify(regular)
        else:
            self._decode(regular)
        if self._finished:
            gone = set(self._finished)
            scheduler.regular = [s for s in regular if s not in gone]
        for sequence in others:
            self._deliver(sequence)
        for sequence in self._finished:
            scheduler.drop(sequence)
        counters.generation_tokens += self.tokens
        counters.iteration_tokens.observe(self._prompt_tokens + self.tokens)
        if self._k:
            self._count_drafts()

    def _count_drafts(self) -> None:
        self.drafts = more = sum(self._accepted)
        by_position = []
        for accepting in self._accepted[:-1]:
            more -= accepting
            by_position.append(more)
        self.accepted_by_position = tuple(by_position)
        self._counters.observe_verification(
            self.drafts, self.draft_tokens, self.accepted_by_position
        )

    def _verify(self, regular: list[Sequence]) -> None:
        """One token and the accepted drafts for each."""
        now, counts, outputs = self._ended_ns, self._accepted, self.outputs
        given = 0
        for sequence in regular:
            draws = sequence.draws
            assert draws is not None
            ahead = draws.ahead or draws.refill(sequence.final - sequence.context)
            accepted = ahead.pop()
            counts[accepted] += 1
            sequence.histogram[accepted] += 1
            before = sequence.context
            context = before + accepted + 1
            if context >= sequence.final:
                given += sequence.final - before
                self._finish(sequence)
                continue
            sequence.context = context
            sequence.last_ns = now
            given += accepted + 1
            outputs.append(sequence.replies[accepted])
            if context > sequence.grow_at:
                self._scheduler.growing.append(sequence)
        self.tokens += given
        self.draft_tokens += self._k * len(regular)

    def _decode(self, regular: list[Sequence]) -> None:
        """One token for each."""
        now, outputs = self._ended_ns, self.outputs
        for sequence in regular:
            context = sequence.context + 1
            if context >= sequence.final:
                self._finish(sequence)
                continue
            sequence.context = context
            sequence.last_ns = now
            outputs.append(sequence.replies[0])
            if context > sequence.grow_at:
                self._scheduler.growing.append(sequence)
        self.tokens += len(regular)

    def _deliver(self, sequence: Sequence) -> None:
        """One sequence outside the regular ones."""
        accepted = 0
        if sequence.decodes:
            accepted = self._accept(sequence)
        else:
            sequence.computed += sequence.chunk
            sequence.chunk = 0
            if sequence.computed < sequence.context:
                return  # the rest of its prompt follows in later steps
        if sequence.instants.first_token_ns is None:
            self._observe_first(sequence)
        else:
            gap_s = seconds_between(sequence.last_ns, self._ended_ns)
            self._counters.inter_token.observe(gap_s)
        tokens = min(accepted + 1, sequence.final - sequence.context)
        self.tokens += tokens
        if sequence.context + tokens >= sequence.final:
            self._finish(sequence)
            return
        sequence.context += tokens
        sequence.last_ns = self._ended_ns
        sequence.decodes = True
        self.outputs.append(sequence.replies[tokens - 1])
        self._scheduler.join_regular(sequence)

    def _accept(self, sequence: Sequence) -> int:
        """Accepted drafts of a step that may hold fewer than k of them."""
        if sequence.draws is None or sequence.drafted == 0:
            return 0
        draws = sequence.draws
        ahead = draws.ahead or draws.refill(sequence.final - sequence.context)
        accepted = min(ahead.pop(), sequence.drafted)
        self._accepted[accepted] += 1
        self.draft_tokens += sequence.drafted
        sequence.histogram[accepted] += 1
        sequence.undrafted += self._k - sequence.drafted
        return accepted

    def _observe_first(self, sequence: Sequence) -> None:
        self._counters.observe_first_token(
            sequence.request, sequence.instants, self._ended_ns
        )
        self._prompt_tokens += sequence.request.prompt_tokens - sequence.prefix_hits

    def _finish(self, sequence: Sequence) -> None:
        """Its last tokens: all that are missing to its end."""
        request = sequence.request
        self.outputs.append(
            StepOutput(
                request.request_id,
                sequence.final - sequence.context,
                request.finish_reason,
                sequence.draft_history(),
            )
        )
        sequence.context = sequence.final
        self._counters.observe_finish(request, sequence.instants, self._ended_ns)
        self._finished.append(sequence)
