"""vLLM (`vllm serve`). Flags, method names and log lines are those of vLLM 0.32.0, read
in its source, its `vllm serve --help=all` and captures of its CPU build.

Equal for all arms, because passed to all: `--max-num-seqs`, `--max-num-batched-tokens`
where there is one, prefix caching off. What 0.32.0 changes by itself when it
speculates, and what therefore stands in `EngineFacts.notes`: asynchronous scheduling
goes off for n-gram, suffix and Medusa, full CUDA graphs become piecewise ones for draft
lengths by batch size on its V1 runner, and a small `--max-num-batched-tokens` draws the
warning `max_num_scheduled_tokens is set to ...` (config/vllm.py; in this version the
two numbers are equal unless a flag sets the second, so the line takes nothing away)."""

from collections.abc import Mapping
from typing import Any

import orjson

from specbench.engines.arm_keys import named_keys
from specbench.engines.causes import find_cause
from specbench.engines.contract import FactPages, LaunchCommand, LaunchRequest
from specbench.engines.flags import flags, named_args, refuse_reserved
from specbench.engines.lossy import vllm_lossy_settings
from specbench.engines.methods import check_arm
from specbench.engines.vllm_arm_rules import is_learning
from specbench.engines.vllm_facts import read_facts
from specbench.engines.vllm_methods import METHODS_OF_VLLM
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.engines.vllm_requests import read_request
from specbench.errors import InputError
from specbench.schema.drafting import RequestDrafts
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.schema.sweep import Scalar

METHODS: tuple[str, ...] = METHODS_OF_VLLM.names
"""All that an arm may name."""

_ARM = "speculation is what an arm is: write it under [[arms]], `speculative = {...}`"
_ADDRESS = "specbench sets the address, and asks over HTTP; target.port chooses a port"
_SECRET = "command lines are kept with the results; set it in the environment instead"

RESERVED = {
    "host": _ADDRESS,
    "port": _ADDRESS,
    "uds": _ADDRESS,
    "grpc": _ADDRESS,
    "headless": _ADDRESS,
    "model": "use target.model",
    "served-model-name": "specbench names the model itself",
    "tensor-parallel-size": "use target.tensor_parallel",
    "speculative-config": _ARM,
    "spec-method": _ARM,
    "spec-model": _ARM,
    "spec-tokens": _ARM,
    "max-num-seqs": "it is an admission cap: the plan takes it out of args and gives it"
    " to every arm",
    "config": "a file could set any of the flags that specbench must know; write them"
    " into target.args",
    "disable-log-stats": "specbench reads the metrics that it switches off",
    "trust-remote-code": "running a model's own code is not supported yet",
    "api-key": _SECRET,
    "hf-token": _SECRET,
}
"""Flags of `vllm serve` that a sweep may not set, and what to do instead."""

PREFIX_CACHING = "enable-prefix-caching"
BATCHED_TOKENS = "max-num-batched-tokens"
REQUEST_METRICS = "per-request-spec-decode-metrics"

STREAM_OPTIONS = {"include_usage": True, "continuous_usage_stats": True}
"""Usage in every chunk and on an event of its own at the end."""


