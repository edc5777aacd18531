"""Several data-parallel copies of the engine behind one door. Each has caps, KV cache,
counters and clock of its own; a request stays where it was sent. Pure, as the engine.

A new request goes to the rank of the least score, as vLLM's own balancer sends it
(0.32.0, `v1/engine/core_client.py`, `DPLBAsyncMPClient`): unfinished requests, and for
each that waits a penalty of up to 3 more as the KV cache fills beyond one half. Equal
scores are broken by a starting point that moves on with each request. vLLM sees waiting
and running at most 100 ms late; here they are seen as they are."""

from specbench.sim.config import SimConfig
from specbench.sim.model import Engine
from specbench.sim.request import SimRequest, StepOutput, StepRecord

PENALTY_FROM_USAGE = 0.5
PENALTY_PER_USAGE = 6.0


class Ranks:
    """One or more engines with the interface of one."""

    def __init__(self, config: SimConfig, seed: int) -> None:
        if config.ranks < 1:
            raise ValueError(f"an engine has at least one rank, got {config.ranks}")
        self.config = config
        self.engines = tuple(Engine(config, seed, rank) for rank in range(config.ranks))
        """By rank."""
        self.last_step: StepRecord | None = None
        """The step that ended last on any rank."""
        self._home: dict[str, Engine] = {}
        self._scan_from = 0

    @property
    def running(self) -> int:
        """Admitted sequences of all ranks."""
        return sum(engine.running for engine in self.engines)

    @property
    def waiting(self) -> int:
        """Waiting requests of all ranks."""
        return sum(engine.waiting for engine in self.engines)

    @property
    def queued(self) -> int:
        """Requests that the steps under way left waiting when they began."""
        return sum(engine.queued for engine in self.engines)

    @property
    def kv_usage(self) -> float:
        """Share of the KV blocks in use on the fullest rank, 0..1."""
        return max(engine.kv_usage for engine in self.engines)

    def submit(self, request: SimRequest, now_ns: int) -> None:
        """Send a request to a rank. Raises ValueError as `Engine.submit` does."""
        if request.request_id in self._home:
            raise ValueError(f"request {request.request_id!r} is already in the engine")
        engine = self._least_loaded()
        engine.submit(request, now_ns)
        self._home[request.request_id] = engine
        self._scan_from = (self._scan_from + 1) % len(self.engines)

    def abort(self, request_id: str) -> None:
        """Forget a request; unknown ids are ignored."""
        engine = self._home.pop(request_id, None)
        if engine is not None:
            engine.abort(request_id)

    def next_step_time(self) -> int | None:
        """When the first of the steps under way ends; None = all ranks are idle."""
        if len(self.engines) == 1:
            return self.engines[0].next_step_time()
        ends = [engine.next_step_time() for engine in self.engines]
        return min((end for end in ends if end is not None), default=None)

    def step(self) -> list[StepOutput]:
        """End that step, the lowest rank's where several end at one instant."""
        due = self.next_step_time()
        if due is None:
            raise ValueError("all ranks are idle: no step to end")
        engine = next(e for e in self.engines if e.next_step_time() == due)
        outputs = engine.step()
        self.last_step = engine.last_step
        for output in outputs:
            if output.finish is not None:
                del self._home[output.request_id]
        return outputs

    def _least_loaded(self) -> Engine:
        count = len(self.engines)
        in_turn = [self.engines[(self._scan_from + i) % count] for i in range(count)]
        return min(in_turn, key=_score)  # the first of equals


def _score(engine: Engine) -> float:
    score = float(engine.waiting + engine.running)
    if engine.waiting:
        over = max(0.0, engine.kv_usage - PENALTY_FROM_USAGE)
        score += engine.waiting * PENALTY_PER_USAGE * over
    return score
