"""A client in virtual time: it plays the pure engine and records what the real client
would, so that the analysis can be tried on thousands of cells whose truth is known.
Nothing here waits, and its stamps are exact: no network, no lag.

In a closed loop each slot sends its next request at the instant its last one ended.
That request finds the next step begun already and joins the one after it, as with a
real engine. In an open loop each request is sent when it is due."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat

from specbench.schema.record import ClientHealth
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.schema.snapshot import EngineReading, Phase
from specbench.sim.config import SimConfig
from specbench.sim.draft_figures import vllm_figures
from specbench.sim.ranks import Ranks
from specbench.sim.request import SimRequest, StepOutput
from specbench.sim.virtual_readings import take_reading
from specbench.units import NS_PER_S, seconds_between

BEGIN_NS = NS_PER_S
FIRST_PAUSE_NS = NS_PER_S // 10
LONGEST_PAUSE_NS = NS_PER_S
"""Readings inside the window come densely at first, with doubling pauses."""
PROBES_PER_S = 100
HTTP_OK = 200


@dataclass(frozen=True, slots=True)
class VirtualPrompt:
    """What a request asks for, and how long its answer will be."""

    prompt_id: str
    """Names the request's acceptance draws too: equal in all arms and launches."""
    prompt_tokens: int
    output_tokens: int
    """Natural length of the answer; it stops there, or at the limit before it."""
    category: str = ""
    prefix_blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class VirtualLoad:
    """What one cell sends."""

    concurrency: int
    """Slots of a closed loop; 0 in an open one."""
    warmup: tuple[VirtualPrompt, ...]
    """Sent first, never measured; handed over without draining."""
    measured: tuple[VirtualPrompt, ...]
    max_tokens: int
    """Output limit of every request."""
    request_s: float = 0.0
    """The slots' first requests are spread over so long; 0 = at once."""
    seed: int = 0
    """Of the acceptance draws."""
    arrivals: tuple[float, ...] = ()
    """Seconds after the start at which each request of an open loop is due; empty = a
    closed loop."""


@dataclass(frozen=True, slots=True)
class VirtualCell:
    """What the client saw, and the engine that it saw."""

    samples: tuple[RequestSample, ...]
    """By index; all warm-up and measured requests."""
    readings: tuple[EngineReading, ...]
    client: ClientHealth
    """Without lag."""
    engine: Ranks
    """After the drain."""


def simulate_cell(config: SimConfig, load: VirtualLoad) -> VirtualCell:
    """Run one cell to its end, drain included, on a fresh engine."""
    return _Loop(config, load).run()


@dataclass(slots=True)
class _Flight:
    """A request under way."""

    index: int
    slot: int
    sent_ns: int
    count: int = 0
    """Tokens so far."""
    instants: list[int] = field(default_factory=list)
    """Of its chunks; they become chunks when it ends, all at once."""
    counts: list[int] = field(default_factory=list)


