"""SGLang's command line: the few ways in which its flags differ from other engines',
and what an arm's `speculative` is in flags. Of SGLang 0.5.23, read in the output of
`python -m sglang.launch_server --help` and in `srt/arg_groups/fields/`."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from specbench.engines.flags import flag_name
from specbench.errors import InputError
from specbench.schema.sweep import Scalar

ARM_PREFIX = "speculative-"
ADAPTIVE = "adaptive"
ADAPTIVE_CONFIG = "adaptive-config"
ADAPTIVE_FILE = "speculative-adaptive.json"

ARM_FLAGS = (
    "enable-multi-layer-eagle",
    "uno-lora-path",
    "decoupled-spec-bind-endpoint",
    "decoupled-spec-connect-endpoints",
    "decoupled-spec-rank",
    "decoupled-spec-role",
    "spec-trace-dir",
)
"""Flags of speculation whose names do not begin with `speculative-`."""

NEGATABLE = frozenset(
    {
        "dcp-replicate-q-proj",
        "dllm-fdfo",
        "enable-decoder-swa-bounded-replay",
        "enable-dsa-fused-indexer",
        "enable-fused-qk-norm-rope",
        "enable-tf32-matmul",
        "enable-tp-lm-head-all-to-all",
        "experts-shared-outer-loras",
        "lora-strict-loading",
        "mm-enable-dp-encoder",
        "ple-offload-embedding",
        "speculative-enable-w4a4-mxfp4-megamoe",
    }
)
"""Switches that have a `--no-` form; the others are off by being left out."""

LISTS = frozenset(
    {
        "bucket-e2e-request-latency",
        "bucket-inter-token-latency",
        "bucket-time-to-first-token",
        "cuda-graph-bs",
        "cuda-graph-bs-decode",
        "cuda-graph-bs-prefill",
    }
)
"""Flags that take several words; a sweep writes them in one string."""

GRAPHS_BY_PHASE = "--cuda-graph-max-bs-decode"
"""Versions that have this flag have no `--cuda-graph-max-bs` any more: argparse takes
the old name for the beginning of two, and ends with code 2. Older versions have only
the old one."""
_PHASE = "-decode"
_PHASED = ("cuda-graph-max-bs", "cuda-graph-bs")

DECODE_GRAPHS = frozenset(
    {
        *_PHASED,
        *(name + _PHASE for name in _PHASED),
        "cuda-graph-backend-decode",
        "cuda-graph-config",
        "disable-cuda-graph",
        "disable-decode-cuda-graph",
    }
)
"""Flags by which a sweep says itself which decode steps run as graphs."""


def phased(name: str, *, by_phase: bool) -> str:
    """A flag of the decode graphs as the version spells it."""
    plain = name.removesuffix(_PHASE)
    if plain not in _PHASED:
        return name
    return plain + _PHASE if by_phase else plain


def flags(args: Mapping[str, Scalar | Sequence[Any]]) -> tuple[str, ...]:
    """argv of flags whose names are settled."""
    argv: list[str] = []
    for name, value in args.items():
        if isinstance(value, bool):
            if value:
                argv.append(f"--{name}")
            elif name in NEGATABLE:
                argv.append(f"--no-{name}")
        elif isinstance(value, str | int | float):
            argv += _valued(name, str(value))
        else:
            argv += [f"--{name}", *(str(one) for one in value)]
    return tuple(argv)


def _valued(name: str, text: str) -> list[str]:
    if name in LISTS:
        return [f"--{name}", *text.replace(",", " ").split()]
    # on its own, argparse would take the value for a flag
    return [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]


def arm_flag(key: str) -> str:
    """The flag of a key of `speculative`, without its dashes."""
    name = flag_name(key)
    return name if name in ARM_FLAGS else ARM_PREFIX + name.removeprefix(ARM_PREFIX)


def arm_flags(
    speculative: Mapping[str, Any], folder: str
) -> tuple[tuple[str, ...], dict[str, str]]:
    """argv of an arm, and files for the launch's folder. The table `adaptive_config`
    becomes a file there, and turns the adaptive mode on; a null is the engine's own
    default. Raises InputError naming a key whose value no flag can carry."""
    named = {flag_name(key).removeprefix(ARM_PREFIX): key for key in speculative}
    args: dict[str, Scalar | Sequence[Any]] = {}
    files: dict[str, str] = {}
    for name in sorted(named, key=lambda name: (name != "algorithm", name)):
        value = speculative[named[name]]
        if value is None:
            continue
        if name == ADAPTIVE_CONFIG:
            args[arm_flag(ADAPTIVE)] = True
            if isinstance(value, Mapping):
                files[ADAPTIVE_FILE] = _json(value)
                value = f"{folder}/{ADAPTIVE_FILE}"
        if not _is_flag_value(value):
            raise InputError(
                f"speculative.{named[name]}: expected a word, a number, true or false,"
                f" or a list of these, got {value!r}"
            )
        args[arm_flag(name)] = value
    return flags(args), files


def _is_flag_value(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(one, str | int | float) for one in value)
    return isinstance(value, str | int | float)


def _json(value: Mapping[str, Any]) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"
