"""All adapters, and what is special about those that are not vLLM's."""

import json

import pytest

from specbench.engines import ADAPTERS
from specbench.engines.contract import FactPages
from specbench.engines.sim import RESERVED
from specbench.errors import InputError
from specbench.schema.sweep import Scalar
from specbench.sim.options import parse_sim_flags
from tests.unit.engines.requests import NGRAM, request

SIM = ADAPTERS["sim"]
OPENAI = ADAPTERS["openai"]
SIM_ARM = {"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.8]}

every_adapter = pytest.mark.parametrize("name", ["vllm", "sglang", "openai", "sim"])


def test_engines_are_those_that_a_sweep_may_name() -> None:
    assert set(ADAPTERS) == {"vllm", "sglang", "openai", "sim"}
    assert all(adapter.name == name for name, adapter in ADAPTERS.items())


@every_adapter
def test_facts_carry_the_name_of_the_adapter(name: str) -> None:
    said = ADAPTERS[name].read_facts(FactPages(None, '{"data":[{"id":"m"}]}', None, ""))
    assert (said.engine, said.model_id) == (name, "m")


@every_adapter
def test_page_with_none_of_the_names_says_nothing(name: str) -> None:
    counters, gauges = ADAPTERS[name].read_metrics("process_cpu_seconds_total 9\n")
    fields = [getattr(counters, field) for field in counters.__slots__]
    fields += [getattr(gauges, field) for field in gauges.__slots__]
    assert set(fields) == {None}


@every_adapter
def test_usage_is_asked_for(name: str) -> None:
    options = ADAPTERS[name].request_extras()["stream_options"]
    assert options == {"include_usage": True, "continuous_usage_stats": True}


@every_adapter
def test_empty_log_has_a_cause(name: str) -> None:
    assert ADAPTERS[name].find_cause("")


def test_simulation_is_started_with_its_truth() -> None:
    args: dict[str, Scalar] = {"step_base_ms": 5.0, "seed": 7}
    argv = SIM.command(request(args, speculative=SIM_ARM)).argv
    assert argv[:-1] == (
        *("specbench", "sim", "serve"),
        *("--host", "127.0.0.1"),
        *("--port", "8123"),
        *("--served-model-name", "toy"),
        *("--max-num-seqs", "64"),
        *("--seed", "7"),
        *("--step-base-ms", "5.0"),
        "--speculative-config",
    )
    assert json.loads(argv[-1]) == SIM_ARM


def test_simulation_understands_its_command_line() -> None:
    args: dict[str, Scalar] = {"step_base_ms": 5.0, "max-model-len": 4096}
    argv = SIM.command(request(args, speculative=SIM_ARM)).argv
    options = parse_sim_flags(argv[3:])
    assert (options.port, options.model_name) == (8123, "toy")
    assert options.config.max_num_seqs == 64
    assert options.config.speculation is not None


def test_simulated_baseline_differs_in_speculation_only() -> None:
    arm = SIM.command(request(speculative=SIM_ARM, executable="./sb", env={"A": "b"}))
    baseline = SIM.command(request(executable="./sb", env={"A": "b"}))
    assert arm.argv[:-2] == baseline.argv
    assert arm.env == baseline.env == {"A": "b"}
    assert baseline.argv[0] == "./sb"


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_simulation_refuses_what_specbench_sets(key: str) -> None:
    with pytest.raises(InputError, match=rf"target\.args\.{key} "):
        SIM.command(request({key: 1}))


@pytest.mark.parametrize(
    ("speculative", "key"),
    [
        (NGRAM, "method"),
        (SIM_ARM | {"num_speculative_tokens": 0}, "speculative_tokens"),
    ],
)
def test_simulation_refuses_speculation_that_it_cannot_have(
    speculative: dict[str, object], key: str
) -> None:
    SIM.check_speculative(SIM_ARM)
    with pytest.raises(InputError, match=key):
        SIM.check_speculative(speculative)


def test_running_server_is_never_launched() -> None:
    with pytest.raises(InputError, match=r"target\.engine") as error:
        OPENAI.command(request())
    assert "toy" in error.value.message
    assert error.value.hint


def test_speculation_of_a_running_server_is_only_described() -> None:
    OPENAI.check_speculative({"method": "whatever it was started with"})
