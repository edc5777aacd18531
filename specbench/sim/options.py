"""Flags of the simulated engine, read once into a typed value. Everything that can be
wrong with them is an `InputError` that names the flag or key; an unknown flag is an
error, never ignored. Flags say milliseconds, values inside are in seconds."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specbench.errors import InputError
from specbench.sim.config import SimConfig, StepCost
from specbench.sim.dialect import Dialect
from specbench.sim.faults import FaultPlan
from specbench.sim.flags import flag_parser
from specbench.sim.output_length import OutputLength
from specbench.sim.stream_interval import StreamInterval

_MS_PER_S = 1000.0


@dataclass(frozen=True, slots=True)
class SimOptions:
    """A simulated engine and how it is served."""

    config: SimConfig
    host: str
    port: int
    """0 = any free one; the line that the server prints names it."""
    model_name: str
    seed: int
    output_length: OutputLength | None
    """Natural length of the outputs; None = until the request's limit."""
    truth_log: Path | None
    """A file, or a folder; None = nothing is written."""
    dialect: Dialect
    stream_interval: StreamInterval
    decode_log_interval: int
    """Decode steps between two updates of SGLang's gauges."""
    faults: FaultPlan


def parse_sim_flags(argv: Sequence[str]) -> SimOptions:
    """Options from flags (program name left out). Raises InputError."""
    flags = flag_parser().parse_args(argv)
    return SimOptions(
        config=_config(flags),
        host=flags.host,
        port=flags.port,
        model_name=flags.served_model_name,
        seed=flags.seed,
        output_length=_output_length(flags),
        truth_log=flags.truth_log,
        dialect=flags.dialect,
        stream_interval=flags.stream_interval,
        decode_log_interval=flags.decode_log_interval,
        faults=FaultPlan(tuple(flags.fault), flags.seed),
    )


def _config(flags: Namespace) -> SimConfig:
    return SimConfig(
        max_num_seqs=flags.max_num_seqs,
        max_model_len=flags.max_model_len,
        cost=StepCost(
            base_s=flags.step_base_ms / _MS_PER_S,
            per_sequence_s=flags.step_per_sequence_ms / _MS_PER_S,
            per_token_s=flags.step_per_token_ms / _MS_PER_S,
            prefill_per_token_s=flags.prefill_per_token_ms / _MS_PER_S,
            per_context_token_s=flags.step_per_context_token_ms / _MS_PER_S,
        ),
        speculation=flags.speculative_config,
        kv_capacity_tokens=flags.kv_capacity_tokens,
        block_size=flags.block_size,
        prefix_caching=flags.enable_prefix_caching,
        max_num_batched_tokens=flags.max_num_batched_tokens,
        ranks=flags.data_parallel_size,
    )


def _output_length(flags: Namespace) -> OutputLength | None:
    if flags.output_tokens is not None:
        return OutputLength(flags.output_tokens, flags.output_tokens_spread)
    if flags.output_tokens_spread:
        raise InputError(
            "sim: --output-tokens-spread is a share of --output-tokens, which is"
            " missing",
            hint="give the mean length as well, for example --output-tokens 200",
        )
    return None
