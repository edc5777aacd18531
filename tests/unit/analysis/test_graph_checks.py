"""Steps beyond the CUDA graphs: running batch x (k + 1) against the largest one."""

from dataclasses import replace

import pytest

from specbench.analysis.arms import ArmTraits
from specbench.analysis.graph_checks import add_graph_findings
from specbench.schema.findings import CellStats, Finding
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats

TRAITS = {("target", "arm"): ArmTraits(draft_tokens=3)}
FACTS = EngineFacts(
    *("vllm", "0.32.0", "m", 2048, None, None, 256, 8192, False),
    cuda_graph_max_tokens=512,
)


def launches(largest: int | None = 512) -> list[LaunchRecord]:
    facts = replace(FACTS, cuda_graph_max_tokens=largest)
    return [
        LaunchRecord(place, "target", arm, 1, (), facts=facts)
        for place, arm in enumerate((BASELINE, "arm"), 1)
    ]


def judge(batch: float | None, largest: int | None = 512) -> dict[str, list[Finding]]:
    cells = [cell_stats(arm, running_batch=batch) for arm in (BASELINE, "arm")]
    judged = add_graph_findings(cells, launches(largest), TRAITS)
    return {c.key.arm: list(c.findings) for c in judged}


@pytest.mark.parametrize(
    ("batch", "flagged"),
    [
        (128.0, set()),
        (128.1, {"arm"}),
        (512.0, {"arm"}),
        (512.1, {"arm", BASELINE}),
    ],
)
def test_a_step_beyond_the_largest_graph_is_flagged(
    batch: float, flagged: set[str]
) -> None:
    found = judge(batch)
    assert {arm for arm, findings in found.items() if findings} == flagged
    codes = {f.code for findings in found.values() for f in findings}
    assert codes <= {"beyond-cuda-graphs"}


def test_the_arms_finding_says_both_sides() -> None:
    (found,) = judge(200.0)["arm"]
    assert "arm: batch 200 x 4 = 800 tokens a step, beyond" in found.message
    assert "baseline: batch 200 x 1 = 200 tokens a step, within" in found.message


@pytest.mark.parametrize(("batch", "largest"), [(None, 512), (9000.0, None)])
def test_an_unknown_batch_or_an_engine_without_graphs_is_not_judged(
    batch: float | None, largest: int | None
) -> None:
    assert judge(batch, largest) == {BASELINE: [], "arm": []}


def test_an_arm_whose_draft_length_is_unknown_is_not_judged() -> None:
    cell: CellStats = cell_stats("arm", running_batch=9000.0)
    for traits in ({}, {("target", "arm"): ArmTraits(None)}):
        (judged,) = add_graph_findings([cell], launches(), traits)
        assert judged.findings == ()


def test_a_launch_that_never_told_its_facts_is_not_judged() -> None:
    bare = [replace(record, facts=None) for record in launches()]
    (judged,) = add_graph_findings(
        [cell_stats("arm", running_batch=9000.0)], bare, TRAITS
    )
    assert judged.findings == ()
