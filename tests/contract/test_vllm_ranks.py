"""Two data-parallel ranks behind one port, as a real vLLM 0.32.0 shows them: what is
read are the sums, and they are the answers' own counts."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from specbench.engines.contract import FactPages
from specbench.engines.vllm import VllmAdapter
from specbench.schema.snapshot import EngineCounters
from specbench.wire.prometheus import cut_to_prefix

CAPTURES = Path(__file__).parent / "captures" / "vllm-two-ranks"
META: dict[str, Any] = tomllib.loads((CAPTURES / "meta.toml").read_text("utf-8"))
VLLM = VllmAdapter()


def page(when: str) -> str:
    return (CAPTURES / f"metrics-{when}.txt").read_text("utf-8")


def counters(when: str) -> EngineCounters:
    return VLLM.read_metrics(page(when))[0]


def of_rank(name: str, rank: int) -> float:
    """One rank's value, by the page's own text."""
    (line,) = re.findall(rf'^vllm:{name}{{engine="{rank}",.*$', page("after"), re.M)
    return float(line.rpartition(" ")[2])


def test_both_ranks_have_worked() -> None:
    for rank in (0, 1):
        assert of_rank("spec_decode_num_drafts_total", rank) > 0
        assert of_rank("generation_tokens_total", rank) > 0


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("drafts", "spec_decode_num_drafts_total"),
        ("draft_tokens", "spec_decode_num_draft_tokens_total"),
        ("accepted_tokens", "spec_decode_num_accepted_tokens_total"),
        ("generation_tokens", "generation_tokens_total"),
        ("prompt_tokens", "prompt_tokens_total"),
        ("preemptions", "num_preemptions_total"),
    ],
)
def test_counters_are_sums_over_ranks(field: str, name: str) -> None:
    assert getattr(counters("after"), field) == of_rank(name, 0) + of_rank(name, 1)


def test_sums_are_what_the_answers_counted() -> None:
    """Each request's first token comes from its prompt; the others from steps, of
    which each gave one token beside those that it accepted."""
    read, answers = counters("after"), META["output_tokens"]
    assert read.generation_tokens == sum(answers)
    assert read.prompt_tokens == META["prompt_tokens"] * len(answers)
    assert read.accepted_tokens is not None
    assert read.accepted_tokens <= sum(answers) - len(answers)


def test_positions_are_summed_one_by_one() -> None:
    read = counters("after")
    assert read.accepted_by_position is not None
    assert len(read.accepted_by_position) == 3
    assert sum(read.accepted_by_position) == read.accepted_tokens
    assert all(count <= (read.drafts or 0) for count in read.accepted_by_position)


def test_an_idle_server_has_counted_nothing() -> None:
    """Its gauges are not on the page before the first request: missing, not zero."""
    read, gauges = VLLM.read_metrics(page("idle"))
    assert read.drafts == read.generation_tokens == 0
    assert gauges.running is None
    assert VLLM.read_metrics(page("after"))[1].running == 0


def test_both_caches_are_counted() -> None:
    facts = VLLM.read_facts(
        FactPages(version=None, models=None, metrics=page("idle"), log="")
    )
    assert facts.kv_capacity_tokens == 2 * 23296
    assert facts.kv_max_concurrency == 2 * 22.75


@pytest.mark.parametrize("when", ["idle", "after"])
def test_a_stored_page_says_the_same(when: str) -> None:
    kept = cut_to_prefix(page(when), VLLM.series_prefix)
    assert VLLM.read_metrics(kept) == VLLM.read_metrics(page(when))
