"""Which settings change what the model says."""

from typing import Any

import pytest

from specbench.engines import ADAPTERS
from specbench.engines.lossy import (
    FORCED_LENGTH,
    OLD_FORCED_LENGTH,
    THRESHOLDS,
    forcing_variables,
)
from specbench.engines.vllm import VllmAdapter

EAGLE = {"method": "eagle3", "model": "m", "num_speculative_tokens": 3}


@pytest.mark.parametrize("method", ["standard", "block"])
def test_exact_verification_is_lossless(method: str) -> None:
    adapter = VllmAdapter()
    assert adapter.lossy_settings(EAGLE, {}) == ()
    assert (
        adapter.lossy_settings({**EAGLE, "rejection_sample_method": method}, {}) == ()
    )


@pytest.mark.parametrize("method", ["synthetic", "some_later_one", None])
def test_a_method_that_is_not_known_to_be_exact_is_named(method: Any) -> None:
    found = VllmAdapter().lossy_settings(
        {**EAGLE, "rejection_sample_method": method}, {}
    )
    assert found == (f"rejection_sample_method = {method}",)


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_adapter_finds_nothing_in_an_arm_without_such_settings(name: str) -> None:
    assert ADAPTERS[name].lossy_settings({}, {}) == ()


@pytest.mark.parametrize("key", THRESHOLDS)
def test_acceptance_thresholds_under_one_are_named(key: str) -> None:
    adapter = ADAPTERS["sglang"]
    assert adapter.lossy_settings({key: 1.0}, {}) == ()
    assert adapter.lossy_settings({key: None}, {}) == ()
    assert adapter.lossy_settings({key: 0.9}, {}) == (f"{key} = 0.9",)
    dashed = key.replace("_", "-")
    assert adapter.lossy_settings({dashed: 0.5}, {}) == (f"{key} = 0.5",)
    assert adapter.lossy_settings({key: "odd"}, {}) == (f"{key} = odd",)


@pytest.mark.parametrize("name", [FORCED_LENGTH, OLD_FORCED_LENGTH])
@pytest.mark.parametrize(("value", "is_lossy"), [("2.5", True), ("-1", False)])
def test_forced_acceptance_is_named(name: str, value: str, is_lossy: bool) -> None:
    """It comes by the target's environment."""
    found = ADAPTERS["sglang"].lossy_settings({}, {name: value})
    assert found == ((f"{name} = {value}",) if is_lossy else ())


def test_variables_that_force_acceptance_are_found_for_the_engine_that_reads_them() -> (
    None
):
    environ = {
        OLD_FORCED_LENGTH: "3",
        "SGLANG_SIMULATE_ACC_METHOD": "multinomial",
        FORCED_LENGTH: "3",
        "SGLANG_LOG_LEVEL": "info",
    }
    assert forcing_variables("sglang", environ) == (
        FORCED_LENGTH,
        "SGLANG_SIMULATE_ACC_METHOD",
        OLD_FORCED_LENGTH,
    )
    assert forcing_variables("vllm", environ) == ()
