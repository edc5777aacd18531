"""Flags of the simulated engine, read once into a typed value. Everything that can be
wrong with them is an `InputError` that names the flag or key; an unknown flag is an
error, never ignored. Flags say milliseconds, values inside are in seconds."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import orjson

from specbench.errors import InputError
from specbench.sim.config import SimConfig, SimSpeculation, StepCost

MS_PER_S = 1000.0

_HINT = "`specbench sim serve --help` lists the flags"
_SPECULATIVE_KEYS = ("method", "num_speculative_tokens", "acceptance", "draft_ms")


@dataclass(frozen=True, slots=True)
class SimOptions:
    """A simulated engine and how it is served."""

    config: SimConfig
    host: str
    port: int
    """0 = any free one; the line that the server prints names it."""
    model_name: str
    seed: int
    output_tokens: int | None
    """Natural length of every output; None = until the request's limit."""
    truth_log: Path | None
    """Where the send instant of every chunk is written; None = nowhere."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Argparse would print and exit; here the command line decides that."""
        raise InputError(f"sim: {message}", hint=_HINT)


def parse_sim_flags(argv: Sequence[str]) -> SimOptions:
    """Options from flags (program name left out). Raises InputError."""
    flags = _parser().parse_args(argv)
    return SimOptions(
        config=SimConfig(
            max_num_seqs=flags.max_num_seqs,
            max_model_len=flags.max_model_len,
            cost=StepCost(
                base_s=flags.step_base_ms / MS_PER_S,
                per_sequence_s=flags.step_per_sequence_ms / MS_PER_S,
                per_token_s=flags.step_per_token_ms / MS_PER_S,
                prefill_per_token_s=flags.prefill_per_token_ms / MS_PER_S,
            ),
            speculation=(
                None
                if flags.speculative_config is None
                else read_speculation(flags.speculative_config)
            ),
        ),
        host=flags.host,
        port=flags.port,
        model_name=flags.served_model_name,
        seed=flags.seed,
        output_tokens=flags.output_tokens,
        truth_log=flags.truth_log,
    )


def read_speculation(text: str) -> SimSpeculation:
    """The JSON of --speculative-config, checked. Raises InputError naming the key."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _bad_speculation(f"not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise _bad_speculation("expected a JSON object")
    unknown = sorted(set(document) - set(_SPECULATIVE_KEYS))
    if unknown:
        raise _bad_speculation(
            f"unknown key `{unknown[0]}`; known: {', '.join(_SPECULATIVE_KEYS)}"
        )
    if document.get("method") != "sim":
        raise _bad_speculation(
            f'`method` must be "sim", got {document.get("method")!r}'
        )
    k = document.get("num_speculative_tokens")
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise _bad_speculation(
            f"`num_speculative_tokens` must be an integer of at least 1, got {k!r}"
        )
    draft_ms = document.get("draft_ms", 0.0)
    if not _is_number(draft_ms) or draft_ms < 0:
        raise _bad_speculation(
            f"`draft_ms` must be a number of at least 0, got {draft_ms!r}"
        )
    return SimSpeculation(
        num_speculative_tokens=k,
        acceptance=_read_acceptance(document.get("acceptance"), k),
        draft_step_s=draft_ms / MS_PER_S,
    )


def _read_acceptance(value: object, k: int) -> tuple[float, ...]:
    if (
        not isinstance(value, list)
        or not value
        or not all(_is_number(rate) and 0 <= rate <= 1 for rate in value)
    ):
        raise _bad_speculation(
            "`acceptance` must be a list of conditional rates in 0..1, one a"
            f" position, got {value!r}"
        )
    if len(value) == 1:
        return (float(value[0]),) * k
    if len(value) != k:
        raise _bad_speculation(
            f"`acceptance` has {len(value)} rates for {k} speculative tokens; give"
            " one for each position, or a single one for all"
        )
    return tuple(float(rate) for rate in value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bad_speculation(what: str) -> InputError:
    return InputError(
        f"sim: --speculative-config: {what}",
        hint='for example {"method": "sim", "num_speculative_tokens": 3,'
        ' "acceptance": [0.8, 0.7, 0.6], "draft_ms": 1.0}',
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="specbench sim serve",
        description="An engine with programmed truth behind the OpenAI streaming API.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on")
    add("--port", type=_port, default=8000, help="0 = any free port")
    add("--served-model-name", default="sim", help="model name in the API")
    add("--max-num-seqs", type=_count, default=256, help="sequences that run at once")
    add("--max-model-len", type=_count, default=32768, help="prompt + output tokens")
    add("--speculative-config", metavar="JSON", help="drafter; absent = baseline")
    add("--step-base-ms", type=_ms, default=10.0, help="cost of a step")
    add("--step-per-sequence-ms", type=_ms, default=0.05, help="per running sequence")
    add("--step-per-token-ms", type=_ms, default=0.2, help="per verified token")
    add("--prefill-per-token-ms", type=_ms, default=0.02, help="per prompt token")
    add("--seed", type=int, default=0, help="of the acceptance draws")
    add("--output-tokens", type=_count, metavar="N", help="natural output length")
    add("--truth-log", type=Path, metavar="FILE", help="JSON line for each request")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"must be in 0..65535, got {text}")
    return value


def _ms(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0 (ms), got {text}")
    return value
