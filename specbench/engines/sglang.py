"""SGLang (`sglang serve`, or `python -m sglang.launch_server`). Flags, pages and log
lines are those of SGLang 0.5.23, read in its source, its `--help` and captures of a
server on a CPU.

Equal for all arms, because passed to all: `--max-running-requests` (left out, SGLang
sets it to 48 when it speculates, and to what fits when it does not),
`--cuda-graph-max-bs-decode` on a GPU (left out, it depends on the GPU's memory),
`--disable-radix-cache`, `--stream-interval`, `--decode-log-interval`. How many tokens
the KV cache holds is not equal unless the sweep gives `max-total-tokens`: a drafter's
weights and its own cache come out of the same memory. It is read back for each arm and
shown, and where only the arm queues, that is a result.

Its gauges are renewed each `--decode-log-interval` decode steps (40 by default), and
whenever a prompt is taken in, then without counting the newcomers. Here it is 8: a
gauge is at most eight steps old, and an update, reckoned (not measured) at 0.2 ms of
the scheduler, costs 0.03 ms a step."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from specbench.engines.causes import find_cause
from specbench.engines.contract import FactPages, LaunchCommand, LaunchRequest
from specbench.engines.flags import named_args, refuse_reserved
from specbench.engines.lossy import sglang_lossy_settings
from specbench.engines.methods import check_arm
from specbench.engines.sglang_facts import read_facts
from specbench.engines.sglang_flags import (
    ARM_FLAGS,
    ARM_PREFIX,
    DECODE_GRAPHS,
    GRAPHS_BY_PHASE,
    arm_flags,
    flags,
    phased,
)
from specbench.engines.sglang_methods import METHODS_OF_SGLANG
from specbench.engines.sglang_metrics import PREFIX, read_metrics
from specbench.engines.sglang_requests import read_request
from specbench.engines.vllm import STREAM_OPTIONS, cpu_ranges
from specbench.errors import InputError
from specbench.schema.drafting import RequestDrafts
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.schema.sweep import Scalar

_ARM = "speculation is what an arm is: write it under [[arms]], `speculative = {...}`"
_ADDRESS = "specbench sets the address, and asks over HTTP; target.port chooses a port"
_SECRET = "command lines are kept with the results, and keys are not passed on"

RESERVED = {
    "host": _ADDRESS,
    "port": _ADDRESS,
    "smg-grpc-mode": _ADDRESS,
    "grpc-mode": _ADDRESS,
    "ssl-keyfile": _ADDRESS,
    "ssl-certfile": _ADDRESS,
    "model-path": "use target.model",
    "served-model-name": "specbench names the model itself",
    "tp-size": "use target.tensor_parallel",
    "tensor-parallel-size": "use target.tensor_parallel",
    "device": "use target.device",
    "max-running-requests": "it is an admission cap: the plan takes it out of args and"
    " gives it to every arm",
    "enable-metrics": "specbench reads the metrics, and turns them on itself",
    "config": "a file could set any of the flags that specbench must know; write them"
    " into target.args",
    "trust-remote-code": "running a model's own code is not supported yet",
    "disaggregation-mode": "prefill and decode in servers of their own are not"
    " supported yet",
    "api-key": _SECRET,
    "admin-api-key": _SECRET,
    **dict.fromkeys(ARM_FLAGS, _ARM),
}
"""Flags that a sweep may not set, and what to do instead; those that begin with
`speculative-` are refused beside them."""

RADIX_OFF = "disable-radix-cache"
DECODE_LOG_INTERVAL = 8
"""Decode steps between two updates of the gauges."""
CPU_ENGINE = "SGLANG_USE_CPU_ENGINE"
PASSIVE_HEALTH = "SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION"
"""At 0 `/health` answers at once whether the server is up; else it generates a token,
which takes a second and disturbs a measurement."""
SPEC_DETAILS = "return_spec_tokens_details"
"""Key of a request (from August 2026 on; older releases ignore it)."""


class SglangAdapter:
    """Adapter for SGLang 0.5.23."""

    name = "sglang"
    package: str | None = "sglang"
    series_prefix = PREFIX
    health_path = "/health"
    version_path = "/get_server_info"
    """The page of settings as older releases call it."""
    info_path: str | None = "/server_info"
    models_path = "/v1/models"
    metrics_path = "/metrics"
    chat_path = "/v1/chat/completions"
    flush_path: str | None = "/flush_cache?timeout=10"
    """Empties the radix cache and the corpus of the n-gram drafter; waits so many
    seconds until nothing runs, and is refused after that."""
    counts_at_request_end = True
    methods = METHODS_OF_SGLANG.names

    def command(self, request: LaunchRequest) -> LaunchCommand:
        """The settings that make arms comparable come first, then the sweep's own."""
        target = request.target
        _refuse(target.args)
        _refuse_token_budget(request)
        by_phase = request.help_text is None or GRAPHS_BY_PHASE in request.help_text
        args = {
            phased(name, by_phase=by_phase): value
            for name, value in named_args(target.args).items()
        }
        on_cpu = target.device == "cpu"
        own: dict[str, Scalar] = {
            "model-path": target.model,
            "served-model-name": request.model_name,
            "host": request.host,
            "port": request.port,
            "tp-size": target.tensor_parallel,
            "max-running-requests": request.caps.max_num_seqs,
            "enable-metrics": True,
            "decode-log-interval": DECODE_LOG_INTERVAL,
            "stream-interval": 1,
            RADIX_OFF: True,
        }
        if on_cpu:
            own["device"] = "cpu"
        elif not DECODE_GRAPHS & args.keys():
            name = phased("cuda-graph-max-bs", by_phase=by_phase)
            own[name] = request.caps.max_num_seqs
        argv = [*_program(target.executable), *flags(own | args)]
        files: dict[str, str] = {}
        if request.speculative is not None:
            arm, files = arm_flags(request.speculative, request.folder)
            argv += arm
        return LaunchCommand(tuple(argv), _environment(request, on_cpu=on_cpu), files)

    def check_speculative(self, speculative: dict[str, Any]) -> None:
        """By the registry of its methods."""
        check_arm(METHODS_OF_SGLANG, speculative)

    def learns_from_traffic(self, speculative: Mapping[str, Any], /) -> bool:
        """The n-gram drafter keeps what all requests have said."""
        method = METHODS_OF_SGLANG.find(str(speculative.get("algorithm", "")).upper())
        return method is not None and method.learns is not None

    def lossy_settings(
        self, speculative: Mapping[str, Any], settings: Mapping[str, Scalar], /
    ) -> tuple[str, ...]:
        """Acceptance thresholds under 1, and forced acceptance."""
        return sglang_lossy_settings(speculative, settings)

    def request_extras(self) -> dict[str, Any]:
        """The running count in every chunk tells how many tokens a chunk holds; what
        became of the drafts comes in an event of its own at the end."""
        return {"stream_options": dict(STREAM_OPTIONS), SPEC_DETAILS: True}

    def read_facts(self, pages: FactPages) -> EngineFacts:
        """From the page of settings, and from the log for what it does not say."""
        return read_facts(self.name, pages)

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        """By exact names, summed over data-parallel ranks."""
        return read_metrics(text)

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        """From `sglext.spec_tokens_details`."""
        return read_request(figures)

    def find_cause(self, log: str) -> str:
        """By the general rules for Python programs."""
        return find_cause(log)


