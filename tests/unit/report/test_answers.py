"""Break-evens beside the loads that they rest on."""

from dataclasses import replace

import pytest

from specbench.report.answers import group_answers, neighbours
from specbench.report.naming import answer_title
from specbench.schema.comparison import BreakEven
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import example_facts, example_findings

ANSWERS = example_answers()


def loads(found: BreakEven) -> list[int]:
    """Concurrency of the neighbours."""
    return [p.condition.concurrency for p in neighbours(found)]


def titled(break_evens: tuple[BreakEven, ...]) -> list[str]:
    return [answer_title(answer, example_facts()) for answer in break_evens]


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("pays up to", [64, 128]),
        ("capacity", [64, 128]),
        ("several", [1, 4, 16, 64]),
        ("undecided", [8, 64]),
        ("everywhere", [32, 256]),
        ("one launch, everywhere", [1, 2]),
        ("nothing", []),
    ],
)
def test_neighbours_are_beside_each_crossing_else_the_ends_of_the_curve(
    name: str, beside: list[int]
) -> None:
    assert loads(ANSWERS[name]) == beside


def test_one_load_is_its_own_neighbour_once() -> None:
    one = ANSWERS["everywhere"]
    alone = replace(one, curve=replace(one.curve, points=one.curve.points[:1]))
    assert loads(alone) == [32]


def test_all_metrics_of_an_arm_stand_together() -> None:
    answers = example_findings().break_evens
    groups = group_answers(answers, titled(answers))
    assert [len(group.answers) for group in groups] == [3, 3]
    for part in ("ngram-k3", "SmolLM2-135M-Instruct", "vLLM 0.32.0", "grounded"):
        assert part in groups[0].title


def test_each_break_even_needs_a_title() -> None:
    with pytest.raises(ValueError, match="zip"):
        group_answers(example_findings().break_evens, ["one"])


def test_equal_sentences_are_said_once_and_others_name_their_metrics() -> None:
    answers = example_findings().break_evens
    same, different = group_answers(answers, titled(answers))
    assert same.notes() == ("from 2 launches of each arm",)
    assert same.loads() == ("pays at concurrency 1, 2, 4, 8, 16",)
    assert different.loads() == (
        "throughput, median TPOT: pays at concurrency 1; not told from 1 at 2; loses at"
        " 4, 8, 16",
        "p95 TPOT: not told from 1 at concurrency 1; loses at 2, 4, 8, 16",
    )
    assert same.next_steps() == ()
    assert different.next_steps() == ("p95 TPOT: measure more launches of each arm",)


def test_title_over_contexts_names_the_load_and_no_context() -> None:
    title = answer_title(ANSWERS["context"], example_facts())
    assert "concurrency 32" in title
    assert "prompts as they are" not in title
