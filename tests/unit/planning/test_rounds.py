"""From a round of the search to launches."""

import pytest

from specbench.planning.expand import plan_sweep
from specbench.planning.rounds import plan_round
from specbench.schema.cell import CellKey, Condition
from specbench.schema.search import SearchRound
from specbench.schema.sweep import BASELINE
from tests.unit.planning.sweep_texts import SOUND, read

OTHER_ARM = '[[arms]]\nname = "b"\nspeculative = { method = "x" }\n'
SPEC = read(SOUND + OTHER_ARM, "search.mode=adaptive")
TARGET = SPEC.targets[0]
LOW, NEW = (Condition("Some-Model-8B", "mt-bench-style", 0, 0.0, c) for c in (1, 7))


def round_of(number: int, *arms: str) -> SearchRound:
    cells = dict.fromkeys((BASELINE, *arms), (LOW, NEW))
    return SearchRound(number, cells, "to see more")


def test_a_round_is_one_launch_of_each_of_its_arms_and_its_number_the_replicate() -> (
    None
):
    waves = plan_round(SPEC, TARGET, round_of(1, "b"), 1, None)
    launches = [launch for wave in waves for launch in wave]
    assert [(x.index, x.wave, x.arm, x.replicate) for x in launches] == [
        (1, 0, BASELINE, 1),
        (2, 1, "b", 1),
    ]
    assert launches[1].speculative == {"method": "x"}
    assert launches[1].cells == (CellKey(LOW, "b", 1), CellKey(NEW, "b", 1))


def test_launches_and_waves_are_counted_on_and_every_second_round_runs_backwards() -> (
    None
):
    first = plan_round(SPEC, TARGET, round_of(1, "b"), 1, None)
    second = plan_round(SPEC, TARGET, round_of(2, "b"), 1, first[-1][-1])
    launches = [launch for wave in second for launch in wave]
    assert [(x.index, x.wave, x.arm) for x in launches] == [
        (3, 2, "b"),
        (4, 3, BASELINE),
    ]


def test_a_launch_of_a_round_is_served_like_one_of_the_grid() -> None:
    grid = plan_sweep(SPEC).launches[0]
    ((launch,), *_) = plan_round(SPEC, TARGET, round_of(1, "b"), 1, None)
    assert (launch.target, launch.caps) == (grid.target, grid.caps)


def test_arms_take_turns_on_the_places() -> None:
    places: dict[str, list[int]] = {BASELINE: [], "b": []}
    last = None
    for number in range(1, 5):
        waves = plan_round(SPEC, TARGET, round_of(number, "b"), 2, last)
        assert len(waves) == 1
        last = waves[-1][-1]
        for launch in waves[0]:
            places[launch.arm].append(launch.place)
    assert places == {BASELINE: [0, 1, 0, 1], "b": [1, 0, 1, 0]}


def test_arms_that_do_not_fit_side_by_side_follow_in_another_wave() -> None:
    waves = plan_round(SPEC, TARGET, round_of(1, "ngram-k3", "b"), 2, None)
    assert [[(x.arm, x.place) for x in wave] for wave in waves] == [
        [(BASELINE, 0), ("ngram-k3", 1)],
        [("b", 0)],
    ]


def test_an_arm_without_cells_is_not_launched() -> None:
    round_ = SearchRound(1, {BASELINE: (LOW,), "b": (), "ngram-k3": (LOW,)}, "")
    waves = plan_round(SPEC, TARGET, round_, 1, None)
    assert [wave[0].arm for wave in waves] == [BASELINE, "ngram-k3"]


def test_an_arm_that_the_sweep_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="stranger"):
        plan_round(SPEC, TARGET, round_of(1, "stranger"), 1, None)
