"""How vLLM is started."""

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.vllm import METHODS, VllmAdapter, cpu_ranges
from specbench.errors import InputError
from specbench.schema.plan import AdmissionCaps
from specbench.schema.sweep import Scalar
from tests.unit.engines.requests import NGRAM, request

VLLM = VllmAdapter()
REQUEST_METRICS = "--per-request-spec-decode-metrics"


def value_of(flag: str, argv: tuple[str, ...]) -> str:
    return argv[argv.index(flag) + 1]


def without(flags: Iterable[str], argv: tuple[str, ...]) -> list[str]:
    """argv less flags that have a value."""
    kept = list(argv)
    for flag in flags:
        at = kept.index(flag)
        del kept[at : at + 2]
    return kept


def test_baseline_command() -> None:
    argv = VLLM.command(request({"max_model_len": 4096, "enforce-eager": True})).argv
    assert argv == (
        *("vllm", "serve", "org/toy"),
        *("--host", "127.0.0.1"),
        *("--port", "8123"),
        *("--served-model-name", "toy"),
        *("--max-num-seqs", "64"),
        "--no-enable-prefix-caching",
        "--enforce-eager",
        *("--max-model-len", "4096"),
    )


def test_arms_differ_in_speculation_only() -> None:
    """With vLLM 0.32.0 a baseline with the request metrics would not even start."""
    baseline = VLLM.command(request({"enforce-eager": True})).argv
    arm = VLLM.command(request({"enforce-eager": True}, speculative=NGRAM)).argv
    extra = [REQUEST_METRICS, "--speculative-config"]
    assert without(extra, arm) == list(baseline)
    assert json.loads(value_of("--speculative-config", arm)) == NGRAM
    assert value_of(REQUEST_METRICS, arm) == "summary"


def test_caps_are_passed_explicitly() -> None:
    caps = AdmissionCaps(max_num_seqs=256, max_num_batched_tokens=8192)
    argv = VLLM.command(request(caps=caps)).argv
    assert value_of("--max-num-seqs", argv) == "256"
    assert value_of("--max-num-batched-tokens", argv) == "8192"


def test_batched_tokens_of_the_sweep_stand_where_the_plan_has_no_cap() -> None:
    argv = VLLM.command(request({"max_num_batched_tokens": 4096})).argv
    assert value_of("--max-num-batched-tokens", argv) == "4096"


def test_batched_tokens_given_twice_are_refused() -> None:
    caps = AdmissionCaps(max_num_seqs=256, max_num_batched_tokens=8192)
    with pytest.raises(InputError, match=r"target\.args\.max-num-batched-tokens"):
        VLLM.command(request({"max-num-batched-tokens": 4096}, caps=caps))


@pytest.mark.parametrize(
    ("key", "value", "flag"),
    [
        ("enable-prefix-caching", True, "--enable-prefix-caching"),
        ("enable_prefix_caching", False, "--no-enable-prefix-caching"),
        ("no-enable-prefix-caching", True, "--no-enable-prefix-caching"),
    ],
)
def test_sweep_may_decide_on_prefix_caching(key: str, value: Scalar, flag: str) -> None:
    argv = VLLM.command(request({key: value})).argv
    assert [part for part in argv if "prefix-caching" in part] == [flag]


def test_tensor_parallel_is_passed_when_there_is_any() -> None:
    argv = VLLM.command(request(tensor_parallel=4)).argv
    assert value_of("--tensor-parallel-size", argv) == "4"
    assert "--tensor-parallel-size" not in VLLM.command(request()).argv


def test_executable_is_that_of_the_target() -> None:
    argv = VLLM.command(request(executable=".venv-vllm/bin/vllm")).argv
    assert argv[0] == ".venv-vllm/bin/vllm"


def test_request_metrics_are_left_out_where_the_engine_does_not_know_them() -> None:
    lacking = request(speculative=NGRAM, help_text="--max-num-seqs N")
    having = request(speculative=NGRAM, help_text=f"{REQUEST_METRICS} {{none,summary}}")
    assert REQUEST_METRICS not in VLLM.command(lacking).argv
    assert REQUEST_METRICS in VLLM.command(having).argv


def test_sweep_may_choose_the_request_metrics() -> None:
    args: dict[str, Scalar] = {"per_request_spec_decode_metrics": "detailed"}
    arm = VLLM.command(request(args, speculative=NGRAM)).argv
    assert arm.count(REQUEST_METRICS) == 1
    assert value_of(REQUEST_METRICS, arm) == "detailed"
    assert REQUEST_METRICS not in VLLM.command(request(args)).argv


