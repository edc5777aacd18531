"""The statistics benchmark: a tiny study, and the parts that its verdict rests on."""

import importlib
import math
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specbench.schema.comparison import CLOSED_LOOP, BreakEvenOutcome, SpeedupMetric

FOLDER = Path(__file__).parents[2] / "benchmarks" / "stats"
MODULES = tuple(path.stem for path in sorted(FOLDER.glob("*.py")))
THROUGHPUT = SpeedupMetric.THROUGHPUT


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Its modules, which lie beside each other and in no package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def effort(bench: dict[str, Any], sweeps: int) -> Any:
    """As little as gives every table its rows."""
    size = bench["cells"].CellSize(at_least=48, per_slot=3)
    plan = bench["draws"].Plan(loads=(1, 8, 32, 48), seeds=2, size=size)
    return bench["study"].Effort(
        plan=plan, sweeps=sweeps, whole=1, near_loads=6, processes=1
    )


def curve(bench: dict[str, Any], name: str) -> Any:
    return next(c for c in bench["curves"].CURVES if c.name == name)


def test_a_tiny_study_fills_its_tables_and_its_two_ways_agree(
    bench: dict[str, Any],
) -> None:
    study = bench["study"].run_study(effort(bench, sweeps=2), ["steep"])
    assert [case.noise.deviation for case in study.cases] == [0.005, 0.02, 0.1]
    for case in study.cases:
        assert [tally.sweeps for tally in case.tallies.values()] == [2, 2, 2]
    assert study.agreement.cells == 24
    checks = bench["promises"].check(study)
    assert [one.holds for one in checks] == [True], checks[0].text
    text = bench["page"].tables(study)
    assert text.count("| steep |") == 6
    assert text.count("against itself |") == 3
    assert "nan" not in text


def test_a_slower_engine_gives_the_same_cell_stretched(bench: dict[str, Any]) -> None:
    cells = bench["cells"]
    size = cells.CellSize(at_least=24, per_slot=4)
    name = cells.CellName(curve(bench, "steep").arm, 6, seed=3, size=size)
    slow = cells.simulate(name, 1.3)
    stretched = cells.rescaled(cells.simulate(name), 1.3, "arm", 1)
    assert slow.output_throughput == pytest.approx(stretched.output_throughput)
    assert slow.tpot.p50 == pytest.approx(stretched.tpot.p50)
    assert slow.tpot.p95 == pytest.approx(stretched.tpot.p95)
    assert slow.mean_tpot_by_token == pytest.approx(stretched.mean_tpot_by_token)
    assert slow.completed == stretched.completed


def test_a_sweep_has_a_name_and_is_always_the_same(bench: dict[str, Any]) -> None:
    draws, plan = bench["draws"], effort(bench, sweeps=1).plan
    noise = draws.Noise(0.02, 0.5, 0.5)
    first, again, other = (
        draws.draw(curve(bench, "flat"), noise, number, plan) for number in (4, 4, 5)
    )
    assert first == again != other
    assert Counter((d.arm, d.replicate) for d in first) == Counter(
        {(arm, r): 4 for arm in ("baseline", "arm") for r in (1, 2, 3)}
    )


def test_noise_is_split_between_launches_and_cells(bench: dict[str, Any]) -> None:
    noise = bench["draws"].Noise(0.1, 0.5, launch_share=0.36)
    arm, baseline = noise.of("arm"), noise.of("baseline")
    assert arm.launch == pytest.approx(0.06)
    assert arm.cell == pytest.approx(0.08)
    assert baseline.launch == pytest.approx(0.03)


def test_the_root_of_a_curve_is_told_from_loads_around_it(
    bench: dict[str, Any],
) -> None:
    def log_speedup(log_batch: float) -> float:
        return 0.3 * (math.log(20) - log_batch) - 0.05 * (log_batch - 3) * (
            log_batch - math.log(20)
        )

    points = [(math.log(b), log_speedup(math.log(b))) for b in (14, 16, 19, 23, 27)]
    root = bench["truth"].smooth_root(points)
    assert root.batch == pytest.approx(20)
    assert root.error < 1e-6
    bent = [(x, y + (0.01 if i == 2 else 0.0)) for i, (x, y) in enumerate(points)]
    assert bench["truth"].smooth_root(bent).error > 1e-3


def test_the_naive_interval_goes_through_every_draw_of_launches(
    bench: dict[str, Any],
) -> None:
    naive_interval = bench["naive"].naive_interval
    baseline = [[0.0, 0.0]] * 3
    low, high = naive_interval([1.0, 16.0], baseline, [[0.3, -0.1], [0.1, -0.3]] * 1)
    assert (low, high) == (pytest.approx(2.0), pytest.approx(8.0))
    same = naive_interval([1.0, 16.0], baseline, [[0.2, -0.2]] * 3)
    assert same == (pytest.approx(4.0), pytest.approx(4.0))
    assert naive_interval([1.0, 16.0], baseline, [[0.2, 0.1]] * 3) is None


