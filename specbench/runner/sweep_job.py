"""Everything that a sweep needs, and its launches share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specbench.load.crew import LoadCrew
from specbench.runner.budget import Budget
from specbench.runner.events import Listener
from specbench.runner.interruption import Interruption
from specbench.runner.prompts import PromptSource
from specbench.runner.serving import LaunchSite
from specbench.schema.plan import SweepPlan
from specbench.store.writer import RunWriter


@dataclass(frozen=True, slots=True)
class SweepJob:
    """What to do, where, and with what."""

    plan: SweepPlan
    prompts: PromptSource
    writer: RunWriter
    sites: Mapping[str, Mapping[int, LaunchSite]]
    """By the target's label, then by the number of the place."""
    crews: Sequence[LoadCrew]
    """Load processes of each place."""
    listener: Listener
    """Gets one event at a time, from whatever thread."""
    urls: Mapping[str, str]
    """Arm -> URL of a server that already runs; empty = launch engines."""
    interruption: Interruption
    budget: Budget
