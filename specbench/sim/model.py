"""The engine itself: continuous batching and speculation as a discrete-event model in
virtual time. It is pure: instants go in and come out as integers (ns), nothing here
reads a clock, sleeps or opens a socket.

A step takes its members when it begins and gives all their tokens when it ends:

    submit        step 1               step 2
    |---- wait ---|--- prefill (A) ----|--- decode (A), prefill (B) ---|--- ...
                                       A: 1 token                      A: 1..k+1, B: 1

The next step begins at the instant the last one ended, or when the next request
arrives. Every request has a random generator of its own and draws only when it
decodes, so what it gets per step does not depend on the batch."""

import random
from dataclasses import dataclass, field

from specbench.sim.config import SimConfig, StepLoad, step_seconds
from specbench.sim.counters import RequestInstants, SimCounters
from specbench.sim.request import DraftHistory, FinishReason, SimRequest, StepOutput
from specbench.units import NS_PER_S


@dataclass(slots=True)
class _Sequence:
    """A request inside the engine."""

    request: SimRequest
    draws: random.Random
    instants: RequestInstants
    produced: int = 0
    acceptance_histogram: list[int] = field(default_factory=list)
    draft_tokens: int = 0


class Engine:
    """One engine. Call `step` at `next_step_time`, never before; `submit` and `abort`
    at any time. Instants must not go backwards."""

    def __init__(self, config: SimConfig, seed: int) -> None:
        self.config = config
        self.counters = SimCounters()
        if config.speculation is not None:
            k = config.speculation.num_speculative_tokens
            self.counters.accepted_by_position = [0] * k
        self._seed = seed
        self._waiting: dict[str, _Sequence] = {}
        self._running: dict[str, _Sequence] = {}
        self._step_ends_ns: int | None = None
        self._idle_since_ns = 0

    @property
    def running(self) -> int:
        """Sequences in the step that is under way."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Requests that no step has taken in yet."""
        return len(self._waiting)

    @property
    def kv_tokens(self) -> int:
        """Prompt and output tokens held by the running sequences."""
        return sum(
            sequence.request.prompt_tokens + sequence.produced
            for sequence in self._running.values()
        )

    def submit(self, request: SimRequest, now_ns: int) -> None:
        """Take a request; an idle engine begins a step with it at once."""
        request_id = request.request_id
        if request_id in self._waiting or request_id in self._running:
            raise ValueError(f"request {request_id!r} is already in the engine")
        # A string seed is hashed (SHA-512) by `random`, so it holds across processes.
        draws = random.Random(f"{self._seed}/{request.draw_key}")
        sequence = _Sequence(request, draws, RequestInstants(arrived_ns=now_ns))
        if self.config.speculation is not None:
            k = self.config.speculation.num_speculative_tokens
            sequence.acceptance_histogram = [0] * (k + 1)
        self._waiting[request_id] = sequence
        if self._step_ends_ns is None:
            self._begin_step(max(now_ns, self._idle_since_ns))

    def abort(self, request_id: str) -> None:
        """Forget a request. The step under way costs what it costs; the request gets
        nothing from it. Unknown ids are ignored: it may just have finished."""
        waiting = self._waiting.pop(request_id, None)
        running = self._running.pop(request_id, None)
        if waiting is not None or running is not None:
            self.counters.finished[FinishReason.ABORT] += 1

    def next_step_time(self) -> int | None:
        """When the step under way ends; None = idle."""
        return self._step_ends_ns

    def step(self) -> list[StepOutput]:
        """End the step under way and begin the next. Outputs in order of admission."""
        now_ns = self._step_ends_ns
        if now_ns is None:
            raise ValueError("the engine is idle: no step to end")
        prompt_tokens_before = self.counters.prompt_tokens
        outputs = [self._deliver(seq, now_ns) for seq in self._running.values()]
        for output in outputs:
            if output.is_finished:
                del self._running[output.request_id]
        prefilled = self.counters.prompt_tokens - prompt_tokens_before
        delivered = sum(output.tokens for output in outputs)
        self.counters.iteration_tokens.observe(prefilled + delivered)
        self._begin_step(now_ns)
        return outputs

    def _begin_step(self, now_ns: int) -> None:
        if not self._running:
            if not self._waiting:
                self._step_ends_ns = None
                self._idle_since_ns = now_ns
                return
            first = next(iter(self._waiting.values()))
            now_ns = max(now_ns, first.instants.arrived_ns)
        self._admit(now_ns)
        cost_ns = round(step_seconds(self.config, self._load()) * NS_PER_S)
        self._step_ends_ns = now_ns + max(1, cost_ns)

    def _admit(self, now_ns: int) -> None:
        for request_id, sequence in list(self._waiting.items()):
            is_full = len(self._running) >= self.config.max_num_seqs
            if is_full or sequence.instants.arrived_ns > now_ns:
                return
            del self._waiting[request_id]
            sequence.instants.scheduled_ns = now_ns
            self._running[request_id] = sequence

    def _load(self) -> StepLoad:
        speculation = self.config.speculation
        k = speculation.num_speculative_tokens if speculation else 0
        prefilling = [s for s in self._running.values() if s.produced == 0]
        decoding = len(self._running) - len(prefilling)
        return StepLoad(
            sequences=len(self._running),
            verified_tokens=decoding * (k + 1),
            prefill_tokens=sum(s.request.prompt_tokens for s in prefilling),
            draft_steps=k if decoding else 0,
        )

    def _deliver(self, sequence: _Sequence, now_ns: int) -> StepOutput:
        request = sequence.request
        # The prefill step gives the first token; drafts begin with the step after it.
        wanted = 1 if sequence.produced == 0 else 1 + self._accept_drafts(sequence)
        tokens = min(wanted, request.output_tokens - sequence.produced)
        self.counters.observe_delivery(request, sequence.instants, now_ns, tokens)
        if sequence.produced == 0:
            sequence.instants.first_token_ns = now_ns
        sequence.instants.last_token_ns = now_ns
        sequence.produced += tokens
        if sequence.produced < request.output_tokens:
            return StepOutput(request.request_id, tokens, finish=None, drafts=None)
        self.counters.observe_finish(request, sequence.instants)
        return StepOutput(
            request.request_id,
            tokens,
            finish=request.finish_reason,
            drafts=self._draft_history(sequence),
        )

    def _accept_drafts(self, sequence: _Sequence) -> int:
        """Drafts accepted in one verification; position i is tried only when all
        before it were accepted."""
        speculation = self.config.speculation
        if speculation is None:
            return 0
        accepted = 0
        for rate in speculation.acceptance:
            if sequence.draws.random() >= rate:
                break
            accepted += 1
        drafted = speculation.num_speculative_tokens
        sequence.acceptance_histogram[accepted] += 1
        sequence.draft_tokens += drafted
        self.counters.observe_draft(drafted, accepted)
        return accepted

    def _draft_history(self, sequence: _Sequence) -> DraftHistory | None:
        if self.config.speculation is None:
            return None
        return DraftHistory(
            acceptance_histogram=tuple(sequence.acceptance_histogram),
            draft_tokens=sequence.draft_tokens,
        )