def case(bench: dict[str, Any], speedups: tuple[float, ...], **counts: Any) -> Any:
    """A thousand sweeps of some curve."""
    truths = {
        metric: bench["truth"].Truth(
            speedups=speedups,
            batches=(1.0,) * len(speedups),
            sampling=(0.0,) * len(speedups),
            baseline_sampling=(0.0,) * len(speedups),
            crossing=bench["truth"].Crossing(20.0, 0.001),
        )
        for metric in CLOSED_LOOP
    }
    name = counts.pop("name", "medium")
    noise = bench["draws"].Noise(0.02, 0.5, 0.5)
    found = bench["tally"].Tally(sweeps=1000, **counts)
    return bench["study"].Case(
        curve(bench, name), noise, truths, dict.fromkeys(CLOSED_LOOP, found)
    )


def broken(bench: dict[str, Any], *cases: Any, claims: int = 0) -> list[str]:
    """First words of the promises that did not hold."""
    study = bench["study"]
    equal = study.EqualArms("twins", 0.02, 1000, Counter({"any": claims}))
    agreement = bench["agreement"].Agreement(1, 54, 0.0, 0.0, 0.0, 0)
    found = study.Study(effort(bench, sweeps=1000), cases, (equal,), agreement)
    checks = bench["promises"].check(found)
    return [check.text.split(":")[0] for check in checks if not check.holds]


UP_TO, OPEN = BreakEvenOutcome.PAYS_UP_TO, BreakEvenOutcome.UNDECIDED
NEVER, SEVERAL = BreakEvenOutcome.NEVER_PAYS, BreakEvenOutcome.SEVERAL
CROSSING, FLAT, LOW, TWO = (0.3, -0.3), (0.01, -0.01), (-0.3, -0.4), (0.3, -0.3, 0.3)


@pytest.mark.parametrize(
    ("speedups", "counts", "words"),
    [
        (CROSSING, {"given": 1000, "covered": 920}, []),
        (
            CROSSING,
            {"given": 1000, "covered": 919},
            ["coverage of the 95 % interval"],
        ),
        (
            CROSSING,
            {"given": 1000, "covered": 991},
            ["coverage of the 95 % interval"],
        ),
        (CROSSING, {"wrong_side": 21}, ["some load is given the wrong side"]),
        (CROSSING, {"wrong_side": 20}, []),
    ],
)
def test_intervals_and_sides_are_held_to_their_bounds(
    bench: dict[str, Any],
    speedups: tuple[float, ...],
    counts: dict[str, int],
    words: list[str],
) -> None:
    named = {"outcomes": Counter({UP_TO: 1000}), **counts}
    assert broken(bench, case(bench, speedups, **named)) == words


@pytest.mark.parametrize(
    ("name", "speedups", "outcomes", "words"),
    [
        ("never", LOW, {NEVER: 950, OPEN: 50}, []),
        (
            "never",
            LOW,
            {NEVER: 949, OPEN: 51},
            ["right where every load is 4.0 deviations from 1"],
        ),
        ("never", (-0.05, -0.4), {NEVER: 100, OPEN: 900}, []),
        ("steep", (0.3, -0.05), {UP_TO: 900, OPEN: 100}, []),
        ("steep", (0.3, -0.05), {UP_TO: 899, OPEN: 101}, ["steep and medium decided"]),
        ("flat", FLAT, {OPEN: 980, UP_TO: 20}, []),
        ("flat", FLAT, {OPEN: 980, SEVERAL: 21}, ["a flat curve is given a number"]),
        ("two crossings", TWO, {SEVERAL: 960, OPEN: 40}, []),
        (
            "two crossings",
            TWO,
            {SEVERAL: 999, UP_TO: 1},
            ["two crossings named as one"],
        ),
    ],
)
def test_names_are_held_to_their_bounds(
    bench: dict[str, Any],
    name: str,
    speedups: tuple[float, ...],
    outcomes: dict[BreakEvenOutcome, int],
    words: list[str],
) -> None:
    found = case(bench, speedups, name=name, outcomes=Counter(outcomes))
    assert broken(bench, found) == words


def test_equal_arms_are_held_to_their_bound(bench: dict[str, Any]) -> None:
    assert broken(bench, claims=20) == []
    assert broken(bench, claims=21) == ["equal arms"]


def test_a_difference_between_the_two_ways_breaks_the_first_promise(
    bench: dict[str, Any],
) -> None:
    fine = bench["agreement"].Agreement(1, 54, 1e-6, 0.01, 0.001, 0)
    assert fine.holds
    assert not replace(fine, unlike=1).holds
    assert not replace(fine, figure=0.002).holds
    assert not replace(fine, place=0.02).holds


def test_the_page_is_rewritten_between_its_marks_only(
    bench: dict[str, Any], tmp_path: Path
) -> None:
    page = bench["page"]
    file = tmp_path / "method.md"
    file.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    page.save("new", file)
    page.save("newer", file)
    assert file.read_text() == f"before\n{page.BEGIN}\n\nnewer\n{page.END}\nafter\n"
    file.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        page.save("new", file)


def test_the_method_page_has_the_marks(bench: dict[str, Any]) -> None:
    text = bench["page"].METHOD.read_text()
    assert 0 < text.find(bench["page"].BEGIN) < text.find(bench["page"].END)
