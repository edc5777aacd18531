"""Drives the pure engine in virtual time, as a test's world."""

from collections import defaultdict
from dataclasses import dataclass, field

from specbench.sim.config import SimConfig, SimSpeculation, StepCost
from specbench.sim.model import Engine
from specbench.sim.request import SimRequest, StepOutput

MS = 1_000_000
"""Nanoseconds in a millisecond."""


def config(
    speculation: SimSpeculation | None = None, max_num_seqs: int = 1000
) -> SimConfig:
    """A step costs 10 ms, 0.1 ms a sequence, 0.2 ms a token; a prompt token 0.01."""
    return SimConfig(
        max_num_seqs=max_num_seqs,
        max_model_len=100_000,
        cost=StepCost(
            base_s=0.010,
            per_sequence_s=0.0001,
            per_token_s=0.0002,
            prefill_per_token_s=0.00001,
        ),
        speculation=speculation,
    )


def drafter(*acceptance: float, draft_ms: float = 1.0) -> SimSpeculation:
    return SimSpeculation(len(acceptance), acceptance, draft_ms / 1000)


def request(
    name: str,
    max_tokens: int = 20,
    prompt_tokens: int = 10,
    stop_after: int | None = None,
) -> SimRequest:
    return SimRequest(name, prompt_tokens, max_tokens, stop_after, draw_key=name)


@dataclass
class History:
    """What came out: (instant in ns, output), by request in order."""

    outputs: dict[str, list[tuple[int, StepOutput]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def tokens(self, name: str) -> list[int]:
        """Tokens of each step of one request."""
        return [output.tokens for _, output in self.outputs[name]]

    def instants_ms(self, name: str) -> list[float]:
        """When each step of one request ended."""
        return [instant / MS for instant, _ in self.outputs[name]]


def run_until_idle(engine: Engine, history: History | None = None) -> History:
    """Take every step there is."""
    history = history or History()
    while (now := engine.next_step_time()) is not None:
        for output in engine.step():
            history.outputs[output.request_id].append((now, output))
    return history


def run_closed_loop(engine: Engine, concurrency: int, steps: int) -> float:
    """Decode tokens per second of `concurrency` endless requests over some steps."""
    for slot in range(concurrency):
        endless = engine.config.max_model_len - 1
        engine.submit(request(f"{slot}", max_tokens=endless, prompt_tokens=1), 0)
    engine.step()  # prefills the first, which found the engine idle
    started = ended = _now(engine)
    engine.step()  # prefills the others; from its end on all of them decode
    tokens = 0
    for _ in range(steps):
        ended = _now(engine)
        tokens += sum(output.tokens for output in engine.step())
    return tokens / ((ended - started) / 1e9)


def _now(engine: Engine) -> int:
    now = engine.next_step_time()
    assert now is not None
    return now
