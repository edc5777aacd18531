"""What the simulated engine counts, in vLLM's sense of each word (0.32.0,
`v1/metrics/stats.py` and `v1/core/sched/scheduler.py`): what a step gives is counted at
its end, and accepted drafts before a stop cuts the output, so they can exceed what is
delivered. Preemptions and looked-up prefixes are counted when a step takes its members.
Durations are in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from specbench.sim.request import FinishReason, SimRequest
from specbench.units import seconds_between


@dataclass(slots=True)
class Summary:
    """Count and sum of observations, as a histogram's last two lines show them."""

    count: int = 0
    total: float = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        """Add one observation, or several equal ones."""
        self.count += times
        self.total += value * times


@dataclass(slots=True)
class RequestInstants:
    """Monotonic ns of one request's life; None = not reached."""

    arrived_ns: int
    scheduled_ns: int | None = None
    """Start of the first step that it is in; a preemption does not move it."""
    first_token_ns: int | None = None


@dataclass(slots=True)
class SimCounters:
    """Growing counts since the engine started."""

    drafts: int = 0
    draft_tokens: int = 0
    accepted_tokens: int = 0
    accepted_by_position: list[int] = field(default_factory=list)
    prompt_tokens: int = 0
    generation_tokens: int = 0
    preemptions: int = 0
    prefix_queries: int = 0
    """Prompt tokens of admitted requests that were looked up in the prefix cache. As in
    vLLM 0.32.0, what a preempted request looks up again is left out."""
    prefix_hits: int = 0
    """Of these, the ones found."""
    finished: dict[FinishReason, int] = field(
        default_factory=lambda: dict.fromkeys(FinishReason, 0)
    )
    iteration_tokens: Summary = field(default_factory=Summary)
    """Prompt and output tokens of each step."""
    time_to_first_token: Summary = field(default_factory=Summary)
    inter_token: Summary = field(default_factory=Summary)
    """One observation a step of a decoding request, however many tokens it gave."""
    time_per_output_token: Summary = field(default_factory=Summary)
    """One observation a request: decode time / (output tokens - 1)."""
    e2e: Summary = field(default_factory=Summary)
    queue: Summary = field(default_factory=Summary)
    prefill: Summary = field(default_factory=Summary)
    decode: Summary = field(default_factory=Summary)
    inference: Summary = field(default_factory=Summary)
    """Prefill and decode."""
    request_prompt_tokens: Summary = field(default_factory=Summary)
    request_generation_tokens: Summary = field(default_factory=Summary)

    def observe_verification(
        self, drafts: int, draft_tokens: int, accepted_by_position: Sequence[int]
    ) -> None:
        """The drafts of one step were verified."""
        self.drafts += drafts
        self.draft_tokens += draft_tokens
        for position, count in enumerate(accepted_by_position):
            self.accepted_by_position[position] += count
            self.accepted_tokens += count

    def observe_first_token(
        self, request: SimRequest, instants: RequestInstants, now_ns: int
    ) -> None:
        """A request got its first token."""
        instants.first_token_ns = now_ns
        self.prompt_tokens += request.prompt_tokens
        self.time_to_first_token.observe(seconds_between(instants.arrived_ns, now_ns))

    def observe_finish(
        self, request: SimRequest, instants: RequestInstants, last_ns: int
    ) -> None:
        """A request ended by itself; `last_ns` is the instant of its last tokens."""
        scheduled, first = instants.scheduled_ns, instants.first_token_ns
        if scheduled is None or first is None:
            raise ValueError(f"request {request.request_id} finished without a token")
        self.finished[request.finish_reason] += 1
        decode_s = seconds_between(first, last_ns)
        gaps = request.output_tokens - 1
        self.e2e.observe(seconds_between(instants.arrived_ns, last_ns))
        self.queue.observe(seconds_between(instants.arrived_ns, scheduled))
        self.prefill.observe(seconds_between(scheduled, first))
        self.decode.observe(decode_s)
        self.inference.observe(seconds_between(scheduled, last_ns))
        # vLLM records 0 for a request of one token; the sum is the same without it,
        # the count is not, so the simulator does as vLLM does.
        self.time_per_output_token.observe(decode_s / gaps if gaps else 0.0)
        self.request_prompt_tokens.observe(request.prompt_tokens)
        self.request_generation_tokens.observe(request.output_tokens)
