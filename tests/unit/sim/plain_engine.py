"""The engine once more, written for clarity and not for speed: one rule a line, no
prefix cache, every request there from the start. The fast one has to agree with it."""

import math
from dataclasses import dataclass

from specbench.sim.acceptance_draws import AcceptanceDraws, AcceptanceLaw
from specbench.sim.config import (
    SimConfig,
    StepLoad,
    kv_capacity_blocks,
    step_seconds,
)
from specbench.sim.request import SimRequest
from specbench.units import NS_PER_S


@dataclass
class Job:
    """One request."""

    request: SimRequest
    draws: AcceptanceDraws
    produced: int = 0
    computed: int = 0
    blocks: int = 0
    is_decoding: bool = False
    tokens_now: int = 0
    """Tokens that the step under way computes for it."""

    @property
    def context(self) -> int:
        return self.request.prompt_tokens + self.produced


class PlainEngine:
    """Plays all requests to their end."""

    def __init__(self, config: SimConfig, seed: int, requests: list[SimRequest]):
        self.config = config
        speculation = config.speculation
        self.k = speculation.num_speculative_tokens if speculation else 0
        law = AcceptanceLaw(speculation.acceptance if speculation else ())
        self.waiting = [
            Job(r, AcceptanceDraws(law, f"{seed}/{r.draw_key}")) for r in requests
        ]
        self.running: list[Job] = []
        self.preemptions = 0
        self.told: dict[str, list[tuple[int, int]]] = {}
        """(instant, tokens) by request."""

    def run(self) -> None:
        now = 0
        while self.waiting or self.running:
            members = self._schedule()
            now += max(
                1, round(step_seconds(self.config, self._load(members)) * NS_PER_S)
            )
            for job in members:
                self._deliver(job, now)

    def _schedule(self) -> list[Job]:
        members: list[Job] = []
        left = self.config.max_num_batched_tokens or 10**9
        preemptions = self.preemptions
        for job in list(self.running):
            if left == 0 or job not in self.running:
                break
            if job.is_decoding:
                longest = self.config.max_model_len - job.context
                tokens = min(1 + self.k, left, longest)
                held = job.context - 1 + tokens
            else:
                tokens = min(job.context - job.computed, left)
                held = job.computed + tokens
            while not self._hold(job, held) and job in self.running:
                self._preempt(self.running[-1])
            if job not in self.running:
                break
            job.tokens_now, left = tokens, left - tokens
            members.append(job)
        if self.preemptions > preemptions:
            return members
        while self.waiting and left and len(self.running) < self.config.max_num_seqs:
            job = self.waiting[0]
            if math.ceil(job.context / self.config.block_size) > self._free():
                break
            job.tokens_now = min(job.context, left)
            left -= job.tokens_now
            self._hold(job, job.tokens_now)
            self.running.append(self.waiting.pop(0))
            members.append(job)
        return members

    def _free(self) -> int:
        return kv_capacity_blocks(self.config) - sum(j.blocks for j in self.running)

    def _hold(self, job: Job, tokens: int) -> bool:
        more = math.ceil(tokens / self.config.block_size) - job.blocks
        if more > self._free():
            return False
        job.blocks += max(0, more)
        return True

    def _preempt(self, job: Job) -> None:
        self.running.remove(job)
        job.blocks = job.computed = 0
        job.is_decoding = False
        self.waiting.insert(0, job)
        self.preemptions += 1

    def _load(self, members: list[Job]) -> StepLoad:
        decoding = [j for j in members if j.is_decoding]
        drafting = sum(j.tokens_now > 1 for j in decoding)
        return StepLoad(
            sequences=len(members),
            verified_tokens=sum(j.tokens_now for j in decoding),
            prefill_tokens=sum(j.tokens_now for j in members if not j.is_decoding),
            draft_steps=self.k if drafting else 0,
            context_tokens=sum(j.context for j in decoding),
            drafting_sequences=drafting,
        )

    def _deliver(self, job: Job, now: int) -> None:
        tokens = 1
        if job.is_decoding and job.tokens_now > 1:
            drawn = (job.draws.ahead or job.draws.refill(1)).pop()
            tokens += min(drawn, job.tokens_now - 1)
        elif not job.is_decoding:
            job.computed += job.tokens_now
            if job.computed < job.context:
                return
        tokens = min(tokens, job.request.output_tokens - job.produced)
        job.produced += tokens
        job.is_decoding = True
        self.told.setdefault(job.request.request_id, []).append((now, tokens))
        if job.produced == job.request.output_tokens:
            self.running.remove(job)
