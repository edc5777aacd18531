"""What happens during a run, in one line each; values in, text out."""

from specbench.runner.events import (
    CellEnded,
    CellStarted,
    LaunchReady,
    LaunchStarted,
    LaunchWaiting,
    RoundStarted,
)
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats

LINE_CHARS = 60


def ended_words(event: CellEnded, began: CellStarted | None) -> str:
    """A cell that is done: where it stands, its figures, the time left."""
    number = left = ""
    if began is not None:
        number = f"[{number_words(began)}] "
        left = left_words(began, event.seconds)
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
    load = f"{c.request_rate:g} requests/s" if c.is_open else f"c={c.concurrency}"
    return f"{key.arm} {c.dataset}{context}{warmth} {load}"


def cell_words(cell: CellStarted, done: int, elapsed_s: float) -> str:
    """The moving line of a running cell."""
    return (
        f"cell {number_words(cell)}  {key_words(cell.key)}  {done} of"
        f" {cell.requests} requests  {left_words(cell, elapsed_s)} ({cell.basis})"
    )


def number_words(cell: CellStarted) -> str:
    """`3/60`; in a search, whose end nobody knows, `3, round 2`."""
    if cell.total is None:
        return f"{cell.number}, round {cell.key.replicate}"
    return f"{cell.number:>{len(str(cell.total))}}/{cell.total}"


def left_words(cell: CellStarted, elapsed_s: float) -> str:
    """Time left, so long after a cell began; of a search at most."""
    words = duration_words(max(0.0, cell.remaining_s - elapsed_s))
    return words.replace("about", "at most", 1) if cell.total is None else words


def round_words(event: RoundStarted) -> str:
    """What a search measures next, and why."""
    from specbench.report.words import counted

    measured = [conditions for conditions in event.round.cells.values() if conditions]
    return (
        f"round {event.round.number} on {event.target}: {event.round.why}"
        f" ({counted(sum(map(len, measured)), 'cell')} in"
        f" {counted(len(measured), 'launch', 'launches')})"
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
