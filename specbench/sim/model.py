"""The engine itself: continuous batching and speculation as a discrete-event model in
virtual time. It is pure: instants go in and come out as integers (ns), nothing here
reads a clock, sleeps or opens a socket.

A step takes its members when it begins and gives all their tokens when it ends:

    submit        step 1               step 2
    |---- wait ---|--- prefill (A) ----|--- decode (A), prefill (B) ---|--- ...
                                       A: 1 token                      A: 1..k+1, B: 1

The next step begins at the instant the last one ended, or when the next request
arrives. Every request has a random generator of its own and draws only when it
verifies drafts, so what its drafts become depends on nothing that runs beside it.
`scheduler` chooses the members, `delivery` ends a step, `config` prices it."""

from specbench.sim.acceptance_draws import AcceptanceDraws, AcceptanceLaw
from specbench.sim.config import (
    SimConfig,
    StepLoad,
    blocks_for,
    kv_capacity_blocks,
    step_seconds,
)
from specbench.sim.counters import RequestInstants, SimCounters
from specbench.sim.delivery import Delivery
from specbench.sim.request import FinishReason, SimRequest, StepOutput, StepRecord
from specbench.sim.scheduler import Scheduler
from specbench.sim.sequence import Sequence
from specbench.units import NS_PER_S


class Engine:
    """One engine, or one rank of several. Call `step` at `next_step_time`, never
    before; `submit` and `abort` at any time. Instants must not go backwards."""

    def __init__(self, config: SimConfig, seed: int, rank: int = 0) -> None:
        self.config = config
        self.rank = rank
        self.counters = SimCounters()
        self.last_step: StepRecord | None = None
        """The step that ended last; None = no step has ended."""
        self._seed = seed
        self._law: AcceptanceLaw | None = None
        self._k = 0
        if config.speculation is not None:
            self._law = AcceptanceLaw(config.speculation.acceptance)
            self._k = config.speculation.num_speculative_tokens
            self.counters.accepted_by_position = [0] * self._k
        self._scheduler = Scheduler(config, self.counters)
        self._load: StepLoad | None = None
        self._left_waiting = 0
        self._step_began_ns = 0
        self._step_ends_ns: int | None = None
        self._idle_since_ns = 0

    @property
    def engines(self) -> tuple["Engine", ...]:
        """Its ranks: itself."""
        return (self,)

    @property
    def running(self) -> int:
        """Admitted sequences."""
        return len(self._scheduler.running)

    @property
    def waiting(self) -> int:
        """Requests that wait to be admitted, preempted ones included."""
        return len(self._scheduler.waiting)

    @property
    def queued(self) -> int:
        """Requests that the step under way left waiting when it began; 0 when idle.
        vLLM's page shows these (0.32.0, `v1/engine/core.py`): a request that arrived
        since then is in the engine's inbox and not counted."""
        return self._left_waiting

    @property
    def kv_tokens(self) -> int:
        """Tokens of the running sequences whose KV the step under way keeps: prompt
        and output of a decoding one, what is computed of a prefilling one."""
        return sum(
            s.context if s.decodes else s.computed + s.chunk
            for s in self._scheduler.running.values()
        )

    @property
    def kv_usage(self) -> float:
        """Share of the KV blocks in use, 0..1; a block that is only findable is not."""
        return self._scheduler.pool.usage

    def submit(self, request: SimRequest, now_ns: int) -> None:
        """Take a request; an idle engine begins a step with it at once.

        Raises ValueError for an id that is in the engine, and for a request that the
        model's length or the KV cache could never hold.
        """
        request_id = request.request_id
        waiting, running = self._scheduler.waiting, self._scheduler.running
        if request_id in waiting or request_id in running:
            raise ValueError(f"request {request_id!r} is already in the engine")
        check_fits(self.config, request)
        draws = None
        if self._law is not None:
            draws = AcceptanceDraws(self._law, f"{self._seed}/{request.draw_key}")
        instants = RequestInstants(arrived_ns=now_ns)
        waiting[request_id] = Sequence(request, draws, instants, self._k)
        if self._step_ends_ns is None:
            self._begin_step(max(now_ns, self._idle_since_ns))

    def abort(self, request_id: str) -> None:
        """Forget a request. The step under way costs what it costs; the request gets
        nothing from it. Unknown ids are ignored: it may just have finished."""
        scheduler = self._scheduler
        sequence = scheduler.waiting.pop(request_id, None)
        if sequence is None:
            sequence = scheduler.running.get(request_id)
        if sequence is None:
            return
        scheduler.drop(sequence)
        for members in (scheduler.regular, scheduler.others):
            if sequence in members:
                members.remove(sequence)
        self.counters.finished[FinishReason.ABORT] += 1

    def next_step_time(self) -> int | None:
        """When the step under way ends; None = idle."""
        return self._step_ends_ns

    def step(self) -> list[StepOutput]:
        """End the step under way and begin the next."""
        now_ns, load = self._step_ends_ns, self._load
        if now_ns is None or load is None:
            raise ValueError("the engine is idle: no step to end")
        delivery = Delivery(self._scheduler, self.counters, self._k, now_ns)
        delivery.end_step(self._step_began_ns)
        self.last_step = StepRecord(
            self.rank,
            self._step_began_ns,
            now_ns,
            load.sequences,
            self._left_waiting,
            load.verified_tokens,
            load.prefill_tokens,
            delivery.tokens,
            delivery.drafts,
            delivery.draft_tokens,
            delivery.accepted_by_position,
        )
        self._begin_step(now_ns)
        return delivery.outputs

    def _begin_step(self, now_ns: int) -> None:
        scheduler = self._scheduler
        if not scheduler.running:
            if not scheduler.waiting:
                self._step_ends_ns = self._load = None
                self._left_waiting = 0
                self._idle_since_ns = now_ns
                return
            first = next(iter(scheduler.waiting.values()))
            now_ns = max(now_ns, first.instants.arrived_ns)
        scheduler.schedule(now_ns)
        self._load = scheduler.load()
        self._left_waiting = len(scheduler.waiting)
        cost_ns = round(step_seconds(self.config, self._load) * NS_PER_S)
        self._step_began_ns = now_ns
        self._step_ends_ns = now_ns + max(1, cost_ns)


def check_fits(config: SimConfig, request: SimRequest) -> None:
    """Raises ValueError for a request that no empty engine could bring to its end, or
    whose prefix blocks are more than its prompt fills."""
    total = request.prompt_tokens + request.output_tokens
    name = f"request {request.request_id!r}"
    if total > config.max_model_len:
        raise ValueError(
            f"{name} needs {total} tokens, max_model_len is {config.max_model_len}"
        )
    speculation = config.speculation
    k = speculation.num_speculative_tokens if speculation else 0
    # its last step holds all but the last token, and the drafts that it verifies
    most = min(total - 1 + k, config.max_model_len)
    needed = blocks_for(most, config.block_size)
    capacity = kv_capacity_blocks(config)
    if needed > capacity:
        raise ValueError(
            f"{name} needs {needed} KV blocks of {config.block_size} tokens"
            f" ({most} tokens), the cache has {capacity}"
        )
    if len(request.prefix_blocks) * config.block_size > request.prompt_tokens:
        raise ValueError(f"{name} has more prefix blocks than its prompt fills")
