"""Decides what an engine that has to end is told next: asked (SIGTERM), asked again,
killed (SIGKILL), given up. Nothing here does I/O or reads a clock.

Why it asks twice: vLLM 0.32.0 ends within 0.5 s of a SIGTERM when it serves, but hangs
for minutes on one that comes while it starts; a second one then ends it within about
7 s (measured on its CPU build)."""

from dataclasses import dataclass
from enum import Enum, auto


class StopStage(Enum):
    """What has been sent so far."""

    UNASKED = auto()
    ASKED = auto()
    ASKED_AGAIN = auto()
    KILLED = auto()


class StopAction(Enum):
    """What to do now."""

    WAIT = auto()
    ASK = auto()
    KILL = auto()
    FINISH = auto()
    """Nothing is left."""
    GIVE_UP = auto()
    """Something survives SIGKILL: it hangs in the kernel or is another user's."""


@dataclass(frozen=True, slots=True)
class StopGraces:
    """Seconds that each stage is waited for; together they stay below 20."""

    asked_s: float
    asked_again_s: float
    killed_s: float


SERVING_GRACES = StopGraces(asked_s=6.0, asked_again_s=4.0, killed_s=8.0)
"""For an engine that had become ready."""

STARTING_GRACES = StopGraces(asked_s=1.5, asked_again_s=10.0, killed_s=8.0)
"""For one that had not: the second SIGTERM soon, then time to obey it."""


def next_action(
    stage: StopStage, has_remaining: bool, waited_s: float, graces: StopGraces
) -> StopAction:
    """What to do, `waited_s` seconds after `stage` was reached."""
    if not has_remaining:
        return StopAction.FINISH
    match stage:
        case StopStage.UNASKED:
            return StopAction.ASK
        case StopStage.ASKED:
            is_over = waited_s >= graces.asked_s
            return StopAction.ASK if is_over else StopAction.WAIT
        case StopStage.ASKED_AGAIN:
            is_over = waited_s >= graces.asked_again_s
            return StopAction.KILL if is_over else StopAction.WAIT
        case StopStage.KILLED:
            # Again each time: it may have forked between the look and the signal.
            is_over = waited_s >= graces.killed_s
            return StopAction.GIVE_UP if is_over else StopAction.KILL


def stage_after(stage: StopStage, action: StopAction) -> StopStage:
    """The stage that carrying out `action` leads to."""
    if action is StopAction.KILL:
        return StopStage.KILLED
    if action is StopAction.ASK:
        is_first = stage is StopStage.UNASKED
        return StopStage.ASKED if is_first else StopStage.ASKED_AGAIN
    return stage
