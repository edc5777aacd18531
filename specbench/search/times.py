"""How long a cell will take, by those that were measured."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from specbench.schema.cell import CellKey, Condition

_Line = tuple[tuple[float, float], ...]
"""Load and seconds, by rising load."""


@dataclass(frozen=True, slots=True)
class CellTimes:
    """Mean seconds of cells, by arm and by everything but the load."""

    lines: Mapping[tuple[Condition, str], _Line]

    @classmethod
    def of(cls, cell_s: Mapping[CellKey, float]) -> "CellTimes":
        """From the seconds of each measured cell."""
        same: dict[tuple[Condition, str], dict[float, list[float]]] = defaultdict(dict)
        for key, seconds in cell_s.items():
            line = same[key.condition.without_load, key.arm]
            line.setdefault(key.condition.load, []).append(seconds)
        return cls(
            {
                name: tuple((load, fmean(line[load])) for load in sorted(line))
                for name, line in same.items()
            }
        )

    def of_cell(self, condition: Condition, arm: str) -> float | None:
        """As measured at this load, else from the loads around it; from another arm
        or, failing that, another curve where this one has none. None where nothing was
        measured at all."""
        family = condition.without_load
        line = self.lines.get((family, arm))
        if line:
            return _read(line, condition.load)
        near = [line for (f, _), line in self.lines.items() if f == family]
        near = near or list(self.lines.values())
        return fmean(_read(line, condition.load) for line in near) if near else None


def _read(line: _Line, load: float) -> float:
    """Between two loads linear in both logarithms; beyond the ends as at the end."""
    place = bisect_left(line, (load,))
    if place == len(line) or line[place][0] == load:
        return line[min(place, len(line) - 1)][1]
    if place == 0:
        return line[0][1]
    (low, before), (high, after) = line[place - 1], line[place]
    share = math.log(load / low) / math.log(high / low)
    if min(before, after) <= 0:
        return before + share * (after - before)
    return math.exp(math.log(before) + share * (math.log(after) - math.log(before)))
