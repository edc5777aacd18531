"""The loop around a search: what a policy is told, and what becomes of its choice."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from specbench.planning.expand import plan_sweep
from specbench.runner.budget import Budget
from specbench.runner.events import Event, RoundStarted
from specbench.runner.interruption import Interruption
from specbench.runner.progress import SweepProgress
from specbench.runner.rounds import search_batches
from specbench.runner.sweep_job import SweepJob
from specbench.schema.cell import CellKey, Condition
from specbench.schema.plan import LaunchPlan, Wave
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.schema.search import (
    CurveEnd,
    CurveName,
    SearchEnd,
    SearchLog,
    SearchRound,
    StopReason,
)
from specbench.schema.sweep import BASELINE
from specbench.search.state import SearchState
from specbench.store.manifest import read_manifest
from specbench.store.writer import RunWriter
from specbench.units import NS_PER_S
from tests.factories import cell_stats
from tests.unit.planning.sweep_texts import SOUND, TWO_TARGETS, read
from tests.unit.store.examples import example_manifest

ARM = "ngram-k3"
LABEL = "Some-Model-8B"
LOW, HIGH = (Condition(LABEL, "mt-bench-style", 0, 0.0, c) for c in (1, 16))
FACTS = EngineFacts("vllm", "0.32.0", "m", 4096, None, None, 16, 8192, False)
END = SearchEnd(
    ends=(
        CurveEnd(
            CurveName("mt-bench-style", 0, 0.0, ARM), StopReason.DECIDED, "told apart"
        ),
    ),
    left_out=(),
)


def round_(number: int, *conditions: Condition) -> SearchRound:
    conditions = conditions or (LOW, HIGH)
    return SearchRound(number, {BASELINE: conditions, ARM: conditions}, "to see")


@dataclass
class Scripted:
    """A policy that goes by a list, and keeps what it was told."""

    choices: list[SearchRound | SearchEnd]
    told: list[SearchState] = field(default_factory=list)

    def __call__(self, state: SearchState) -> SearchRound | SearchEnd:
        self.told.append(state)
        return self.choices[len(self.told) - 1]


class Search:
    """A run without any engine: each cell lasts 2 s, each launch 5 s more."""

    def __init__(
        self, folder: Path, sweep: str = SOUND, budget: Budget | None = None
    ) -> None:
        spec = read(sweep, "search.mode=adaptive")
        self.writer = RunWriter.create(
            folder, example_manifest(), datetime(2026, 12, 1, tzinfo=UTC), "a1"
        )
        self.events: list[Event] = []
        budget = budget or Budget(None)
        plan = plan_sweep(spec)
        self.progress = SweepProgress(plan, budget)
        self.job = SweepJob(
            plan=plan,
            prompts=cast(Any, None),
            writer=self.writer,
            sites={target.label: {0: cast(Any, None)} for target in spec.targets},
            crews=(),
            listener=self.events.append,
            urls={},
            interruption=Interruption(),
            budget=budget,
        )

    @property
    def logs(self) -> tuple[SearchLog, ...]:
        """As they are kept on the disk."""
        return read_manifest(self.writer.layout.manifest).searches

    def run(
        self,
        policy: Scripted,
        record: Callable[[LaunchPlan], LaunchRecord] | None = None,
    ) -> list[Wave]:
        """Measure all that is chosen."""
        seen = []
        for batch in search_batches(self.job, self.progress, policy):
            for wave in batch:
                seen.append(wave)
                self.measure(wave, record or served)
        return seen

    def measure(
        self, wave: Iterable[LaunchPlan], record: Callable[[LaunchPlan], LaunchRecord]
    ) -> None:
        for launch in wave:
            made = record(launch)
            if made.facts is not None:
                self.progress.note_start(launch, replace(made, ready_s=1.0), None)
            for key in launch.cells if made.error is None else ():
                self.progress.note_cell(replace(cell_stats(), key=key), 2.0)
            self.progress.note_end(launch, made)
            if made.facts is not None:
                self.progress.note_wave((launch,), 5.0 + 2.0 * len(launch.cells))


def served(launch: LaunchPlan) -> LaunchRecord:
    label = launch.target.label
    return LaunchRecord(
        *(launch.index, label, launch.arm, launch.replicate, ("vllm",)), facts=FACTS
    )


def dead(launch: LaunchPlan) -> LaunchRecord:
    if launch.arm == BASELINE:
        return served(launch)
    return replace(served(launch), facts=None, error="out of memory")


def broken(launch: LaunchPlan) -> LaunchRecord:
    return replace(dead(launch), facts=FACTS)


def test_what_was_measured_is_told_before_the_next_choice(tmp_path: Path) -> None:
    policy = Scripted([round_(1), round_(2, HIGH), END])
    Search(tmp_path).run(policy)
    empty, first, both = policy.told
    assert (empty.cells, empty.rounds, empty.startup_s) == ((), (), 0.0)
    assert {cell.key for cell in first.cells} == {
        CellKey(c, arm, 1) for c in (LOW, HIGH) for arm in (BASELINE, ARM)
    }
    assert set(first.cell_s.values()) == {2.0}
    assert first.startup_s == pytest.approx(5.0)
    assert first.rounds == (round_(1),)
    assert len(both.cells) == 6
    assert both.arms == (ARM,)
    assert both.lost == frozenset()


def test_freezing_first_answers_is_not_counted_against_the_search(
    tmp_path: Path,
) -> None:
    search, policy = Search(tmp_path), Scripted([round_(1), END])
    batches = search_batches(search.job, search.progress, policy)
    next(batches)
    search.progress.note_freezing(LABEL, 1000.0)
    assert list(batches) == []
    assert policy.told[1].spent_s < policy.told[0].spent_s


def test_launches_alternate_from_round_to_round(tmp_path: Path) -> None:
    waves = Search(tmp_path).run(Scripted([round_(1), round_(2), END]))
    assert [(w[0].index, w[0].arm, w[0].replicate) for w in waves] == [
        (1, BASELINE, 1),
        (2, ARM, 1),
        (3, ARM, 2),
        (4, BASELINE, 2),
    ]


def test_each_round_is_told_as_it_begins(tmp_path: Path) -> None:
    search = Search(tmp_path)
    search.run(Scripted([round_(1), END]))
    assert search.events == [RoundStarted(LABEL, round_(1))]


def test_a_cell_that_only_a_comparison_of_launches_voids_is_void_for_the_policy(
    tmp_path: Path,
) -> None:
    def other_cap(launch: LaunchPlan) -> LaunchRecord:
        cap = 16 if launch.arm == BASELINE else 8
        return replace(served(launch), facts=replace(FACTS, max_num_seqs=cap))

    policy = Scripted([round_(1), END])
    Search(tmp_path).run(policy, other_cap)
    assert any(cell.is_void for cell in policy.told[-1].cells)


def test_the_log_is_kept_with_its_end_and_its_cost_beside_the_grids(
    tmp_path: Path,
) -> None:
    search = Search(tmp_path)
    search.run(Scripted([round_(1), END]))
    (log,) = search.logs
    assert (log.target, log.rounds, log.end) == (LABEL, (round_(1),), END)
    assert log.cell_seconds == pytest.approx(4 * 2.0)
    # 3 loads, 2 arms, 2 launches of each
    assert log.grid_cell_seconds == pytest.approx(12 * 2.0)
    assert log.grid_seconds == pytest.approx(12 * 2.0 + 4 * 5.0)


def test_an_interrupted_search_has_its_log_without_an_end(tmp_path: Path) -> None:
    search = Search(tmp_path)
    batches = search_batches(search.job, search.progress, Scripted([round_(1)]))
    ((first, *_), *_) = next(batches)
    (begun,) = search.logs
    assert (begun.rounds, begun.end, begun.cell_seconds) == ((round_(1),), None, 0)
    search.measure([first], served)
    batches.close()
    (log,) = search.logs
    assert (log.rounds, log.end) == ((round_(1),), None)
    assert log.cell_seconds == pytest.approx(2 * 2.0)


@pytest.mark.parametrize(
    ("record", "lost"), [(dead, {ARM}), (broken, set()), (served, set())]
)
def test_an_arm_that_did_not_start_is_lost_at_once(
    tmp_path: Path, record: Callable[[LaunchPlan], LaunchRecord], lost: set[str]
) -> None:
    policy = Scripted([round_(1), END])
    Search(tmp_path).run(policy, record)
    assert policy.told[-1].lost == lost


def test_an_arm_that_broke_under_load_twice_is_lost(tmp_path: Path) -> None:
    policy = Scripted([round_(1), round_(2), END])
    Search(tmp_path).run(policy, broken)
    assert [state.lost for state in policy.told] == [set(), set(), {ARM}]


def test_an_arm_that_measured_something_before_it_broke_is_not_lost(
    tmp_path: Path,
) -> None:
    search, policy = Search(tmp_path), Scripted([round_(1), round_(2), END])

    def half_broken(launch: LaunchPlan) -> LaunchRecord:
        search.progress.note_cell(replace(cell_stats(), key=launch.cells[0]), 2.0)
        return broken(launch)

    search.run(policy, half_broken)
    assert policy.told[-1].lost == set()


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    search, policy = Search(tmp_path), Scripted([END])
    search.progress.note_impossible(HIGH)
    search.run(policy)
    assert policy.told[0].impossible == {HIGH}


def test_a_policy_that_goes_on_with_a_spent_budget_is_not_obeyed(
    tmp_path: Path,
) -> None:
    at_s = [0.0]
    budget = Budget(10.0, lambda: round(at_s[0] * NS_PER_S))
    search = Search(tmp_path, budget=budget)
    policy = Scripted([round_(1), round_(2), round_(3)])
    batches = search_batches(search.job, search.progress, policy)
    next(batches)
    at_s[0] = 11.0
    assert list(batches) == []
    assert [state.budget_s for state in policy.told] == [10.0, 0.0]
    assert search.logs[0].rounds == (round_(1),)


def test_every_target_has_a_search_of_its_own(tmp_path: Path) -> None:
    search = Search(tmp_path, TWO_TARGETS)
    small, large = (
        SearchRound(
            1,
            {
                arm: (Condition(t, "mt-bench-style", 0, 0.0, 1),)
                for arm in ("baseline", "k3")
            },
            "",
        )
        for t in ("small", "large")
    )
    policy = Scripted([small, END, large, END])
    waves = search.run(policy)
    assert [wave[0].index for wave in waves] == [1, 2, 3, 4]
    assert [state.target for state in policy.told] == ["small"] * 2 + ["large"] * 2
    assert policy.told[2].cells == ()
    assert [log.target for log in search.logs] == ["small", "large"]
