"""Break-evens beside the loads that they rest on."""

from specbench.analysis.run import conclude
from specbench.report.answers import group_answers, neighbours
from specbench.schema.comparison import BreakEven, BreakEvenOutcome
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells


def answer(*ratios: float) -> BreakEven:
    """The throughput answer of one arm whose speedups are known."""
    course = Course("d", (100.0,) * len(ratios), {"a": ArmCourse(ratios, ratios)})
    loads = tuple(2**i for i in range(len(ratios)))
    return conclude(make_cells((course,), loads, 1), []).break_evens[0]


def loads(found: BreakEven) -> list[int]:
    """Concurrency of the neighbours."""
    return [p.condition.concurrency for p in neighbours(found)]


def test_neighbours_of_a_crossing_are_the_measured_loads_beside_it() -> None:
    found = answer(1.5, 1.2, 0.9, 0.8)
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert loads(found) == [2, 4]


def test_without_a_crossing_the_ends_of_the_curve_are_shown() -> None:
    assert loads(answer(1.5, 1.2, 1.1)) == [1, 4]
    assert loads(answer(1.5)) == [1]


def test_several_crossings_show_the_loads_beside_each_of_them() -> None:
    found = answer(1.5, 1.2, 0.9, 1.1, 1.2)
    assert found.outcome is BreakEvenOutcome.SEVERAL
    assert loads(found) == [2, 4, 8]


def test_both_metrics_of_an_arm_stand_together() -> None:
    groups = group_answers(example_findings().break_evens)
    assert [len(group.answers) for group in groups] == [2, 2]
    title = groups[0].title(example_facts())
    for part in ("ngram-k3", "SmolLM2-135M-Instruct", "vLLM 0.32.0", "grounded"):
        assert part in title


def test_equal_notes_are_said_once_and_different_ones_name_their_metric() -> None:
    same, different = group_answers(example_findings().break_evens)
    assert len(same.notes()) == 1
    assert [note.split(":")[0] for note in different.notes()] == [
        "throughput",
        "median TPOT",
    ]
