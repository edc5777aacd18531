"""How SGLang is started."""

import json
from typing import Any

import pytest

from specbench.engines.contract import LaunchCommand, LaunchRequest
from specbench.engines.sglang import (
    DECODE_LOG_INTERVAL,
    PASSIVE_HEALTH,
    RESERVED,
    SglangAdapter,
)
from specbench.errors import InputError
from specbench.schema.plan import AdmissionCaps
from specbench.schema.sweep import Scalar
from tests.unit.engines.requests import request

SGLANG = SglangAdapter()
CHAIN: dict[str, Any] = {
    "algorithm": "STANDALONE",
    "draft_model_path": "org/draft",
    "num_steps": 3,
    "eagle_topk": 1,
    "num_draft_tokens": 4,
}
TABLE = {"1": {"candidate_steps": [1, 3]}, "32": {"candidate_steps": [0]}}
BOTH_NAMES = "--cuda-graph-max-bs-decode --cuda-graph-max-bs-prefill"


def wanted(args: dict[str, Scalar] | None = None, **more: Any) -> LaunchRequest:
    return request(args, **{"engine": "sglang", **more})


def command(args: dict[str, Scalar] | None = None, **more: Any) -> LaunchCommand:
    return SGLANG.command(wanted(args, **more))


def argv(args: dict[str, Scalar] | None = None, **more: Any) -> tuple[str, ...]:
    return command(args, **more).argv


def value_of(flag: str, words: tuple[str, ...]) -> str:
    assert words.count(flag) == 1
    return words[words.index(flag) + 1]


def test_baseline_command() -> None:
    assert argv({"mem_fraction_static": 0.8}) == (
        *("sglang", "serve"),
        *("--model-path", "org/toy"),
        *("--served-model-name", "toy"),
        *("--host", "127.0.0.1"),
        *("--port", "8123"),
        *("--tp-size", "1"),
        *("--max-running-requests", "64"),
        "--enable-metrics",
        *("--decode-log-interval", str(DECODE_LOG_INTERVAL)),
        *("--stream-interval", "1"),
        "--disable-radix-cache",
        *("--cuda-graph-max-bs-decode", "64"),
        *("--mem-fraction-static", "0.8"),
    )


def test_arms_differ_in_speculation_only() -> None:
    """What SGLang would choose otherwise for an arm is given to both."""
    baseline, arm = argv(), argv(speculative=CHAIN)
    assert arm[: len(baseline)] == baseline
    assert arm[len(baseline) :] == (
        *("--speculative-algorithm", "STANDALONE"),
        *("--speculative-draft-model-path", "org/draft"),
        *("--speculative-eagle-topk", "1"),
        *("--speculative-num-draft-tokens", "4"),
        *("--speculative-num-steps", "3"),
    )
    assert command().env == command(speculative=CHAIN).env


@pytest.mark.parametrize(
    ("executable", "start"),
    [
        (None, ("sglang", "serve")),
        (".venv-sglang/bin/sglang", (".venv-sglang/bin/sglang", "serve")),
        ("./wrapper.sh", ("./wrapper.sh", "serve")),
        ("/v/bin/python", ("/v/bin/python", "-m", "sglang.launch_server")),
        ("/v/bin/python3.11", ("/v/bin/python3.11", "-m", "sglang.launch_server")),
    ],
)
def test_a_python_is_given_the_module_and_a_program_its_sub_command(
    executable: str | None, start: tuple[str, ...]
) -> None:
    words = argv(executable=executable)
    assert words[: len(start)] == start
    assert words[len(start)] == "--model-path"


def test_cap_of_the_plan_is_also_the_largest_graph() -> None:
    caps = AdmissionCaps(max_num_seqs=200, max_num_batched_tokens=None)
    words = argv(caps=caps)
    assert value_of("--max-running-requests", words) == "200"
    assert value_of("--cuda-graph-max-bs-decode", words) == "200"


