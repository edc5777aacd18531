"""A round in the making: loads of many curves that share the launches of their arms,
and of one baseline that measures every condition that any arm does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from specbench.schema.cell import Condition
from specbench.schema.search import CurveName, SearchRound, StopReason
from specbench.schema.sweep import BASELINE
from specbench.search.cost import Cell, Costs


@dataclass(slots=True)
class RoundDraft:
    """Grows curve by curve, as far as the costs allow."""

    costs: Costs
    cells: dict[Cell, None] = field(default_factory=dict)
    """In the order in which they were wanted."""
    curves: list[tuple[CurveName, tuple[float, ...]]] = field(default_factory=list)

    def add(self, curve: CurveName, loads: Sequence[float]) -> StopReason | None:
        """All of the loads, else the first of them alone. The reason where not even
        that is allowed."""
        reason = None
        for part in (tuple(loads), tuple(loads[:1])):
            reason = self._refusal(curve, part)
            if reason is None:
                self.cells.update(dict.fromkeys(self._cells(curve, part)))
                self.curves.append((curve, part))
                return None
            if not self.costs.state.rounds:
                break
        return reason

    def _cells(self, curve: CurveName, loads: Sequence[float]) -> list[Cell]:
        conditions = [self.costs.state.condition(curve, load) for load in loads]
        return [(c, arm) for c in conditions for arm in (BASELINE, curve.arm)]

    def _refusal(self, curve: CurveName, loads: Sequence[float]) -> StopReason | None:
        costs = self.costs
        wanted = self._cells(curve, loads)
        if costs.state.rounds and costs.cells_s(wanted) > costs.left_of(curve):
            return StopReason.GRID_COST
        cells = {**self.cells, **dict.fromkeys(wanted)}
        arms = {arm for _, arm in cells}
        return costs.refusal(len(arms), cells)

    def round(self, number: int, why: str) -> SearchRound:
        """With the arms' cells in one order, by rising load."""
        arms = sorted({arm for _, arm in self.cells}, key=self._order)
        return SearchRound(
            number=number,
            cells={arm: tuple(self._conditions(arm)) for arm in arms},
            why=why,
        )

    def _order(self, arm: str) -> int:
        return (BASELINE, *self.costs.state.arms).index(arm)

    def _conditions(self, arm: str) -> list[Condition]:
        return sorted(condition for condition, a in self.cells if a == arm)
