"""A cell: one point of the sweep in one launch."""

from dataclasses import dataclass, replace


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
    """Target number of requests in flight; 0 in an open loop, which has none."""
    request_rate: float = 0.0
    """Requests that arrive per second; 0 in a closed loop, which has none."""

    @property
    def is_open(self) -> bool:
        """Whether requests arrive whatever the server does."""
        return self.request_rate > 0

    @property
    def closed_load(self) -> int | None:
        """The concurrency; None in an open loop."""
        return None if self.is_open else self.concurrency

    @property
    def load(self) -> float:
        """What rises along a curve: the rate of an open loop, else the concurrency."""
        return float(self.asked)

    @property
    def asked(self) -> float:
        """The same as it was set: a concurrency is a whole number."""
        return self.request_rate if self.is_open else self.concurrency

    @property
    def load_mark(self) -> str:
        """The load in names: `c16`, of an open loop `q0.5`."""
        return f"q{self.request_rate:g}" if self.is_open else f"c{self.concurrency}"

    @property
    def without_load(self) -> "Condition":
        """What the points of one curve share."""
        return replace(self, concurrency=0, request_rate=0.0)


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
            f"_{c.load_mark}_{self.arm}_r{self.replicate}"
        )
        return "".join(ch if ch.isalnum() or ch in "._-" else "-" for ch in raw)