class _Loop:
    """State of one cell while it runs."""

    def __init__(self, config: SimConfig, load: VirtualLoad) -> None:
        self._engine = Ranks(config, load.seed)
        self._load = load
        self._prompts = load.warmup + load.measured
        self._next = 0
        self._flights: dict[str, _Flight] = {}
        self._samples: list[RequestSample] = []
        self._readings: list[EngineReading] = []
        self._turned_over: set[int] = set()
        self._is_closed = False
        self._reading_due_ns: int | None = None
        self._pause_ns = FIRST_PAUSE_NS
        longest = max((p.output_tokens for p in self._prompts), default=0)
        # words that all differ, so that no output loops
        self._words = [f" w{i}" for i in range(min(longest, load.max_tokens) + 1)]

    def run(self) -> VirtualCell:
        starts = deque(
            (BEGIN_NS + round(start_s * NS_PER_S), slot)
            for slot, start_s in enumerate(self._starts())
        )
        engine = self._engine
        now_ns = BEGIN_NS
        self._read(Phase.BEFORE, now_ns)
        while True:
            step_ns = engine.next_step_time()
            if starts and (step_ns is None or starts[0][0] < step_ns):
                now_ns, slot = starts.popleft()
                self._send(slot, now_ns)
                continue
            if step_ns is None:
                break
            due_ns = self._reading_due_ns
            if due_ns is not None and due_ns < step_ns:
                self._read_inside(due_ns)
                continue
            now_ns = step_ns
            self._receive(engine.step(), now_ns)
        self._close(now_ns)
        self._read(Phase.AFTER, now_ns)
        samples = tuple(sorted(self._samples, key=lambda s: s.index))
        return VirtualCell(samples, tuple(self._readings), _health(now_ns), engine)

    def _starts(self) -> Iterable[float]:
        """Seconds at which slots send first; in an open loop each request has a slot
        of its own."""
        load = self._load
        if load.arrivals:
            return load.arrivals
        count = load.concurrency
        return (slot * load.request_s / count for slot in range(count))

    def _send(self, slot: int, now_ns: int) -> None:
        """The slot's next request, if there is one left."""
        index = self._next
        if index >= len(self._prompts):
            self._close(now_ns)
            return
        self._next += 1
        prompt = self._prompts[index]
        request = SimRequest(
            request_id=str(index),
            prompt_tokens=prompt.prompt_tokens,
            max_tokens=self._load.max_tokens,
            stop_after=prompt.output_tokens,
            draw_key=prompt.prompt_id,
            prefix_blocks=prompt.prefix_blocks,
        )
        self._flights[request.request_id] = _Flight(index, slot, now_ns)
        self._engine.submit(request, now_ns)
        if self._load.arrivals:
            self._tell_edges(index, now_ns)

    def _tell_edges(self, index: int, now_ns: int) -> None:
        """The window of an open loop, from one arrival to another."""
        if index == max(0, len(self._load.warmup) - 1):
            self._open(now_ns)
        if index == len(self._prompts) - 1:
            self._close(now_ns)

    def _receive(self, outputs: list[StepOutput], now_ns: int) -> None:
        flights = self._flights
        for output in outputs:
            flight = flights[output[0]]
            flight.count = count = flight.count + output[1]
            flight.instants.append(now_ns)
            flight.counts.append(count)
            if output[2] is not None:
                self._finish(flight, output, now_ns)

    def _finish(self, flight: _Flight, output: StepOutput, now_ns: int) -> None:
        del self._flights[output.request_id]
        self._samples.append(self._sample(flight, output, now_ns))
        if self._load.arrivals:
            return
        if flight.slot not in self._turned_over:
            self._turned_over.add(flight.slot)
            if len(self._turned_over) == self._load.concurrency and not self._is_closed:
                self._open(now_ns)
        self._send(flight.slot, now_ns)

    def _open(self, now_ns: int) -> None:
        self._read(Phase.OPEN, now_ns)
        self._reading_due_ns = now_ns + self._pause_ns

    def _sample(
        self, flight: _Flight, output: StepOutput, now_ns: int
    ) -> RequestSample:
        prompt = self._prompts[flight.index]
        is_warmup = flight.index < len(self._load.warmup)
        texts = [self._words[count] for count in flight.counts]
        rows = zip(flight.instants, texts, repeat(False), flight.counts)
        role_only = Chunk(flight.instants[0], "", False, 0)
        return RequestSample(
            index=flight.index,
            prompt_id=prompt.prompt_id,
            category=prompt.category,
            slot=flight.slot,
            role=Role.WARMUP if is_warmup else Role.MEASURED,
            scheduled_ns=flight.sent_ns,
            sent_ns=flight.sent_ns,
            end_ns=now_ns,
            outcome=Outcome.OK,
            error=None,
            http_status=HTTP_OK,
            chunks=(role_only, *map(Chunk._make, rows)),
            prompt_tokens=prompt.prompt_tokens,
            output_tokens=flight.count,
            finish_reason=output.finish,
            speculation=None if output.drafts is None else vllm_figures(output.drafts),
        )

    def _close(self, now_ns: int) -> None:
        """A slot runs dry, or the last request is due: the window closes, once."""
        if not self._is_closed:
            self._is_closed = True
            self._reading_due_ns = None
            self._read(Phase.CLOSE, now_ns)

    def _read_inside(self, now_ns: int) -> None:
        self._read(Phase.INSIDE, now_ns)
        self._pause_ns = min(2 * self._pause_ns, LONGEST_PAUSE_NS)
        self._reading_due_ns = now_ns + self._pause_ns

    def _read(self, phase: Phase, now_ns: int) -> None:
        self._readings.append(take_reading(self._engine, phase, now_ns))


def _health(end_ns: int) -> ClientHealth:
    """A client that is never late."""
    probes = max(1, round(seconds_between(BEGIN_NS, end_ns) * PROBES_PER_S))
    return ClientHealth(
        lag_p50_s=0.0,
        lag_p99_s=0.0,
        lag_max_s=0.0,
        lag_samples=probes,
        cpu_share=0.0,
        lag_expected=probes,
    )
