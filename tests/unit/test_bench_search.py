"""The search benchmark: a tiny study, and the parts that its verdict rests on."""

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specbench.schema.comparison import BreakEvenOutcome

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OWN = ("machine", "rivals", "score", "cases", "promised", "tables")
STATS = (
    "cells",
    "curves",
    "draws",
    "naive",
    "pages",
    "study",
    "tally",
    "truth",
    "workers",
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Its modules, and those of the statistics benchmark that it rests on."""
    monkeypatch.syspath_prepend(str(BENCHMARKS / "stats"))
    monkeypatch.syspath_prepend(str(BENCHMARKS / "search"))
    yield {name: importlib.import_module(name) for name in (*STATS, *OWN)}
    for name in (*STATS, *OWN, "agreement"):
        sys.modules.pop(name, None)


LOADS = (4, 16, 32, 48)


def effort(bench: dict[str, Any]) -> Any:
    """As little as gives every table its rows."""
    return bench["cases"].Effort(
        loads=LOADS,
        size=bench["cells"].CellSize(at_least=16, per_slot=3),
        seeds=1,
        sweeps=2,
        shared=1,
        processes=1,
        levels=(0.005,),
    )


def sweep(bench: dict[str, Any], **changes: Any) -> Any:
    curve = next(c for c in bench["curves"].CURVES if c.name == "steep")
    noise = bench["draws"].Noise(0.005, 0.5, 0.5)
    return replace(bench["machine"].Sweep(curve, noise, LOADS), **changes)


def pool(bench: dict[str, Any]) -> Any:
    return bench["machine"].Pool(bench["cells"].CellSize(16, 3), 1)


def test_a_tiny_study_fills_its_tables(bench: dict[str, Any]) -> None:
    small = effort(bench)
    cases = bench["cases"].run_study(small, ["steep"])
    assert [case.curve.name for case in cases] == ["steep"]
    scores = cases[0].scores
    assert {score.answers for score in scores.values()} == {2}
    assert scores["grid"].cells == [1.0, 1.0]
    assert [score.answers for score in cases[0].shared.values()] == [6, 6]
    checks = bench["promised"].check(cases)
    text = bench["tables"].tables(cases, small, checks)
    assert text.count("| steep |") == 6
    assert "nan" not in text


def test_the_search_meets_the_same_cells_as_the_grid(bench: dict[str, Any]) -> None:
    machine, cells = bench["machine"], pool(bench)
    asked = sweep(bench, precision=0.2)
    grid = machine.run(asked, 7, cells, bench["rivals"].grid)
    search = machine.run(asked, 7, cells, bench["cases"].next_round)
    first = {c.key: c for c in search.cells if c.key.replicate == 1}
    same = {c.key: c for c in grid.cells if c.key.replicate == 1}
    assert first == same
    other = machine.run(asked, 8, cells, bench["rivals"].grid)
    assert grid.cells != other.cells


def test_the_grid_measures_each_load_in_three_launches(bench: dict[str, Any]) -> None:
    grid = bench["machine"].run(sweep(bench), 0, pool(bench), bench["rivals"].grid)
    assert grid.launches == 6
    counts = Counter((c.key.arm, c.key.condition.concurrency) for c in grid.cells)
    assert counts == {(arm, load): 3 for arm in ("baseline", "arm") for load in LOADS}


def test_bisection_halves_the_bracket_and_ends(bench: dict[str, Any]) -> None:
    rivals = bench["rivals"]
    found = bench["machine"].run(
        sweep(bench, precision=0.5), 0, pool(bench), rivals.bisection
    )
    loads = {c.key.condition.concurrency for c in found.cells}
    assert loads >= {4, 32, 48}
    assert found.launches <= 2 * rivals.MOST_LAUNCHES


def test_faster_cells_take_less_of_the_same_launches(bench: dict[str, Any]) -> None:
    machine, cells, grid = bench["machine"], pool(bench), bench["rivals"].grid
    slow = machine.run(sweep(bench), 0, cells, grid)
    fast = machine.run(sweep(bench, faster=10.0), 0, cells, grid)
    assert fast.seconds == pytest.approx(slow.seconds / 10)
    assert fast.total_s - fast.seconds == slow.total_s - slow.seconds


def case(bench: dict[str, Any], name: str = "medium", **figures: Any) -> Any:
    """A judged curve whose sweeps went as well as was promised, but for `figures`."""
    curve = next(c for c in bench["curves"].CURVES if c.name == name)
    crosses = name != "two crossings"
    truth = bench["truth"].Truth(
        speedups=(0.3, -0.3) if crosses else (0.3, -0.3, 0.3),
        batches=(1.0, 2.0, 3.0),
        sampling=(0.0,),
        baseline_sampling=(0.0,),
        crossing=bench["truth"].Crossing(20.0, 0.001) if crosses else None,
    )
    good: dict[str, Any] = {
        "answers": 1000,
        "outcomes": Counter({BreakEvenOutcome.SEVERAL: 1000}),
        "covered": 950,
        "given": 1000,
        "cells": [0.39] * 1000,
        "totals": [0.5] * 1000,
        "launches": [5] * 1000,
        "halves": [0.05] * 1000,
        "reached": 990,
    }
    cases, score = bench["cases"], bench["score"].Score
    made = cases.Case(curve, bench["draws"].Noise(0.02, 0.5, 0.5), truth, 0.05)
    for way in (cases.GRID, *cases.WAYS):
        made.scores[way.name] = score(**{**good, **figures})
    made.shared[1.0] = score(**{**good, **figures})
    return made


def broken(bench: dict[str, Any], *cases: Any) -> list[str]:
    return [
        check.text.split(":")[0]
        for check in bench["promised"].check(cases)
        if not check.holds
    ]


def test_good_sweeps_break_no_promise(bench: dict[str, Any]) -> None:
    assert broken(bench, case(bench), case(bench, "two crossings")) == []


def test_a_search_that_costs_too_much_is_noticed(bench: dict[str, Any]) -> None:
    assert broken(bench, case(bench, cells=[0.6] * 1000)) == [
        "cell time beside the grid's, median",
        "the same where a single crossing is known",
    ]


def test_one_sweep_beyond_the_grid_breaks_the_cap(bench: dict[str, Any]) -> None:
    cells = [0.3] * 999 + [1.01]
    assert broken(bench, case(bench, cells=cells)) == [
        "cell time beside the grid's, highest"
    ]


def test_time_with_launches_is_judged_too(bench: dict[str, Any]) -> None:
    assert broken(bench, case(bench, totals=[0.7] * 1000)) == [
        "time of six curves that share launches, median"
    ]


@pytest.mark.parametrize("covered", [900, 990])
def test_coverage_too_low_or_too_high_is_noticed(
    bench: dict[str, Any], covered: int
) -> None:
    assert broken(bench, case(bench, covered=covered)) == [
        "coverage of the 95 % interval"
    ]


def test_sweeps_that_stop_too_wide_are_noticed(bench: dict[str, Any]) -> None:
    assert broken(bench, case(bench, reached=300)) == [
        "sweeps that come to the grid's width"
    ]


def test_two_crossings_named_as_one_are_noticed(bench: dict[str, Any]) -> None:
    once = Counter({BreakEvenOutcome.SEVERAL: 999, BreakEvenOutcome.PAYS_UP_TO: 1})
    assert broken(bench, case(bench, "two crossings", outcomes=once)) == [
        "two crossings named as one"
    ]


def test_the_page_keeps_what_stands_around_the_tables(
    bench: dict[str, Any], tmp_path: Path
) -> None:
    tables = bench["tables"]
    page = tmp_path / "search.md"
    page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    tables.save("new", page)
    assert page.read_text() == (f"before\n{tables.BEGIN}\n\nnew\n{tables.END}\nafter\n")
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        tables.save("new", page)
