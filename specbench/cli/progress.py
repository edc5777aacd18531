"""What a run shows while it works: on a terminal a last line that moves (one for each
place where launches run side by side), elsewhere plain lines. It draws in the caller's
thread, at most once a second: a thread of its own would make the load generator
late."""

import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specbench.cli.progress_words import (
    cell_words,
    ended_words,
    key_words,
    ready_words,
    round_words,
    start_words,
    wait_words,
)
from specbench.clock import monotonic_ns
from specbench.runner.events import (
    CellEnded,
    CellFailed,
    CellProgress,
    CellStarted,
    Event,
    Freezing,
    LaunchFailed,
    LaunchReady,
    LaunchStarted,
    LaunchWaiting,
    Remark,
    RoundStarted,
    SweepStarted,
)
from specbench.schema.plan import LaunchPlan
from specbench.units import seconds_between

if TYPE_CHECKING:
    from rich.live import Live

DRAW_S = 1.0


@dataclass(slots=True)
class _PlaceState:
    """What runs on one place."""

    launch: LaunchPlan | None = None
    cell: CellStarted | None = None
    cell_began_ns: int = 0
    line: str = ""
    """The one that moves."""


class ProgressDisplay:
    """Turns events into lines on standard error. Takes one event at a time."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._is_live = sys.stderr.isatty() and not is_quiet
        self._live: Live | None = None
        self._drawn_ns = 0
        self._launches: int | None = None
        """How many there will be; None where a search chooses them."""
        self._names_places = False
        self._places: defaultdict[int, _PlaceState] = defaultdict(_PlaceState)
        self.folder = ""
        """Of the run, once there is one."""

    def __enter__(self) -> "ProgressDisplay":
        if self._is_live:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                "", console=Console(stderr=True), auto_refresh=False, transient=True
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Take one event."""
        match event:
            case SweepStarted():
                self._begin(event)
            case RoundStarted():
                self._say_line(round_words(event))
            case Remark():
                self._say_line(f"note: {event.words}", always=True)
            case CellStarted() | CellProgress() | CellEnded() | CellFailed():
                self._show_cell(event)
            case _:
                self._show_launch(event)

    def _begin(self, event: SweepStarted) -> None:
        plan = event.plan
        self._launches = None if plan.is_adaptive else len(plan.launches)
        self.folder = event.folder
        self._names_places = plan.is_side_by_side
        cells = f"{plan.cell_count} cells in {len(plan.launches)} launches"
        if plan.is_adaptive:
            cells = f"an adaptive search (the grid: {cells})"
        self._say_line(f"{cells}; results in {event.folder}")
        for note in plan.notes:
            self._say_line(f"note: {note}")

    def _show_launch(
        self,
        event: LaunchStarted | LaunchWaiting | LaunchReady | LaunchFailed | Freezing,
    ) -> None:
        match event:
            case LaunchStarted():
                self._places[event.launch.place].launch = event.launch
                self._say_launch(event.launch, start_words(event))
            case LaunchWaiting():
                launch = self._places[event.place].launch
                words = self._launch_words(launch) if launch else ""
                self._draw(event.place, f"{words}: {wait_words(event)}")
            case LaunchReady():
                self._say_launch(event.launch, ready_words(event))
            case LaunchFailed():
                is_new = event.log_path and "log: " not in event.reason
                log = f"\n  log: {event.log_path}" if is_new else ""
                words = f"failed: {event.reason}{log}"
                self._say_launch(event.launch, words, always=True)
            case Freezing():
                words = f"freezing first answers: {event.done} of {event.total}"
                self._draw(event.place, words)

    def _say_launch(
        self, launch: LaunchPlan, words: str, *, always: bool = False
    ) -> None:
        line = f"{self._launch_words(launch)}: {words}"
        self._say(launch.place, line, always=always)

    def _launch_words(self, launch: LaunchPlan) -> str:
        number, turn = f"{launch.index}/{self._launches}", "replicate"
        if self._launches is None:
            number, turn = f"{launch.index}", "round"
        return (
            f"launch {number} {launch.arm} ({turn} {launch.replicate}) on"
            f" {launch.target.label}"
        )

    def _show_cell(
        self, event: CellStarted | CellProgress | CellEnded | CellFailed
    ) -> None:
        state = self._places[event.place]
        match event:
            case CellStarted():
                state.cell = event
                state.cell_began_ns = monotonic_ns()
                self._draw(event.place, cell_words(event, 0, 0.0), force=True)
            case CellProgress():
                if state.cell is not None:
                    elapsed = seconds_between(state.cell_began_ns, monotonic_ns())
                    self._draw(event.place, cell_words(state.cell, event.done, elapsed))
            case CellEnded():
                self._say(event.place, f"  {ended_words(event, state.cell)}")
            case CellFailed():
                words = f"  {key_words(event.key)}: {event.reason}"
                self._say(event.place, words, always=True)

    def _say(self, place: int, line: str, *, always: bool = False) -> None:
        words = line.lstrip()
        indent = line[: len(line) - len(words)]
        self._say_line(indent + self._prefix(place) + words, always=always)

    def _say_line(self, line: str, *, always: bool = False) -> None:
        if self._live is not None:
            self._live.console.print(line, markup=False, highlight=False)
        elif always or not self._is_quiet:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()

    def _draw(self, place: int, line: str, *, force: bool = False) -> None:
        """The moving lines; nothing where there is no terminal."""
        if self._live is None:
            return
        self._places[place].line = self._prefix(place) + line
        now = monotonic_ns()
        if not force and seconds_between(self._drawn_ns, now) < DRAW_S:
            return
        self._drawn_ns = now
        from rich.text import Text

        lines = [state.line for _, state in sorted(self._places.items()) if state.line]
        shown = Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
        self._live.update(shown, refresh=True)

    def _prefix(self, place: int) -> str:
        return f"place {place}: " if self._names_places else ""