class VllmAdapter:
    """Adapter for vLLM 0.32.0."""

    name = "vllm"
    package: str | None = "vllm"
    series_prefix = PREFIX
    health_path = "/health"
    version_path = "/version"
    info_path: str | None = None
    models_path = "/v1/models"
    metrics_path = "/metrics"
    chat_path = "/v1/chat/completions"
    flush_path: str | None = None
    """Prefix caching is off unless a sweep wants it, and a drafter that would learn is
    refused."""
    counts_at_request_end = False
    methods = METHODS

    def command(self, request: LaunchRequest) -> LaunchCommand:
        """The settings that make arms comparable come first, then the sweep's own."""
        target = request.target
        refuse_reserved(target.args, RESERVED)
        args = named_args(target.args)
        detail = args.pop(REQUEST_METRICS, "summary")
        argv = [
            target.executable or "vllm",
            "serve",
            target.model,
            *("--host", request.host),
            *("--port", str(request.port)),
            *("--served-model-name", request.model_name),
            *("--max-num-seqs", str(request.caps.max_num_seqs)),
            *_batched_tokens(request, args),
        ]
        if not {PREFIX_CACHING, f"no-{PREFIX_CACHING}"} & args.keys():
            argv.append(f"--no-{PREFIX_CACHING}")
        if _has_request_metrics(request):
            argv += [f"--{REQUEST_METRICS}", str(detail)]
        if target.tensor_parallel > 1:
            argv += ["--tensor-parallel-size", str(target.tensor_parallel)]
        argv += flags(args)
        if request.speculative is not None:
            argv += ["--speculative-config", orjson.dumps(request.speculative).decode()]
        return LaunchCommand(tuple(argv), _environment(request, args))

    def check_speculative(self, speculative: dict[str, Any]) -> None:
        """vLLM takes the method from the draft model where none is given."""
        check_arm(METHODS_OF_VLLM, speculative)

    def learns_from_traffic(self, speculative: Mapping[str, Any], /) -> bool:
        """Suffix decoding does, unless its cache of answers is off; `check_speculative`
        refuses it so."""
        return is_learning(named_keys(speculative))

    def lossy_settings(
        self, speculative: Mapping[str, Any], _settings: Mapping[str, Scalar], /
    ) -> tuple[str, ...]:
        """By `rejection_sample_method`."""
        return vllm_lossy_settings(speculative)

    def request_extras(self) -> dict[str, Any]:
        """The running count in every chunk tells how many tokens a chunk holds."""
        return {"stream_options": dict(STREAM_OPTIONS)}

    def read_facts(self, pages: FactPages) -> EngineFacts:
        """From the pages, and from the log for what they do not say."""
        return read_facts(self.name, pages)

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        """By exact names, summed over engines."""
        return read_metrics(text)

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        """From `metrics.speculative_decoding`."""
        return read_request(figures)

    def find_cause(self, log: str) -> str:
        """By the general rules for Python programs."""
        return find_cause(log)


def _batched_tokens(request: LaunchRequest, args: dict[str, Scalar]) -> tuple[str, ...]:
    cap = request.caps.max_num_batched_tokens
    if cap is None:
        return ()
    if BATCHED_TOKENS in args:
        raise InputError(
            f"target.args.{BATCHED_TOKENS} cannot be given",
            hint=f"the plan has set this admission cap to {cap} for every arm",
        )
    return (f"--{BATCHED_TOKENS}", str(cap))


def _has_request_metrics(request: LaunchRequest) -> bool:
    """vLLM 0.32.0 refuses to start with this flag where nothing speculates
    (config/vllm.py: "requires speculative decoding to be enabled")."""
    if request.speculative is None:
        return False
    return request.help_text is None or f"--{REQUEST_METRICS}" in request.help_text


def _environment(request: LaunchRequest, args: dict[str, Scalar]) -> dict[str, str]:
    env = {"VLLM_NO_USAGE_STATS": "1"}
    binding = _thread_binding(request, args)
    if binding is not None:
        env["VLLM_CPU_OMP_THREADS_BIND"] = binding
    return env | request.target.env


def _thread_binding(request: LaunchRequest, args: dict[str, Scalar]) -> str | None:
    """A list of CPUs for each rank, `|` between them, ranges allowed
    (utils/ompmultiprocessing.py, 0.32.0; only its CPU platform reads it). None, so
    vLLM's own choice, where there are fewer CPUs than ranks."""
    cpus = request.engine_cpus
    if cpus is None:
        return None
    ranks = request.target.tensor_parallel
    for flag in ("pipeline-parallel-size", "data-parallel-size"):
        given = args.get(flag, 1)
        if not isinstance(given, int):
            return None
        ranks *= given
    size = len(cpus) // ranks
    if size == 0:
        return None
    shares = [cpus[rank * size : (rank + 1) * size] for rank in range(ranks)]
    return "|".join(cpu_ranges(share) for share in shares)


def cpu_ranges(cpus: tuple[int, ...]) -> str:
    """`(0, 1, 2, 5)` -> `0-2,5`."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs
    )