@pytest.mark.parametrize(
    "key",
    [
        "host",
        "port",
        "served-model-name",
        "served_model_name",
        "speculative-config",
        "speculative_config.method",
        "spec-method",
        "model",
        "tensor_parallel_size",
        "max-num-seqs",
        "max_num_seqs",
        "uds",
        "config",
        "api-key",
        "disable-log-stats",
    ],
)
def test_flags_that_specbench_needs_are_refused_by_their_key(key: str) -> None:
    with pytest.raises(InputError) as error:
        VLLM.command(request({key: "x"}))
    assert f"target.args.{key} " in error.value.message
    assert error.value.hint


def test_remote_code_is_said_to_be_unsupported() -> None:
    with pytest.raises(InputError, match="trust-remote-code") as error:
        VLLM.command(request({"trust-remote-code": True}))
    assert "not supported yet" in error.value.hint


def test_environment_is_the_sweeps_and_no_statistics() -> None:
    env = VLLM.command(request(env={"HF_HUB_OFFLINE": "1"})).env
    assert env == {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}


@pytest.mark.parametrize(
    ("cpus", "tensor_parallel", "binding"),
    [
        ((0,), 1, "0"),
        ((0, 1, 2), 1, "0-2"),
        ((0, 2, 4, 5), 1, "0,2,4-5"),
        ((0, 1, 2, 3, 4), 2, "0-1|2-3"),
        ((0,), 2, None),
        (None, 1, None),
    ],
)
def test_threads_are_bound_with_one_list_a_rank(
    cpus: tuple[int, ...] | None, tensor_parallel: int, binding: str | None
) -> None:
    command = VLLM.command(request(engine_cpus=cpus, tensor_parallel=tensor_parallel))
    assert command.env.get("VLLM_CPU_OMP_THREADS_BIND") == binding


def test_threads_of_parallel_engines_share_the_cpus() -> None:
    args: dict[str, Scalar] = {"data-parallel-size": 2}
    env = VLLM.command(request(args, engine_cpus=(0, 1, 2, 3))).env
    assert env["VLLM_CPU_OMP_THREADS_BIND"] == "0-1|2-3"
    args = {"data-parallel-size": "auto"}
    env = VLLM.command(request(args, engine_cpus=(0, 1, 2, 3))).env
    assert "VLLM_CPU_OMP_THREADS_BIND" not in env


def test_binding_of_the_sweep_wins() -> None:
    env = {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_NO_USAGE_STATS": "0"}
    assert VLLM.command(request(env=env, engine_cpus=(0, 1))).env == env


@given(st.sets(st.integers(0, 40), min_size=1))
def test_ranges_name_exactly_the_cpus(cpus: set[int]) -> None:
    named: set[int] = set()
    for part in cpu_ranges(tuple(cpus)).split(","):
        start, _, end = part.partition("-")
        named |= set(range(int(start), int(end or start) + 1))
    assert named == cpus


@pytest.mark.parametrize(
    "speculative",
    [
        NGRAM,
        {"model": "org/draft", "num_speculative_tokens": 2},
        {"method": "eagle3", "model": "org/head"},
        {"method": "mtp", "num_speculative_tokens": 1},
    ],
)
def test_speculation_that_may_be_right_passes(speculative: dict[str, object]) -> None:
    VLLM.check_speculative(speculative)


@pytest.mark.parametrize(
    ("speculative", "key"),
    [
        ({"method": "warp"}, "speculative.method"),
        ({"method": ["ngram"]}, "speculative.method"),
        ({"method": "ngram", "num_speculative_tokens": 0}, "num_speculative_tokens"),
        ({"method": "ngram", "num_speculative_tokens": "3"}, "num_speculative_tokens"),
        ({"method": "ngram", "num_speculative_tokens": True}, "num_speculative_tokens"),
        ({"method": "eagle", "model": 3}, "speculative.model"),
        ({"num_speculative_tokens": 3}, "`method`"),
        ({}, "`method`"),
    ],
)
def test_speculation_that_is_surely_wrong_is_refused_by_its_key(
    speculative: dict[str, object], key: str
) -> None:
    with pytest.raises(InputError) as error:
        VLLM.check_speculative(speculative)
    assert key in error.value.message


def test_no_method_is_listed_twice() -> None:
    assert len(set(METHODS)) == len(METHODS)


def test_stream_is_asked_for_running_counts() -> None:
    extras = VLLM.request_extras()
    assert extras["stream_options"]["continuous_usage_stats"] is True
    extras["stream_options"].clear()
    assert VLLM.request_extras()["stream_options"]


def test_suffix_decoding_learns_unless_its_cache_is_off() -> None:
    key = "suffix_decoding_max_cached_requests"
    assert VLLM.learns_from_traffic({"method": "suffix"})
    assert VLLM.learns_from_traffic({"method": "suffix", key: 100})
    assert not VLLM.learns_from_traffic({"method": "suffix", key: 0})
    assert not VLLM.learns_from_traffic({"method": "suffix", key.replace("_", "-"): 0})
    assert not VLLM.learns_from_traffic({"method": "ngram"})
    assert not VLLM.learns_from_traffic({})
