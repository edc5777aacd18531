"""What a run shows while it works: on a terminal a last line that moves (one for each
place where launches run side by side), elsewhere plain lines. It draws in the caller's
thread, at most once a second: a thread of its own would make the load generator
late."""

import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    SweepStarted,
)
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats
from specbench.schema.plan import LaunchPlan
from specbench.units import seconds_between

if TYPE_CHECKING:
    from rich.live import Live

DRAW_S = 1.0
LINE_CHARS = 60


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
        self._launches = 0
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
            case CellStarted() | CellProgress() | CellEnded() | CellFailed():
                self._show_cell(event)
            case _:
                self._show_launch(event)

    def _begin(self, event: SweepStarted) -> None:
        self._launches = len(event.plan.launches)
        self.folder = event.folder
        self._names_places = event.plan.is_side_by_side
        self._say_line(
            f"{event.plan.cell_count} cells in {self._launches} launches;"
            f" results in {event.folder}"
        )

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
        return (
            f"launch {launch.index}/{self._launches} {launch.arm} (replicate"
            f" {launch.replicate}) on {launch.target.label}"
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
                self._say(event.place, f"  {_ended_words(event, state.cell)}")
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


def _ended_words(event: CellEnded, began: CellStarted | None) -> str:
    number = left = ""
    if began is not None:
        width = len(str(began.total))
        number = f"[{began.number:>{width}}/{began.total}] "
        left = duration_words(max(0.0, began.remaining_s - event.seconds))
    return f"{number}{stats_words(event.stats)} ({event.seconds:.0f} s; {left})"


def start_words(event: LaunchStarted) -> str:
    """Where to look while the engine starts."""
    if event.log_path is None:
        return "a server that already runs"
    return f"starting {event.launch.target.engine}, log in {event.log_path}"


def wait_words(event: LaunchWaiting) -> str:
    """What the engine does before it is ready."""
    doing = "downloading" if event.is_downloading else "starting"
    return f"{doing} for {event.elapsed_s:.0f} s: {event.last_line[-LINE_CHARS:]}"


def ready_words(event: LaunchReady) -> str:
    """Version and capacity."""
    facts = event.facts
    words = [f"{facts.engine} {facts.version or '(version unknown)'}"]
    if event.seconds is not None:
        words.insert(0, f"ready after {event.seconds:.0f} s")
    if facts.kv_capacity_tokens is not None:
        words.append(f"KV cache {facts.kv_capacity_tokens:,} tokens")
    return ", ".join(words)


def key_words(key: CellKey) -> str:
    """Which cell, in a few words."""
    c = key.condition
    context = f", context {c.context}" if c.context else ""
    warmth = f", temperature {c.temperature:g}" if c.temperature else ""
    return f"{key.arm} {c.dataset}{context}{warmth} c={c.concurrency}"


def cell_words(cell: CellStarted, done: int, elapsed_s: float) -> str:
    """The moving line of a running cell."""
    left = duration_words(max(0.0, cell.remaining_s - elapsed_s))
    return (
        f"cell {cell.number}/{cell.total}  {key_words(cell.key)}  {done} of"
        f" {cell.requests} requests  {left} ({cell.basis})"
    )


def stats_words(stats: CellStats) -> str:
    """A measured cell in one line."""
    from specbench.report.words import lag, milliseconds, shown, significant

    tpot = stats.tpot.p50 if stats.tpot else None
    words = [key_words(stats.key) + ":"]
    words.append(f"{shown(stats.output_throughput, significant)} tokens/s")
    words.append(f"TPOT {shown(tpot, milliseconds)} ms")
    if stats.tokens_per_step is not None:
        words.append(f"{significant(stats.tokens_per_step)} tokens/step")
    words.append(f"client lag p99 {shown(stats.client_lag_p99, lag)} ms")
    if stats.is_void:
        words.append("VOID")
    codes = ", ".join(f.code for f in stats.findings)
    return "  ".join([*words, *([f"[{codes}]"] if codes else [])])


def duration_words(seconds: float) -> str:
    """Time left, as coarse as the estimate is."""
    if seconds < 90:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} min left"
