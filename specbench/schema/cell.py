"""A cell: one point of the sweep in one launch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """What both arms of a comparison share; a cell without its arm and launch."""

    target: str
    """Label of the target."""
    dataset: str
    """Name of the data set."""
    context: int
    """Wanted prompt tokens; 0 = as the data set has them."""
    temperature: float
    concurrency: int
    """Target number of requests in flight."""


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """Condition, arm and replicate: names one measurement of a run."""

    condition: Condition
    arm: str
    replicate: int
    """Which launch of this arm, from 1."""

    @property
    def cell_id(self) -> str:
        """Folder name, made of safe characters only whatever the names hold."""
        c = self.condition
        raw = (
            f"{c.target}_{c.dataset}_ctx{c.context}_t{c.temperature:g}"
            f"_c{c.concurrency}_{self.arm}_r{self.replicate}"
        )
        return "".join(ch if ch.isalnum() or ch in "._-" else "-" for ch in raw)
