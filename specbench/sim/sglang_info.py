"""SGLang's pages about itself (0.5.23), as far as a benchmark reads them. Pure."""

from collections.abc import Sequence
from typing import Any

from specbench import __version__
from specbench.sim.config import kv_capacity_blocks
from specbench.sim.engine_view import EngineView
from specbench.sim.options import SimOptions
from specbench.sim.sglang_gauges import SglangGauges

Document = dict[str, Any]
Ranks = Sequence[tuple[EngineView, SglangGauges]]


def models(options: SimOptions, created_unix: int) -> Document:
    """`/v1/models`."""
    model = {
        "id": options.model_name,
        "object": "model",
        "created": created_unix,
        "owned_by": "sglang",
        "root": options.model_name,
        "parent": None,
        "max_model_len": options.config.max_model_len,
    }
    return {"object": "list", "data": [model]}


def model_info(options: SimOptions) -> Document:
    """`/model_info` and `/get_model_info`."""
    return {
        "model_path": options.model_name,
        "served_model_name": options.model_name,
        "tokenizer_path": options.model_name,
        "is_generation": True,
        "weight_version": "default",
        "load_format": "auto",
        "model_type": "sim",
        "architectures": ["Simulated"],
    }


def server_arguments(options: SimOptions) -> Document:
    """The resolved arguments, under SGLang's names. A drafter is a chain, so it
    verifies k + 1 tokens; `max_running_requests` is over all ranks."""
    config = options.config
    k = config.speculation.num_speculative_tokens if config.speculation else None
    return {
        "model_path": options.model_name,
        "served_model_name": options.model_name,
        "context_length": config.max_model_len,
        "max_running_requests": config.max_num_seqs * config.ranks,
        "max_total_tokens": config.kv_capacity_tokens,
        "chunked_prefill_size": config.max_num_batched_tokens or -1,
        "page_size": config.block_size,
        "disable_radix_cache": not config.prefix_caching,
        "tp_size": 1,
        "dp_size": config.ranks,
        "stream_interval": options.stream_interval.tokens or 1,
        "decode_log_interval": options.decode_log_interval,
        "speculative_algorithm": "STANDALONE" if k else None,
        "speculative_num_steps": k,
        "speculative_eagle_topk": 1 if k else None,
        "speculative_num_draft_tokens": k + 1 if k else None,
        "speculative_adaptive": False,
        "disable_overlap_schedule": True,
        "speculative_accept_threshold_single": 1.0,
        "speculative_accept_threshold_acc": 1.0,
    }


def server_info(options: SimOptions, ranks: Ranks) -> Document:
    """`/server_info` and `/get_server_info`."""
    arguments = server_arguments(options)
    return {
        **arguments,
        "launch_command": f"--model-path {options.model_name}",
        "status": "ready",
        "max_total_num_tokens": _capacity(options),
        "max_req_input_len": options.config.max_model_len - 6,
        "internal_states": [
            _internal_state(options, arguments, gauges) for _, gauges in ranks
        ],
        "version": __version__,
        "frontend": "python",
    }


def _internal_state(
    options: SimOptions, arguments: Document, gauges: SglangGauges
) -> Document:
    state = {
        **arguments,
        "effective_max_running_requests_per_dp": options.config.max_num_seqs,
        "last_gen_throughput": gauges.gen_throughput,
        "memory_usage": {"token_capacity": _capacity(options)},
        "decode_cuda_graph_bs": [],
    }
    average = gauges.average_accept_length
    if average is not None:
        # Only once a whole interval has passed, and only with speculation.
        state["avg_spec_accept_length"] = average
    return state


def loads(options: SimOptions, ranks: Ranks) -> Document:
    """`/v1/loads`."""
    capacity = _capacity(options)
    return {
        "version": __version__,
        "loads": [
            {
                "dp_rank": engine.rank,
                "num_running_reqs": engine.running,
                "num_waiting_reqs": engine.waiting,
                "num_used_tokens": round(engine.kv_usage * capacity),
                "max_total_num_tokens": capacity,
                "max_running_requests": options.config.max_num_seqs,
                "token_usage": engine.kv_usage,
                "gen_throughput": gauges.gen_throughput,
            }
            for engine, gauges in ranks
        ],
    }


def _capacity(options: SimOptions) -> int:
    """KV tokens of one rank."""
    return kv_capacity_blocks(options.config) * options.config.block_size
