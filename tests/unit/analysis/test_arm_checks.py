"""An arm's cell beside the baseline's: other outputs, other cache hits, lossy arms."""

from collections.abc import Mapping

import pytest

from specbench.analysis.arm_checks import add_arm_findings
from specbench.analysis.arms import ArmTraits, fixed_draft_tokens
from specbench.analysis.outputs import Output, Outputs
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats

LOSSY = {("target", "arm"): ArmTraits(3, ("rejection_sample_method = synthetic",))}
VOID = Finding(Severity.VOID, "errors", "", "")


def answers(tokens: int) -> Outputs:
    return {place: Output(f"q/{place}", tokens, "stop") for place in range(10)}


def codes(
    cells: list[CellStats],
    outputs: Mapping[CellKey, Outputs] | None = None,
    traits: Mapping[tuple[str, str], ArmTraits] | None = None,
) -> dict[tuple[str, int], list[str]]:
    """Codes of each cell by arm and replicate."""
    judged = add_arm_findings(cells, traits or {}, outputs or {})
    assert [c.key for c in judged] == [c.key for c in cells]
    return {(c.key.arm, c.key.replicate): [f.code for f in c.findings] for c in judged}


def test_an_arm_with_other_answers_is_flagged_and_its_baseline_is_not() -> None:
    base, arm = cell_stats(), cell_stats("arm")
    found = codes([base, arm], {base.key: answers(100), arm.key: answers(150)})
    assert found == {(BASELINE, 1): [], ("arm", 1): ["outputs-differ"]}


def test_an_arm_is_held_against_the_baseline_launch_of_its_number() -> None:
    cells = [cell_stats(a, r) for a in (BASELINE, "arm") for r in (1, 2)]
    lengths = {(BASELINE, 1): 100, (BASELINE, 2): 104, ("arm", 1): 111, ("arm", 2): 109}
    outputs = {c.key: answers(lengths[c.key.arm, c.key.replicate]) for c in cells}
    found = codes(cells, outputs)
    # 11 against 100 is over 5 %, 5 against 104 is not
    assert found["arm", 1] == ["outputs-differ"]
    assert found["arm", 2] == []


def test_without_a_launch_of_its_number_the_first_baseline_stands_in() -> None:
    base, arm = cell_stats(replicate=2), cell_stats("arm", 5)
    found = codes([arm, base], {base.key: answers(100), arm.key: answers(150)})
    assert found["arm", 5] == ["outputs-differ"]


@pytest.mark.parametrize("spoilt", [BASELINE, "arm"])
def test_void_cells_are_not_compared(spoilt: str) -> None:
    cells = [
        cell_stats(arm, findings=(VOID,) if arm == spoilt else ())
        for arm in (BASELINE, "arm")
    ]
    outputs = {c.key: answers(300 if c.key.arm == "arm" else 100) for c in cells}
    assert "outputs-differ" not in codes(cells, outputs)["arm", 1]


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (None, []),
        (0.30, []),
        (0.349, []),
        (0.351, ["cache-hits-differ"]),
        (0.24, ["cache-hits-differ"]),
    ],
)
def test_cache_hits_that_differ_by_over_five_points_are_flagged(
    rate: float | None, expected: list[str]
) -> None:
    cells = [
        cell_stats(prefix_hit_rate=0.30),
        cell_stats("arm", prefix_hit_rate=rate),
    ]
    assert codes(cells)["arm", 1] == expected


def test_baselines_that_differ_in_cache_hits_allow_an_arm_to() -> None:
    cells = [
        cell_stats(prefix_hit_rate=0.30),
        cell_stats(replicate=2, prefix_hit_rate=0.50),
        cell_stats("arm", prefix_hit_rate=0.45),
    ]
    assert codes(cells)["arm", 1] == []


def test_every_cell_of_a_lossy_arm_is_flagged_with_the_setting_even_a_void_one() -> (
    None
):
    cells = [
        cell_stats("arm"),
        cell_stats("arm", 2, findings=(VOID,)),
        cell_stats("exact"),
        cell_stats(),
    ]
    found = codes(cells, traits=LOSSY)
    assert found["arm", 1] == ["not-lossless"]
    assert found["arm", 2] == ["errors", "not-lossless"]
    assert found["exact", 1] == []
    assert found[BASELINE, 1] == []
    (judged, *_) = add_arm_findings(cells, LOSSY, {})
    assert "synthetic" in judged.findings[0].message


@pytest.mark.parametrize(
    ("speculative", "k"),
    [
        ({"num_speculative_tokens": 3}, 3),
        ({"method": "suffix"}, None),
        ({"num_speculative_tokens": True}, None),
        ({"num_speculative_tokens": "3"}, None),
        (
            {
                "num_speculative_tokens": 3,
                "num_speculative_tokens_per_batch_size": [[1, 8, 3]],
            },
            None,
        ),
    ],
)
def test_the_draft_length_is_known_where_it_is_given_and_fixed(
    speculative: dict[str, object], k: int | None
) -> None:
    assert fixed_draft_tokens(speculative) == k