@pytest.mark.parametrize(
    "args",
    [
        {"cuda-graph-max-bs-decode": 16},
        {"cuda_graph_bs_decode": "1 2 4"},
        {"disable-cuda-graph": True},
        {"cuda-graph-backend-decode": "disabled"},
    ],
)
def test_a_sweep_may_say_itself_what_runs_as_a_graph(args: dict[str, Scalar]) -> None:
    words = argv(args)
    said = [w for w in words if "graph" in w]
    assert len(said) == 1
    assert said[0].removeprefix("--") == next(iter(args)).replace("_", "-")


@pytest.mark.parametrize(
    ("help_text", "flag"),
    [
        (None, "--cuda-graph-max-bs-decode"),
        (BOTH_NAMES, "--cuda-graph-max-bs-decode"),
        ("", "--cuda-graph-max-bs"),
    ],
)
def test_graph_flags_are_spelled_as_the_version_has_them(
    help_text: str | None, flag: str
) -> None:
    """The wrong one of the two ends the engine with code 2."""
    assert value_of(flag, argv(help_text=help_text)) == "64"
    for key in ("cuda-graph-max-bs", "cuda_graph_max_bs_decode"):
        assert value_of(flag, argv({key: 8}, help_text=help_text)) == "8"


def test_several_graph_sizes_are_several_words() -> None:
    words = argv({"cuda-graph-bs-decode": "1 2, 4"})
    at = words.index("--cuda-graph-bs-decode")
    assert words[at + 1 : at + 4] == ("1", "2", "4")


def test_kv_capacity_and_context_are_the_sweeps_own() -> None:
    words = argv({"max_total_tokens": 20000, "context-length": 4096})
    assert value_of("--max-total-tokens", words) == "20000"
    assert value_of("--context-length", words) == "4096"
    assert "--max-total-tokens" not in argv()


@pytest.mark.parametrize(
    ("args", "is_off"),
    [
        ({}, True),
        ({"disable-radix-cache": True}, True),
        ({"disable_radix_cache": False}, False),
    ],
)
def test_prompts_are_not_cached_unless_the_sweep_wants_it(
    args: dict[str, Scalar], is_off: bool
) -> None:
    assert argv(args).count("--disable-radix-cache") == int(is_off)


@pytest.mark.parametrize("key", ["decode-log-interval", "stream_interval"])
def test_a_sweep_may_choose_the_intervals(key: str) -> None:
    flag = "--" + key.replace("_", "-")
    assert value_of(flag, argv({key: 40})) == "40"


def test_tensor_parallel_is_always_said() -> None:
    assert value_of("--tp-size", argv(tensor_parallel=4)) == "4"


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_flags_that_specbench_sets_are_refused_with_the_key(key: str) -> None:
    with pytest.raises(InputError, match=rf"target\.args\.{key} ") as error:
        argv({key: 1})
    assert error.value.hint


@pytest.mark.parametrize(
    "key",
    [
        *("model", "tp", "max-running", "max_running_requests", "no-enable-metrics"),
        *("speculative-algorithm", "speculative_num_steps", "speculative-adaptive"),
    ],
)
def test_beginnings_and_relatives_of_such_flags_are_refused_too(key: str) -> None:
    with pytest.raises(InputError, match=rf"target\.args\.{key} "):
        argv({key: 1})


def test_a_token_budget_of_another_engine_is_refused() -> None:
    caps = AdmissionCaps(max_num_seqs=8, max_num_batched_tokens=4096)
    with pytest.raises(InputError, match="max-num-batched-tokens") as error:
        argv(caps=caps)
    assert "chunked-prefill-size" in error.value.hint


def test_on_a_cpu_its_own_engine_and_cores_are_chosen() -> None:
    started = command(device="cpu", engine_cpus=(0, 1, 2, 5), tensor_parallel=2)
    assert value_of("--device", started.argv) == "cpu"
    assert not [word for word in started.argv if "graph" in word]
    assert started.env["SGLANG_USE_CPU_ENGINE"] == "1"
    assert started.env["SGLANG_CPU_OMP_THREADS_BIND"] == "0-1|2,5"


