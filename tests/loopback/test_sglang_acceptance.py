"""A server that speaks SGLang's dialect and whose acceptance is programmed: both routes
to it, by counters and by requests, lead there."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from specbench.theory.acceptance import expected_tokens_per_step
from tests.loopback.cli import ran_to_its_end, specbench, strict_json

RATES = (0.8, 0.6, 0.4)
LENGTH = expected_tokens_per_step(RATES)
DRAFTER = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.8, 0.6, 0.4],'
    ' "draft_ms": 0.1}'
)
REQUESTS, WARMUP = 72, 8
CATEGORIES = 8
"""Of the data set."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Of a server that has answered nobody yet."""
    with subprocess.Popen(
        [sys.executable, "-m", "specbench.sim", "--port", "0", "--dialect", "sglang",
         "--step-base-ms", "2", "--step-per-token-ms", "0", "--output-tokens", "400",
         "--speculative-config", DRAFTER],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process.stdout.readline().split()[2]
        process.kill()


@pytest.fixture(scope="module")
def cell(url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One cell, as `measure` prints it."""
    done = specbench(
        *("measure", url, "--engine", "sglang", "-c", "8", "--format", "json"),
        *("--requests", str(REQUESTS), "--warmup", str(WARMUP)),
        *("--max-tokens", "1000"),
        cwd=tmp_path_factory.mktemp("sglang"),
    )
    # a client that was late voids the cell, and its drafts are what they are
    assert ran_to_its_end(done), done.stderr
    (only,) = strict_json(done.stdout)["cells"]
    assert isinstance(only, dict)
    return only


def test_both_routes_over_the_whole_cell_recover_the_programmed_length(
    cell: dict[str, Any],
) -> None:
    whole = cell["whole_run"]
    by_counters, by_requests = whole["acceptance"], whole["acceptance_by_requests"]
    assert by_counters["length"] == pytest.approx(LENGTH, rel=0.02)
    assert by_requests["length"] == pytest.approx(LENGTH, rel=0.02)
    assert by_requests["drafts"] == by_counters["drafts"]
    assert abs(whole["acceptance_difference"]) < 0.02
    assert "acceptance-disagrees" not in {f["code"] for f in cell["findings"]}


def test_the_window_has_the_requests_own_acceptance(cell: dict[str, Any]) -> None:
    found = cell["acceptance"]
    assert found["source"] == "requests in the window"
    assert 0 < found["drafts"] < cell["whole_run"]["acceptance"]["drafts"]
    assert found["length"] == pytest.approx(LENGTH, rel=0.02)
    assert found["rate"] == pytest.approx((LENGTH - 1) / 3, rel=0.04)
    assert found["conditional_by_position"] == pytest.approx(RATES, abs=0.03)
    assert cell["tokens_per_step"] == pytest.approx(LENGTH, rel=0.02)


def test_every_category_is_near_the_programmed_length(cell: dict[str, Any]) -> None:
    found = cell["acceptance_by_category"]
    assert len(found) == CATEGORIES
    drafts = sum(one["acceptance"]["drafts"] for one in found)
    assert drafts == cell["acceptance"]["drafts"]
    for one in found:
        assert one["acceptance"]["length"] == pytest.approx(LENGTH, rel=0.08)
