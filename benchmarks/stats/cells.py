"""One cell of a simulated engine, as the product sees it: closed loop in virtual time,
summarised by the product's own analysis; and the same cell of an engine that is slower
by a factor, without simulating it again."""

from dataclasses import dataclass, replace
from itertools import accumulate
from operator import mul

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.request_drafts import read_drafts
from specbench.engines.vllm_requests import read_request
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats, Distribution
from specbench.sim.config import SimConfig, StepLoad, slowed, step_seconds
from specbench.sim.output_length import OutputLength
from specbench.sim.virtual_load import VirtualLoad, VirtualPrompt, simulate_cell

PROMPT_TOKENS, MAX_TOKENS = 64, 2048
OUTPUTS = OutputLength(mean=128, spread=0.3)


@dataclass(frozen=True)
class CellSize:
    """Measured requests of a cell; as many as slots warm up before them."""

    at_least: int
    per_slot: int

    def requests(self, load: int) -> int:
        """At one load."""
        return max(self.at_least, self.per_slot * load)


@dataclass(frozen=True)
class CellName:
    """What a cell is, before anything slows it."""

    config: SimConfig
    load: int
    seed: int
    """Names the prompts, their lengths, and what becomes of the drafts."""
    size: CellSize


def simulate(cell: CellName, slower: float = 1.0) -> CellStats:
    """The whole way: every request on the simulated engine, then the summary."""
    config = slowed(cell.config, slower)
    prompts = tuple(
        VirtualPrompt(key, PROMPT_TOKENS, OUTPUTS.of(key))
        for number in range(cell.load + cell.size.requests(cell.load))
        for key in (f"{cell.seed}/{number}",)
    )
    load = VirtualLoad(
        concurrency=cell.load,
        warmup=prompts[: cell.load],
        measured=prompts[cell.load :],
        max_tokens=MAX_TOKENS,
        request_s=_request_s(config, cell.load),
        seed=cell.seed,
    )
    seen = simulate_cell(config, load)
    return summarise_cell(
        CellObservations(
            key=CellKey(Condition("sim", "virtual", 0, 0.0, cell.load), "arm", 1),
            samples=seen.samples,
            readings=seen.readings,
            client=seen.client,
            expects_speculation=config.speculation is not None,
            drafts=read_drafts(seen.samples, read_request),
        )
    )


def _request_s(config: SimConfig, load: int) -> float:
    """About how long a request takes; the slots' starts are spread over that."""
    drafter = config.speculation
    k = drafter.num_speculative_tokens if drafter else 0
    step = StepLoad(load, load * (k + 1), 0, k, 0, load if k else 0)
    tokens = 1 + sum(accumulate(drafter.acceptance, mul)) if drafter else 1
    return OUTPUTS.mean / tokens * step_seconds(config, step)


def rescaled(cell: CellStats, slower: float, arm: str, replicate: int) -> CellStats:
    """The cell as an engine gives it whose every step costs `slower` times as much:
    what happens is the same, each time is that much longer. Only what a comparison
    reads is scaled; `agreement` holds it against the simulation."""
    tpot_by_token, throughput = cell.mean_tpot_by_token, cell.output_throughput
    return replace(
        cell,
        key=CellKey(cell.key.condition, arm, replicate),
        output_throughput=None if throughput is None else throughput / slower,
        tpot=_longer(cell.tpot, slower),
        mean_tpot_by_token=None if tpot_by_token is None else tpot_by_token * slower,
    )


def _longer(times: Distribution | None, slower: float) -> Distribution | None:
    if times is None:
        return None
    return Distribution(
        n=times.n,
        mean=times.mean * slower,
        p50=times.p50 * slower,
        p90=times.p90 * slower,
        p95=times.p95 * slower,
        p99=times.p99 * slower,
    )