def test_on_a_gpu_no_cpu_is_chosen() -> None:
    env = command(engine_cpus=(0, 1)).env
    assert env == {PASSIVE_HEALTH: "0"}


def test_fewer_cores_than_ranks_leave_the_choice_to_the_engine() -> None:
    env = command(device="cpu", engine_cpus=(0,), tensor_parallel=2).env
    assert "SGLANG_CPU_OMP_THREADS_BIND" not in env


def test_the_health_page_generates_nothing() -> None:
    assert command().env[PASSIVE_HEALTH] == "0"


def test_the_sweeps_environment_has_the_last_word() -> None:
    bind = {"SGLANG_CPU_OMP_THREADS_BIND": "3", "X": "y"}
    env = command(device="cpu", engine_cpus=(0, 1), env=bind).env
    assert env["SGLANG_CPU_OMP_THREADS_BIND"] == "3"
    assert env["X"] == "y"


def test_switches_of_an_arm_are_flags_or_nothing() -> None:
    arm = {**CHAIN, "use-rejection-sampling": True, "use_block_verification": False}
    words = argv(speculative=arm)
    assert "--speculative-use-rejection-sampling" in words
    assert not [word for word in words if "block-verification" in word]


def test_a_switch_that_can_be_negated_is() -> None:
    off = {**CHAIN, "enable_w4a4_mxfp4_megamoe": False}
    assert "--no-speculative-enable-w4a4-mxfp4-megamoe" in argv(speculative=off)


def test_keys_without_the_prefix_keep_their_names() -> None:
    arm = {"algorithm": "UNO", "uno_lora_path": "/lora", "num_draft_tokens": 8}
    words = argv(speculative=arm)
    assert value_of("--uno-lora-path", words) == "/lora"
    assert value_of("--speculative-num-draft-tokens", words) == "8"


def test_a_null_is_the_engines_own_default() -> None:
    assert argv(speculative={**CHAIN, "token_map": None}) == argv(speculative=CHAIN)


def test_an_adaptive_table_becomes_a_file_of_the_launch() -> None:
    arm = {"algorithm": "EAGLE3", "draft_model_path": "h", "adaptive_config": TABLE}
    started = command(speculative=arm, folder="results/1/launches/2")
    ((name, text),) = started.files.items()
    assert json.loads(text) == TABLE
    path = value_of("--speculative-adaptive-config", started.argv)
    assert path == f"results/1/launches/2/{name}"
    assert started.argv.count("--speculative-adaptive") == 1


def test_an_adaptive_file_of_ones_own_is_passed_on() -> None:
    arm = {"algorithm": "EAGLE3", "draft_model_path": "h", "adaptive_config": "a.json"}
    started = command(speculative=arm)
    assert value_of("--speculative-adaptive-config", started.argv) == "a.json"
    assert started.files == {}


def test_a_table_that_no_flag_carries_is_refused_with_its_key() -> None:
    with pytest.raises(InputError, match=r"speculative\.num_steps"):
        argv(speculative={**CHAIN, "num_steps": {"1": 3}})


def test_only_the_n_gram_drafter_learns_from_traffic() -> None:
    assert SGLANG.learns_from_traffic({"algorithm": "ngram"})
    assert not SGLANG.learns_from_traffic(CHAIN)
    assert not SGLANG.learns_from_traffic({})


def test_arms_are_held_against_the_methods_of_the_version() -> None:
    SGLANG.check_speculative(CHAIN)
    with pytest.raises(InputError, match=r"speculative\.algorithm"):
        SGLANG.check_speculative({"algorithm": "MTP"})
    with pytest.raises(InputError, match=r"speculative\.no_such_key"):
        SGLANG.check_speculative({**CHAIN, "no_such_key": 1})


def test_requests_ask_what_became_of_the_drafts() -> None:
    extras = SGLANG.request_extras()
    assert extras["return_spec_tokens_details"] is True
