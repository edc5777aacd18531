"""`specbench engines check` on the captures beside this file: every adapter passes on
those of its engine, and an adapter that errs in one thing is told in which."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specbench.engines import ADAPTERS
from specbench.engines.checking.checks import check_captures
from specbench.engines.checking.verdicts import CheckedItem, Verdict
from specbench.engines.contract import EngineAdapter, FactPages
from specbench.engines.vllm import VllmAdapter
from specbench.schema.drafting import RequestDrafts
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.store.captures import read_captures

CAPTURES = Path(__file__).parent / "captures"
SETS = sorted(path.parent for path in CAPTURES.glob("*/*/meta.toml"))
VLLM = CAPTURES / "vllm" / "0.32.0"


def failed(adapter: EngineAdapter, folder: Path) -> list[CheckedItem]:
    items = check_captures(adapter, read_captures(folder))
    return [item for item in items if item.is_failed]


@pytest.mark.parametrize("folder", SETS, ids=lambda path: path.parent.name)
def test_an_adapter_passes_on_the_captures_of_its_engine(folder: Path) -> None:
    captured = read_captures(folder)
    items = check_captures(ADAPTERS[captured.engine], captured)
    assert [item for item in items if item.is_failed] == []
    assert {item.arm for item in items} >= {arm.name for arm in captured.arms}
    passed = {item.item for item in items if item.verdict is Verdict.OK}
    assert passed >= {
        "version",
        "max_num_seqs",
        "waiting",
        "generation_tokens",
        "acceptance counters",
        "acceptance of the request",
        "stream",
        "cause",
    }


def test_there_are_captures_to_check() -> None:
    assert VLLM in SETS


class Erring(VllmAdapter):
    """vLLM's adapter but for what a test changes."""

    def __init__(self, **changes: Any) -> None:
        self.changes = changes

    def read_facts(self, pages: FactPages) -> EngineFacts:
        facts = super().read_facts(pages)
        return replace(facts, **self.changes.get("facts", {}))

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        counters, gauges = super().read_metrics(text)
        return (
            replace(counters, **self.changes.get("counters", {})),
            replace(gauges, **self.changes.get("gauges", {})),
        )

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        if "request" in self.changes:
            drafts: RequestDrafts | None = self.changes["request"]
            return drafts
        return super().read_request(figures)

    def find_cause(self, log: str) -> str:
        cause: str = self.changes.get("cause", super().find_cause(log))
        return cause


TOO_MANY = RequestDrafts(
    steps=2,
    drafts=2,
    draft_tokens=4,
    accepted_tokens=6,
    accepted_by_position=(2, 1),
    longest_draft=2,
)


@pytest.mark.parametrize(
    ("changes", "item", "verdict", "words"),
    [
        ({"facts": {"version": "0.1"}}, "version", Verdict.WRONG, "0.32.0"),
        ({"facts": {"max_num_seqs": None}}, "max_num_seqs", Verdict.MISSING, "16"),
        ({"facts": {"prefix_caching": 1}}, "prefix_caching", Verdict.WRONG, "True"),
        ({"gauges": {"running": 1.0}}, "running", Verdict.WRONG, "nothing ran"),
        ({"gauges": {"waiting": None}}, "waiting", Verdict.MISSING, "nothing"),
        ({"gauges": {"kv_usage": 20.0}}, "kv_usage", Verdict.WRONG, "20"),
        (
            {"counters": {"generation_tokens": None}},
            "generation_tokens",
            Verdict.MISSING,
            "nothing",
        ),
        (
            {"counters": {"prompt_tokens": 7.0}},
            "prompt_tokens",
            Verdict.WRONG,
            "in between",
        ),
        (
            {"counters": {"accepted_by_position": (900.0,)}},
            "acceptance counters",
            Verdict.WRONG,
            "[900] is not",
        ),
        ({"request": None}, "acceptance of the request", Verdict.MISSING, "none"),
        ({"request": TOO_MANY}, "acceptance of the request", Verdict.WRONG, "more"),
        ({"cause": ""}, "cause", Verdict.MISSING, "nothing"),
        ({"cause": "it failed"}, "cause", Verdict.WRONG, "it failed"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_adapter_that_errs_is_told_where(
    changes: dict[str, Any], item: str, verdict: Verdict, words: str
) -> None:
    found = failed(Erring(**changes), VLLM)
    assert found
    assert {one.item for one in found} == {item}
    assert {one.verdict for one in found} == {verdict}
    assert any(words in one.said for one in found)
    assert all((VLLM / one.place.partition(",")[0]).exists() for one in found)


def test_series_that_are_not_stored_are_no_answer() -> None:
    adapter = Erring()
    adapter.series_prefix = "vllm:num_requests"
    found = failed(adapter, VLLM)
    assert {one.item for one in found} == {"metrics page"}
    assert all("only those are stored" in one.said for one in found)


def test_a_flag_that_the_engine_lacks_is_named() -> None:
    captured = replace(read_captures(VLLM), flags="--host\n--port\n")
    items = check_captures(VllmAdapter(), captured)
    (on_gpu, on_cpu) = [one for one in items if one.item.startswith("flags")]
    assert on_gpu.verdict is on_cpu.verdict is Verdict.WRONG
    assert "--max-num-seqs" in on_gpu.said
    assert "--host" not in on_gpu.said