def _program(executable: str | None) -> tuple[str, ...]:
    """A Python is given its module, anything else is taken for the program `sglang`.
    Both start the same server; the first warns that the second is preferred."""
    program = executable or "sglang"
    if PurePath(program).name.startswith("python"):
        return (program, "-m", "sglang.launch_server")
    return (program, "serve")


def _refuse(args: Mapping[str, Scalar]) -> None:
    refuse_reserved(args, RESERVED)
    for key in args:
        if key.replace("_", "-").lstrip("-").startswith(ARM_PREFIX):
            raise InputError(f"target.args.{key} cannot be given", hint=_ARM)


def _refuse_token_budget(request: LaunchRequest) -> None:
    """The plan has taken the key out of the args."""
    if request.caps.max_num_batched_tokens is not None:
        raise InputError(
            "target.args.max-num-batched-tokens: SGLang has no such flag",
            hint="chunked-prefill-size is its budget for the prompts of one step",
        )


def _environment(request: LaunchRequest, *, on_cpu: bool) -> dict[str, str]:
    env = {PASSIVE_HEALTH: "0"}
    if on_cpu:
        env[CPU_ENGINE] = "1"
        binding = _thread_binding(request)
        if binding is not None:
            env["SGLANG_CPU_OMP_THREADS_BIND"] = binding
    return env | request.target.env


def _thread_binding(request: LaunchRequest) -> str | None:
    """A list of CPUs for each tensor-parallel rank, `|` between them, ranges allowed.
    None, so SGLang's own choice, where there are fewer CPUs than ranks."""
    cpus, ranks = request.engine_cpus, request.target.tensor_parallel
    size = len(cpus or ()) // ranks
    if cpus is None or size == 0:
        return None
    shares = [cpus[rank * size : (rank + 1) * size] for rank in range(ranks)]
    return "|".join(cpu_ranges(share) for share in shares)
