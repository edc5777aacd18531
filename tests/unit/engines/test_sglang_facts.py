"""What SGLang says of itself. Pages are made here; those of a real engine are in
tests/contract."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.contract import FactPages
from specbench.engines.sglang_facts import CPU_GREEDY, read_facts
from specbench.schema.drafting import Drafter
from specbench.schema.record import EngineFacts
from tests.unit.engines.sglang_pages import rank_line

SUMMARY = (
    "max_total_num_tokens={tokens}, chunked_prefill_size={chunk},"
    " max_prefill_tokens=16384, max_running_requests={requests}, context_len=8192,"
    " available_gpu_mem=14.36 GB"
)


def facts(
    info: dict[str, Any] | None = None,
    log: str = "",
    metrics: str | None = None,
    version: str | None = None,
) -> EngineFacts:
    text = None if info is None else json.dumps(info)
    models = '{"data":[{"id":"toy","max_model_len":8192}]}'
    return read_facts("sglang", FactPages(version, models, metrics, log, text))


def state(cap: int, tokens: int, **more: Any) -> dict[str, Any]:
    return {
        "effective_max_running_requests_per_dp": cap,
        "memory_usage": {"token_capacity": tokens},
        **more,
    }


def said(message: str, ranks: str = "") -> str:
    return f"[2026-11-30 05:17:10{ranks}] {message}\n"


def summary(ranks: str = "", tokens: int = 20000, chunk: int = 4096) -> str:
    text = SUMMARY.format(tokens=tokens, chunk=chunk, requests=16)
    return said(text, ranks)


def test_caps_and_capacity_are_sums_over_data_parallel_ranks() -> None:
    info = {
        "dp_size": 2,
        "max_running_requests": 99,
        "max_total_num_tokens": 7,
        "internal_states": [state(16, 20000), state(16, 19000)],
    }
    found = facts(info)
    assert found.max_num_seqs == 32
    assert found.kv_capacity_tokens == 39000


def test_what_is_in_force_is_the_cap_and_not_what_was_asked_for() -> None:
    info = {"max_running_requests": 64, "internal_states": [state(48, 20000)]}
    assert facts(info).max_num_seqs == 48


def test_the_argument_is_the_cap_where_no_rank_says_more() -> None:
    info = {"max_running_requests": 64, "max_total_num_tokens": 500, "dp_size": 2}
    found = facts(info)
    assert found.max_num_seqs == 64
    assert found.kv_capacity_tokens == 1000


@pytest.mark.parametrize(("off", "caching"), [(True, False), (False, True)])
def test_prefix_caching_is_the_radix_cache(off: bool, caching: bool) -> None:
    assert facts({"disable_radix_cache": off}).prefix_caching is caching
    assert facts({}).prefix_caching is None


@pytest.mark.parametrize(("chunk", "budget"), [(4096, 4096), (-1, None)])
def test_prompts_of_a_step_are_limited_by_the_chunk(
    chunk: int, budget: int | None
) -> None:
    assert facts({"chunked_prefill_size": chunk}).max_num_batched_tokens == budget
    assert facts(log=summary(chunk=chunk)).max_num_batched_tokens == budget


def test_the_largest_graph_holds_the_largest_batch_times_the_verified_tokens() -> None:
    ranks = [state(64, 1, decode_cuda_graph_bs=[1, 2, 4, 64])]
    plain = {"internal_states": ranks, "speculative_algorithm": None}
    arm = {
        "internal_states": ranks,
        "speculative_algorithm": "EAGLE3",
        "speculative_num_draft_tokens": 4,
    }
    assert facts(plain).cuda_graph_max_tokens == 64
    assert facts(arm).cuda_graph_max_tokens == 256
    none = {"internal_states": [state(64, 1, decode_cuda_graph_bs=[])]}
    assert facts(none).cuda_graph_max_tokens is None


def test_a_page_under_its_older_name_says_the_same() -> None:
    page = json.dumps({"version": "0.4.6", "disable_radix_cache": True})
    found = facts(version=page)
    assert found.version == "0.4.6"
    assert found.prefix_caching is False


def test_the_log_tells_what_the_pages_do_not() -> None:
    found = facts(log=summary())
    assert found.kv_capacity_tokens == 20000
    assert found.max_num_seqs == 16
    assert found.max_num_batched_tokens == 4096


def test_the_log_of_several_ranks_is_summed_over_data_parallel_ones() -> None:
    log = "".join(
        summary(f" DP{dp} TP{tp}", tokens=1000 * (dp + 1))
        for dp in range(2)
        for tp in range(2)
    )
    found = facts(log=log)
    assert found.kv_capacity_tokens == 3000
    assert found.max_num_seqs == 32


def test_the_metrics_tell_the_capacity_of_a_server_without_a_log() -> None:
    page = "".join(
        rank_line("max_total_num_tokens", 20000, tp, dp_rank=str(dp))
        for dp in range(2)
        for tp in range(2)
    )
    assert facts(metrics=page).kv_capacity_tokens == 40000


NOTES = [
    "Max running requests is reset to 48 for speculative decoding. You can override"
    " this by explicitly setting --max-running-requests.",
    "speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when"
    " speculative_eagle_topk == 1",
    "speculative_num_draft_tokens is set to 12 by default for ngram speculative"
    " decoding. You can override this by explicitly setting"
    " --speculative-num-draft-tokens.",
    "speculative_adaptive disabled: topk is not 1",
    "AdaptiveSpeculativeParams initialized: steps=3, candidate_steps=[1, 3, 5, 7]",
    "Overlap schedule is not implemented for speculative decoding on CPU.",
    "The mixed chunked prefill are disabled because of using ngram speculative"
    " decoding.",
    "DFLASH only supports speculative_num_steps == 1; overriding"
    " speculative_num_steps=3 to 1.",
]
NO_NOTES = [
    "Load weight begin. avail mem=20.56 GB",
    "Cannot detect CUDA architecture.",
    "Fail to set RLIMIT_NOFILE: current limit exceeds maximum limit",
    "Using default HuggingFace chat template with detected content format: string",
]


@pytest.mark.parametrize("message", NOTES)
def test_what_the_engine_changed_by_itself_is_a_note(message: str) -> None:
    log = said(message) + said(f"\x1b[1;33m{message}\x1b[0m") + said(message, " TP1")
    assert facts(log=log).notes == (message,)


@pytest.mark.parametrize("message", NO_NOTES)
def test_what_it_only_tells_is_none(message: str) -> None:
    assert facts(log=said(message)).notes == ()


def test_greedy_verification_on_a_cpu_is_a_note_of_the_arm() -> None:
    arm = {"device": "cpu", "speculative_algorithm": "NGRAM"}
    assert facts(arm).notes == (CPU_GREEDY,)
    assert facts({"device": "cpu", "speculative_algorithm": None}).notes == ()
    assert facts({**arm, "device": "cuda"}).notes == ()


def test_how_it_drafts_is_what_is_in_force() -> None:
    arm = {
        "speculative_algorithm": "EAGLE3",
        "speculative_eagle_topk": 4,
        "speculative_adaptive": False,
        "disable_overlap_schedule": False,
    }
    assert facts(arm).drafter == Drafter("EAGLE3", True, False, 4)
    assert facts({"speculative_algorithm": "NGRAM"}).drafter == Drafter("NGRAM")
    assert facts({"speculative_algorithm": None}).drafter is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "internal_states",
                    "memory_usage",
                    "token_capacity",
                    "version",
                    "dp_size",
                    "chunked_prefill_size",
                    "decode_cuda_graph_bs",
                    "max_running_requests",
                    "data",
                    "id",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.text(max_size=80))
def test_no_page_can_make_it_fail(document: Any, text: str) -> None:
    page = json.dumps(document)
    for info in (page, text):
        read_facts("sglang", FactPages(info, info, info, text, info))
