"""What the grid would have cost, and so what a search may spend: never more, neither of
a curve nor of the whole target. By the times that the cells themselves took."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from specbench.schema.cell import Condition
from specbench.schema.search import CurveName, StopReason
from specbench.schema.sweep import BASELINE
from specbench.search.state import SearchState
from specbench.search.times import CellTimes

SPARE = 0.95
"""Of the grid's cost is spent at most: how long a cell will take is known about so
well."""

Cell = tuple[Condition, str]
"""With its arm."""


@dataclass(frozen=True)
class Costs:
    """Of one target so far. Before anything is measured every cell costs nothing."""

    state: SearchState
    times: CellTimes

    def cells_s(self, cells: Iterable[Cell]) -> float:
        """Seconds that these cells will take."""
        return math.fsum(self.times.of_cell(*cell) or 0.0 for cell in cells)

    def pair_s(self, curve: CurveName, load: float) -> float:
        """Of an arm's cell and its baseline's."""
        condition = self.state.condition(curve, load)
        return self.cells_s(((condition, curve.arm), (condition, BASELINE)))

    def startups_s(self, launches: int) -> float:
        """Of so many launches."""
        return launches * self.state.startup_s

    @property
    def alive(self) -> tuple[CurveName, ...]:
        """Curves whose arm is not lost."""
        state = self.state
        return tuple(c for c in state.curves if c.arm not in state.lost)

    @cached_property
    def spent_cells_s(self) -> float:
        """On cells, of arms that are not lost."""
        lost = self.state.lost
        return math.fsum(
            s for key, s in self.state.cell_s.items() if key.arm not in lost
        )

    @cached_property
    def grid_cells_s(self) -> float:
        """What the grid would have taken of cells."""
        cells = {
            (condition, arm)
            for curve in self.alive
            for load in self.state.listed(curve)
            for condition in (self.state.condition(curve, load),)
            for arm in (curve.arm, BASELINE)
        }
        return self._replicates * self.cells_s(cells)

    @cached_property
    def grid_s(self) -> float:
        """With its launches."""
        arms = {curve.arm for curve in self.alive}
        return self.grid_cells_s + self.startups_s(self._replicates * (1 + len(arms)))

    def spent_on(self, curve: CurveName) -> float:
        """The cells of one curve, its baseline's counted in full."""
        cell_s = self.state.cell_s
        mine = {
            (key.condition, key.replicate)
            for key in cell_s
            if key.arm == curve.arm and _is_of(curve, key.condition)
        }
        return math.fsum(
            seconds
            for key, seconds in cell_s.items()
            if key.arm in (curve.arm, BASELINE)
            and (key.condition, key.replicate) in mine
        )

    def grid_of(self, curve: CurveName) -> float:
        """What the grid would have taken for one curve."""
        return self._replicates * math.fsum(
            self.pair_s(curve, load) for load in self.state.listed(curve)
        )

    def left_of(self, curve: CurveName) -> float:
        """Seconds of cells that one curve may still take."""
        return SPARE * self.grid_of(curve) - self.spent_on(curve)

    @property
    def _replicates(self) -> int:
        return self.state.spec.measure.replicates

    def refusal(self, launches: int, cells: Iterable[Cell]) -> StopReason | None:
        """Why a round of so many launches and these cells may not begin; None = it
        may. The first round always may, unless the budget is spent."""
        state, cells_s = self.state, self.cells_s(cells)
        round_s = cells_s + self.startups_s(launches)
        budget_s = state.budget_s
        if budget_s is not None and (budget_s <= 0 or round_s > budget_s):
            return StopReason.BUDGET
        if not state.rounds:
            return None
        if self.spent_cells_s + cells_s > SPARE * self.grid_cells_s:
            return StopReason.GRID_COST
        if state.spent_s + round_s > self.grid_s:
            return StopReason.GRID_COST
        return None


def _is_of(curve: CurveName, c: Condition) -> bool:
    return (c.dataset, c.context, c.temperature) == (
        curve.dataset,
        curve.context,
        curve.temperature,
    )
