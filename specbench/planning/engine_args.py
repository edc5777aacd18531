"""Reads what `target.args` says about a few options that specbench must know: engines
take an option's name with `-` or `_` (vLLM 0.32.0, `vllm/utils/argparse_utils.py`),
and some numbers in short forms such as 4k."""

import re
from collections.abc import Mapping

from specbench.schema.sweep import Scalar

MAX_NUM_SEQS = "max-num-seqs"
MAX_RUNNING_REQUESTS = "max-running-requests"
CAP_ON_SEQUENCES = (MAX_NUM_SEQS, MAX_RUNNING_REQUESTS)
"""One cap, as vLLM calls it and as SGLang does; for either engine a sweep may write
either."""
MAX_NUM_BATCHED_TOKENS = "max-num-batched-tokens"
MAX_MODEL_LEN = "max-model-len"
CONTEXT_LENGTH = "context-length"
LENGTH_LIMIT = (MAX_MODEL_LEN, CONTEXT_LENGTH)
"""Of vLLM and of SGLang."""
MAX_NUM_ACTIVE_SEQS = "max-num-active-seqs"

# vLLM 0.32.0, human_readable_int: small letters are decimal and allow a fraction,
# capital letters are binary.
_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def plain_name(option: str) -> str:
    """One spelling for each option, without leading dashes."""
    return option.lstrip("-").replace("_", "-")


def find_option(args: Mapping[str, Scalar], option: str) -> str | None:
    """The key under which `option` (plain) stands in args, however it is spelled."""
    return next((key for key in args if plain_name(key) == option), None)


def without_options(
    args: Mapping[str, Scalar], options: tuple[str, ...]
) -> dict[str, Scalar]:
    """args less the given options (plain)."""
    return {k: v for k, v in args.items() if plain_name(k) not in options}


def whole_number(value: Scalar) -> int | None:
    """The integer that the engine would read; None where it is not one."""
    if isinstance(value, bool | float):
        return None
    if isinstance(value, int):
        return value
    text = value.strip()
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    if match := re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)([kmgt])", text):
        return int(float(match[1]) * _DECIMAL[match[2]])
    if match := re.fullmatch(r"([0-9]{1,12})([KMGT])", text):
        return int(match[1]) * _BINARY[match[2]]
    return None


def read_option(args: Mapping[str, Scalar], option: str) -> int | None:
    """The option's whole number; None where it is absent or not a number."""
    key = find_option(args, option)
    return None if key is None else whole_number(args[key])


def read_first(args: Mapping[str, Scalar], options: tuple[str, ...]) -> int | None:
    """As `read_option`, of an option with several names."""
    numbers = (read_option(args, option) for option in options)
    return next((number for number in numbers if number is not None), None)
