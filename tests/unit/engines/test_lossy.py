"""Which settings change what the model says."""

from typing import Any

import pytest

from specbench.engines import ADAPTERS
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
