"""A request inside the engine."""

from specbench.sim.acceptance_draws import AcceptanceDraws
from specbench.sim.counters import RequestInstants
from specbench.sim.kv_blocks import Holding
from specbench.sim.request import DraftHistory, SimRequest, StepOutput


class Sequence:
    """State of one request. It prefills until its whole context is computed and has
    given a token, then decodes; a preemption sends it back to prefilling."""

    __slots__ = (
        "chunk",
        "computed",
        "context",
        "decodes",
        "drafted",
        "draws",
        "final",
        "grow_at",
        "histogram",
        "holding",
        "instants",
        "k",
        "last_ns",
        "preemptions",
        "prefix_hits",
        "replies",
        "request",
        "undrafted",
    )

    def __init__(
        self,
        request: SimRequest,
        draws: AcceptanceDraws | None,
        instants: RequestInstants,
        k: int,
    ) -> None:
        self.request = request
        self.draws = draws
        """None = plain decoding."""
        self.instants = instants
        self.k = k
        """Drafts of a full step; 0 = plain decoding."""
        self.context = request.prompt_tokens
        """Prompt and produced tokens."""
        self.final = request.prompt_tokens + request.output_tokens
        """Context at its end."""
        self.computed = 0
        """Tokens of the context whose KV is there; set when it is admitted, kept up
        while it prefills."""
        self.decodes = False
        self.chunk = 0
        """Prefill tokens in the step under way."""
        self.drafted = k
        """Drafts in the step under way."""
        self.grow_at = -1
        """Largest context with which a full step needs no new block and stays within
        the model's length."""
        self.holding = Holding()
        self.last_ns = -1
        """Instant of its latest tokens; -1 = none yet."""
        self.preemptions = 0
        self.prefix_hits = 0
        """Prompt tokens that its first admission found in the prefix cache."""
        self.histogram = [0] * (k + 1)
        """Entry j: verification steps that accepted j drafts."""
        self.undrafted = 0
        """Drafts that its verification steps were short of k."""
        self.replies = tuple(
            StepOutput(request.request_id, tokens, None, None)
            for tokens in range(1, k + 2)
        )
        """Entry j: what a step that accepted j drafts gives. Made once, used often."""

    def draft_history(self) -> DraftHistory | None:
        """What became of its drafts; None where it was served without any."""
        if self.draws is None:
            return None
        return DraftHistory(
            acceptance_histogram=tuple(self.histogram),
            draft_tokens=self.k * sum(self.histogram) - self.undrafted,
        )
