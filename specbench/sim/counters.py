"""What the simulated engine counts, in vLLM's sense of each word (0.32.0,
`v1/metrics/stats.py` and `v1/core/sched/scheduler.py`): everything moves at the end of
a step, and accepted drafts are counted before a stop cuts the output, so they can
exceed what is delivered. Durations are in seconds."""

from dataclasses import dataclass, field

from specbench.sim.request import FinishReason, SimRequest
from specbench.units import seconds_between


@dataclass(slots=True)
class Summary:
    """Count and sum of observations, as a histogram's last two lines show them."""

    count: int = 0
    total: float = 0.0

    def observe(self, value: float) -> None:
        """Add one observation."""
        self.count += 1
        self.total += value


@dataclass(slots=True)
class RequestInstants:
    """Monotonic ns of one request's life; None = not reached."""

    arrived_ns: int
    scheduled_ns: int | None = None
    """Start of the first step that it is in."""
    first_token_ns: int | None = None
    last_token_ns: int | None = None


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

    def observe_draft(self, drafted: int, accepted: int) -> None:
        """One request's drafts were verified in one step."""
        self.drafts += 1
        self.draft_tokens += drafted
        self.accepted_tokens += accepted
        for position in range(accepted):
            self.accepted_by_position[position] += 1

    def observe_delivery(
        self, request: SimRequest, instants: RequestInstants, now_ns: int, tokens: int
    ) -> None:
        """A step gave tokens to a request; call it before the instants move on."""
        self.generation_tokens += tokens
        if instants.last_token_ns is None:
            self.prompt_tokens += request.prompt_tokens
            self.time_to_first_token.observe(
                seconds_between(instants.arrived_ns, now_ns)
            )
        else:
            self.inter_token.observe(seconds_between(instants.last_token_ns, now_ns))

    def observe_finish(self, request: SimRequest, instants: RequestInstants) -> None:
        """A request ended by itself, after its last delivery."""
        scheduled = instants.scheduled_ns
        first, last = instants.first_token_ns, instants.last_token_ns
        if scheduled is None or first is None or last is None:
            raise ValueError(f"request {request.request_id} finished without a token")
        self.finished[request.finish_reason] += 1
        decode_s = seconds_between(first, last)
        gaps = request.output_tokens - 1
        self.e2e.observe(seconds_between(instants.arrived_ns, last))
        self.queue.observe(seconds_between(instants.arrived_ns, scheduled))
        self.prefill.observe(seconds_between(scheduled, first))
        self.decode.observe(decode_s)
        self.inference.observe(seconds_between(scheduled, last))
        # vLLM records 0 for a request of one token; the sum is the same without it,
        # the count is not, so the simulator does as vLLM does.
        self.time_per_output_token.observe(decode_s / gaps if gaps else 0.0)
        self.request_prompt_tokens.observe(request.prompt_tokens)
        self.request_generation_tokens.observe(request.output_tokens)
