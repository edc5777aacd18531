"""Cells in virtual time, and what the analysis makes of them."""

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.request_drafts import read_drafts
from specbench.engines.vllm_requests import read_request
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats
from specbench.sim.config import SimConfig, SimSpeculation, StepCost
from specbench.sim.virtual_load import (
    VirtualCell,
    VirtualLoad,
    VirtualPrompt,
    simulate_cell,
)


def engine(
    speculation: SimSpeculation | None = None,
    max_num_seqs: int = 256,
    prefill_per_token_s: float = 0.0,
) -> SimConfig:
    """A step costs 10 ms, 0.1 ms a sequence, 0.2 ms a verified token."""
    return SimConfig(
        max_num_seqs=max_num_seqs,
        max_model_len=8192,
        cost=StepCost(0.010, 0.0001, 0.0002, prefill_per_token_s),
        speculation=speculation,
    )


def prompts(count: int, output: int, spread: int = 0) -> tuple[VirtualPrompt, ...]:
    """Outputs between output - spread and output + spread, evenly."""
    return tuple(
        VirtualPrompt(
            prompt_id=f"q{i}/1",
            prompt_tokens=20 + i % 30,
            output_tokens=output + (i * 37 % (2 * spread + 1)) - spread,
        )
        for i in range(count)
    )


def run_cell(
    config: SimConfig,
    concurrency: int,
    asked: tuple[VirtualPrompt, ...],
    request_s: float = 0.0,
    seed: int = 0,
) -> VirtualCell:
    """The first request of each slot warms up."""
    load = VirtualLoad(
        concurrency=concurrency,
        warmup=asked[:concurrency],
        measured=asked[concurrency:],
        max_tokens=4096,
        request_s=request_s,
        seed=seed,
    )
    return simulate_cell(config, load)


def summarise(cell: VirtualCell, concurrency: int) -> CellStats:
    """As a real cell would be."""
    condition = Condition("sim", "virtual", 0, 0.0, concurrency)
    return summarise_cell(
        CellObservations(
            key=CellKey(condition, "arm", 1),
            samples=cell.samples,
            readings=cell.readings,
            client=cell.client,
            expects_speculation=cell.engine.config.speculation is not None,
            drafts=read_drafts(cell.samples, read_request),
        )
    )
