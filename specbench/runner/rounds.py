"""An adaptive search, target after target: what has been measured goes to a policy,
which is pure; the round that it chooses becomes launches. The search's log is kept with
the run from the first round on, so that an interruption loses nothing."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

from specbench.analysis.run import conclude
from specbench.clock import monotonic_ns
from specbench.planning.arms import speculating_arms
from specbench.planning.rounds import plan_round
from specbench.runner.arm_traits import traits_of_arms
from specbench.runner.events import RoundStarted
from specbench.runner.progress import Done, SweepProgress
from specbench.runner.sweep import Batch
from specbench.runner.sweep_job import SweepJob
from specbench.schema.cell import CellKey
from specbench.schema.plan import LaunchPlan
from specbench.schema.record import LaunchRecord
from specbench.schema.search import SearchEnd, SearchLog, SearchRound
from specbench.schema.sweep import Target
from specbench.search.state import SearchState
from specbench.units import seconds_between

Policy = Callable[[SearchState], SearchRound | SearchEnd]
"""Chooses the next round, or ends the search of a target."""
MOST_BROKEN_LAUNCHES = 2
"""An arm that served, and so often did not measure to its end, counts as lost."""


def search_batches(
    job: SweepJob, progress: SweepProgress, policy: Policy
) -> Generator[Batch, None, None]:
    """A batch for each round. What was measured of one is expected to be noted in
    `progress` when the next is asked for."""
    last: LaunchPlan | None = None
    for target in job.plan.spec.targets:
        search = _TargetSearch(job, progress, target)
        while (round_ := search.choose(policy)) is not None:
            places = len(job.sites[target.label])
            batch = plan_round(job.plan.spec, target, round_, places, last)
            last = batch[-1][-1]
            job.listener(RoundStarted(target.label, round_))
            try:
                yield batch
            except GeneratorExit:
                # the run has been interrupted: what this round measured counts too
                search.keep(progress.done())
                raise


@dataclass(slots=True)
class _TargetSearch:
    """The search of one target so far."""

    job: SweepJob
    progress: SweepProgress
    target: Target
    rounds: tuple[SearchRound, ...] = ()
    began_ns: int = field(default_factory=monotonic_ns)

    def choose(self, policy: Policy) -> SearchRound | None:
        """The next round; None when the search is over."""
        done = self.progress.done()
        choice = policy(self._state(done))
        if isinstance(choice, SearchEnd):
            self.keep(done, choice)
            return None
        if self.job.budget.is_spent:
            # a policy that goes on all the same: no launch of it would begin
            self.keep(done)
            return None
        self.rounds = (*self.rounds, choice)
        self.keep(done)
        return choice

    def keep(self, done: Done, end: SearchEnd | None = None) -> None:
        """Put the log as it is now into the run's manifest."""
        label = self.target.label
        grid = self.progress.grid(label)
        log = SearchLog(
            target=label,
            rounds=self.rounds,
            end=end,
            seconds=self._spent_s(done),
            grid_seconds=None if grid.is_guess else grid.seconds,
            cell_seconds=sum(self._cell_s(done).values()),
            grid_cell_seconds=None if grid.is_guess else grid.cell_s,
        )
        writer = self.job.writer
        others = tuple(x for x in writer.manifest.searches if x.target != label)
        writer.write_manifest(replace(writer.manifest, searches=(*others, log)))

    def _state(self, done: Done) -> SearchState:
        plan, label = self.job.plan, self.target.label
        noise = self.job.writer.manifest.noise
        findings = conclude(
            done.cells, done.launches, traits_of_arms(plan.spec), prior=noise
        )
        return SearchState(
            spec=plan.spec,
            target=label,
            arms=speculating_arms(plan.spec, label),
            cells=tuple(
                cell for cell in findings.cells if cell.key.condition.target == label
            ),
            cell_s=self._cell_s(done),
            startup_s=self.progress.startup_s(label),
            spent_s=self._spent_s(done),
            budget_s=self.job.budget.left_s,
            prior=noise,
            lost=self._lost(done),
            impossible=frozenset(c for c in done.impossible if c.target == label),
            rounds=self.rounds,
        )

    def _lost(self, done: Done) -> frozenset[str]:
        broken: dict[str, int] = {}
        for record in self._launches(done):
            if record.error is not None and not _brought_something(record, done):
                count = MOST_BROKEN_LAUNCHES if record.facts is None else 1
                broken[record.arm] = broken.get(record.arm, 0) + count
        return frozenset(a for a, n in broken.items() if n >= MOST_BROKEN_LAUNCHES)

    def _launches(self, done: Done) -> list[LaunchRecord]:
        return [r for r in done.launches if r.target == self.target.label]

    def _cell_s(self, done: Done) -> dict[CellKey, float]:
        label = self.target.label
        return {k: s for k, s in done.cell_s.items() if k.condition.target == label}

    def _spent_s(self, done: Done) -> float:
        """Without freezing first answers, which any run would have to do once."""
        freezing_s = done.freezing_s.get(self.target.label, 0.0)
        return seconds_between(self.began_ns, monotonic_ns()) - freezing_s


def _brought_something(record: LaunchRecord, done: Done) -> bool:
    """Whether a launch measured a cell that counts before it broke. The load that broke
    it is given up by itself."""
    launch = (record.target, record.arm, record.replicate)
    return any(
        (cell.key.condition.target, cell.key.arm, cell.key.replicate) == launch
        and not cell.is_void
        and cell.completed > 0
        for cell in done.cells
    )
