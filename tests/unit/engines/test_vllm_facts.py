"""What a running vLLM says of itself. Pages are made here; real ones are in
tests/contract."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.contract import FactPages
from specbench.engines.vllm_facts import read_facts
from specbench.schema.record import EngineFacts

NOTHING = EngineFacts(
    engine="vllm",
    version=None,
    model_id=None,
    max_model_len=None,
    kv_capacity_tokens=None,
    kv_max_concurrency=None,
    max_num_seqs=None,
    max_num_batched_tokens=None,
    prefix_caching=None,
)


def facts(
    version: str | None = None,
    models: str | None = None,
    metrics: str | None = None,
    log: str = "",
) -> EngineFacts:
    return read_facts("vllm", FactPages(version, models, metrics, log))


def line(message: str, process: str = "EngineCore pid=7", level: str = "INFO") -> str:
    return f"({process}) {level} 11-30 04:37:10 [somewhere.py:1] {message}\n"


def cache_info(tokens: str, times: str, caching: str = "False", engine: int = 0) -> str:
    return (
        f'vllm:cache_config_info{{enable_prefix_caching="{caching}",engine="{engine}",'
        f'kv_cache_max_concurrency="{times}",kv_cache_size_tokens="{tokens}"}} 1.0\n'
    )


def kv_line(device: str, tokens: str, times: str, process: str = "E pid=1") -> str:
    return line(
        f"{device} KV cache size: {tokens} tokens, Maximum concurrency for"
        f" 2,048 tokens per request: {times}x",
        process,
    )


def test_silent_engine_has_no_facts() -> None:
    assert facts() == NOTHING


@pytest.mark.parametrize(
    "page", ["", "<html>404</html>", '{"detail":"Not Found"}', "[]", '{"data":[3]}']
)
def test_pages_that_say_something_else_are_no_facts(page: str) -> None:
    assert facts(version=page, models=page, metrics=page) == NOTHING


@given(st.text(), st.text())
def test_no_text_raises(page: str, log: str) -> None:
    read_facts("vllm", FactPages(page, page, page, log))


def test_pages_are_read() -> None:
    said = facts(
        version='{"version":"0.32.0"}',
        models='{"data":[{"id":"toy","max_model_len":4096},{"id":"toy-lora"}]}',
        metrics=cache_info("93184", "45.5", "True"),
    )
    assert (said.version, said.model_id, said.max_model_len) == ("0.32.0", "toy", 4096)
    assert (said.kv_capacity_tokens, said.kv_max_concurrency) == (93184, 45.5)
    assert said.prefix_caching is True


def test_kv_cache_is_the_sum_over_engines() -> None:
    page = cache_info("1000", "1.5") + cache_info("3000", "4.5", engine=1)
    said = facts(metrics=page)
    assert (said.kv_capacity_tokens, said.kv_max_concurrency) == (4000, 6.0)


@pytest.mark.parametrize("device", ["CPU", "GPU"])
def test_log_tells_the_kv_cache_where_the_page_does_not(device: str) -> None:
    said = facts(
        metrics=cache_info("None", "None"), log=kv_line(device, "1,093,184", "45.50")
    )
    assert (said.kv_capacity_tokens, said.kv_max_concurrency) == (1093184, 45.5)


def test_log_line_counts_once_for_each_engine() -> None:
    log = (
        kv_line("GPU", "1", "0.01", "EngineCore_DP0 pid=5")
        + kv_line("GPU", "2,000", "1.00", "EngineCore_DP0 pid=5")
        + kv_line("GPU", "3,000", "1.50", "EngineCore_DP1 pid=6")
    )
    said = facts(log=log)
    assert (said.kv_capacity_tokens, said.kv_max_concurrency) == (5000, 2.5)


def test_log_tells_the_version_and_prefix_caching_where_no_page_does() -> None:
    log = line(
        "Initializing a V1 LLM engine (v0.32.0+cu130) with config: model='toy',"
        " served_model_name=toy, enable_prefix_caching=False, pooler_config=None"
    )
    said = facts(log=log)
    assert said.version == "0.32.0+cu130"
    assert said.prefix_caching is False


def test_caps_are_those_that_the_engine_took() -> None:
    given_args = "{'port': 8101, 'max_num_batched_tokens': 4096, 'max_num_seqs': 16}"
    log = line(f"non-default args: {given_args}", "APIServer pid=1")
    said = facts(log=log)
    assert (said.max_num_seqs, said.max_num_batched_tokens) == (16, 4096)
    log += line("Chunked prefill is enabled with max_num_batched_tokens=8192.")
    assert facts(log=log).max_num_batched_tokens == 8192


CHANGES = [
    "Async scheduling not supported with suffix-based speculative decoding and will be"
    " disabled.",
    "max_num_scheduled_tokens is set to 2048 based on the speculative decoding"
    " settings. This may lead to suboptimal performance.",
    "Overriding draft model max model len from 8192 to 2048",
    "Dynamic speculative decoding changes the target verification length at runtime."
    " Overriding cudagraph_mode from FULL_AND_PIECEWISE to PIECEWISE for reliability.",
    "CUDAGraphMode.FULL is not supported with spec-decode for attention backend X"
    " (support: Y); setting cudagraph_mode=PIECEWISE",
    "Defaulted num_speculative_tokens to 24 for suffix decoding.",
    "mlp_speculator cannot currently be run with tp>1; setting"
    " speculative_draft_tensor_parallel_size=1",
    "method `deepseek_mtp` is deprecated and replaced with mtp.",
    "MLA is enabled on a non-GPU platform; forcing chunked prefill and prefix caching"
    " to be disabled.",
]
"""Wordings of vLLM 0.32.0."""

REMARKS = [
    "Resolved architecture: LlamaForCausalLM",
    "Enabled custom fusions: norm_quant, act_quant",
    "SpecDecoding metrics: Mean acceptance length: 2.50, Accepted throughput: 1.00",
    "Engine 000: Avg prompt throughput: 1.0 tokens/s, Prefix cache hit rate: 0.0%",
    "non-default args: {'speculative_config': {'method': 'ngram'}}",
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_engine_changes_is_noted_in_its_own_words(change: str) -> None:
    assert facts(log=line(change, level="WARNING")).notes == (change,)


@pytest.mark.parametrize("remark", REMARKS)
def test_what_the_engine_merely_says_is_no_note(remark: str) -> None:
    assert facts(log=line(remark)).notes == ()


def test_notes_are_said_once_in_the_order_of_the_log() -> None:
    log = "".join(
        line(change, process)
        for process in ("APIServer pid=1", "EngineCore pid=2", "Worker pid=3")
        for change in CHANGES[:2]
    )
    assert facts(log=log).notes == tuple(CHANGES[:2])


def test_lines_of_requests_are_no_log_lines() -> None:
    assert facts(log='INFO: "POST /x?Overriding a HTTP/1.1" 200 OK\n').notes == ()


GRAPHS = (
    "Initializing a V1 LLM engine (v0.32.0) with config: model='m', compilation_config="
    "{{'decoder_replay_cudagraph_capture_sizes': [9000], 'cudagraph_capture_sizes':"
    " [{}], 'cudagraph_copy_inputs': False, 'max_cudagraph_capture_size': {}}}"
)


@pytest.mark.parametrize(
    ("sizes", "largest"), [("1, 2, 4, 8", 8), ("4, 512, 496", 512), ("16", 16)]
)
def test_the_largest_cuda_graph_is_read_from_the_engines_configuration(
    sizes: str, largest: int
) -> None:
    said = facts(log=line(GRAPHS.format(sizes, largest)))
    assert said.cuda_graph_max_tokens == largest


def test_an_engine_that_captures_no_graph_has_no_largest_one() -> None:
    assert facts(log=line(GRAPHS.format("", "None"))).cuda_graph_max_tokens is None
