"""The flags of `specbench sim serve` as argparse declares them, in groups, and the
checks of single values. Flags say milliseconds."""

import argparse
import math
from pathlib import Path
from typing import NoReturn

from specbench.errors import InputError
from specbench.sim.dialect import Dialect
from specbench.sim.fault_flags import read_faults
from specbench.sim.faults import Fault
from specbench.sim.speculative_flag import read_speculation
from specbench.sim.stream_interval import StreamInterval

_HINT = "`specbench sim serve --help` lists the flags"
_EPILOG = """example:
  specbench sim serve --port 8000 --max-num-seqs 64 --output-tokens 200 \\
    --output-tokens-spread 0.3 --speculative-config '{"method": "sim",
    "num_speculative_tokens": 3, "acceptance": [0.8, 0.7, 0.6], "draft_ms": 1.0}'
  specbench measure http://127.0.0.1:8000 --engine sim --concurrency 8

A step costs
  base + per-sequence * running + per-token * verified + per-context-token * context
  + prefill-per-token * prompt tokens computed
  + k * (draft_ms + draft_per_sequence_ms * decoding sequences)

docs/sim.md explains everything: faults and the format of the truth log too."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Argparse would print and exit; here the command line decides that."""
        raise InputError(f"sim: {message}", hint=_HINT)


def flag_parser() -> argparse.ArgumentParser:
    """Parses argv without the program's name; raises InputError."""
    parser = _Parser(
        prog="specbench sim serve",
        description="An engine with programmed truth behind the OpenAI streaming API.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_server(parser)
    _add_engine(parser)
    _add_cost(parser)
    _add_output(parser)
    _add_test_aids(parser)
    return parser


def _add_server(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("server").add_argument
    add("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    add("--port", type=_port, default=8000, help="0 = any free port (%(default)s)")
    add(
        "--served-model-name",
        default="sim",
        metavar="NAME",
        help="model name in the API (%(default)s)",
    )
    add(
        "--dialect",
        type=Dialect,
        choices=list(Dialect),
        default=Dialect.VLLM,
        help="whose streams, pages and metrics it imitates (%(default)s)",
    )
    add(
        "--stream-interval",
        type=_stream_interval,
        default=StreamInterval(),
        metavar="N|random",
        help="tokens that a chunk waits for, as the engines' flag: the first at once,"
        " then at least N (1), or 1 to 4 drawn for each chunk",
    )
    add(
        "--decode-log-interval",
        type=_count,
        default=40,
        metavar="STEPS",
        help="sglang: decode steps between two updates of its gauges (%(default)s)",
    )


def _add_engine(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("engine").add_argument
    add(
        "--max-num-seqs",
        type=_count,
        default=256,
        metavar="N",
        help="sequences that run at once, of each rank (%(default)s)",
    )
    add(
        "--max-model-len",
        type=_count,
        default=32768,
        metavar="TOKENS",
        help="prompt and output of a request (%(default)s)",
    )
    add(
        "--max-num-batched-tokens",
        type=_count,
        metavar="TOKENS",
        help="prompt and verified tokens of a step; longer prompts come in chunks"
        " (no limit)",
    )
    add(
        "--kv-capacity-tokens",
        type=_count,
        metavar="TOKENS",
        help="KV cache of each rank; full = requests wait or are preempted"
        " (the longest request in every slot)",
    )
    add(
        "--block-size",
        type=_count,
        default=16,
        metavar="TOKENS",
        help="of a KV block (%(default)s)",
    )
    add(
        "--enable-prefix-caching",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="keep blocks of prompts and find them again (off)",
    )
    add(
        "--data-parallel-size",
        type=_count,
        default=1,
        metavar="RANKS",
        help="copies of the engine behind one port (%(default)s)",
    )
    add(
        "--speculative-config",
        type=read_speculation,
        metavar="JSON",
        help="the drafter; absent = baseline. Keys: method (sim),"
        " num_speculative_tokens, acceptance (conditional rate by position, or one"
        " for all), draft_ms, draft_per_sequence_ms",
    )
    add(
        "--seed",
        type=int,
        default=0,
        help="of acceptance, random chunks and faults (%(default)s)",
    )


def _add_cost(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("cost of a step, in milliseconds").add_argument
    for flag, default, what in (
        ("--step-base-ms", 10.0, "once a step"),
        ("--step-per-sequence-ms", 0.05, "each running sequence"),
        ("--step-per-token-ms", 0.2, "each verified token"),
        ("--step-per-context-token-ms", 0.0, "each token of context that is read"),
        ("--prefill-per-token-ms", 0.02, "each prompt token that is computed"),
    ):
        add(flag, type=_ms, default=default, metavar="MS", help=f"{what} (%(default)s)")


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("outputs").add_argument
    add(
        "--output-tokens",
        type=_count,
        metavar="N",
        help="natural length, of all or in the mean (until the request's limit)",
    )
    add(
        "--output-tokens-spread",
        type=_spread,
        default=0.0,
        metavar="SHARE",
        help="standard deviation of the length over prompts, as a share of the mean"
        " (%(default)s)",
    )


def _add_test_aids(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("for tests of a client").add_argument
    add(
        "--fault",
        type=_faults,
        action="extend",
        default=[],
        metavar="JSON",
        help='something that goes wrong, e.g. {"kind": "cut", "request": 3,'
        ' "after_tokens": 20}; may be given again, or be a list',
    )
    add(
        "--truth-log",
        type=Path,
        metavar="PATH",
        help="JSON lines of what really happened; in a folder: <pid>.jsonl",
    )


def _faults(text: str) -> tuple[Fault, ...]:
    return read_faults(text)


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


def _spread(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 2:
        raise argparse.ArgumentTypeError(f"must be in 0..2, got {text}")
    return value


def _stream_interval(text: str) -> StreamInterval:
    if text == "random":
        return StreamInterval(None)
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, or random, got {text}")
    return StreamInterval(int(text))
