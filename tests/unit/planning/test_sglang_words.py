"""A sweep over SGLang: the plan's caps and limits, in the engine's own words."""

import pytest

from specbench.errors import InputError
from specbench.planning.expand import admission_caps, without_caps
from specbench.planning.read_sweep import parse_sweep
from specbench.schema.sweep import Load, Scalar, Target
from tests.unit.planning.sweep_texts import SOUND, spoiled

LOAD = Load(concurrency=[1, 16])


def target(args: dict[str, Scalar]) -> Target:
    return Target(model="m", engine="sglang", args=args)


@pytest.mark.parametrize(
    "key", ["max-running-requests", "max_running_requests", "max-num-seqs"]
)
def test_either_name_of_the_cap_is_taken_out_of_the_args(key: str) -> None:
    given = target({key: 48, "max-total-tokens": 9000})
    assert admission_caps(given, LOAD).max_num_seqs == 48
    assert without_caps(given).args == {"max-total-tokens": 9000}


def test_without_one_the_cap_admits_the_highest_load() -> None:
    assert admission_caps(target({}), LOAD).max_num_seqs == 16


@pytest.mark.parametrize("limit", ["context-length = 300", "context_length = 300"])
def test_prompt_and_output_fit_into_the_context_that_is_asked_for(limit: str) -> None:
    text = spoiled('engine = "vllm"', 'engine = "sglang"')
    text = spoiled("max-model-len = 4096", limit, text)
    text = spoiled("max_tokens = 256", "max_tokens = 256\ncontext = [100]", text)
    with pytest.raises(InputError) as caught:
        parse_sweep(text, "sweeps/x.toml", (), ("sglang",))
    key = limit.split(" ")[0]
    assert "workload.context[0]" in caught.value.message
    assert f"target.args.{key} (300)" in caught.value.message


def test_a_sound_sweep_is_read() -> None:
    text = spoiled('engine = "vllm"', 'engine = "sglang"', SOUND)
    parse_sweep(text, "sweeps/x.toml", (), ("sglang",))
