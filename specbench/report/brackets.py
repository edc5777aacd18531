"""What the brackets of a report are: intervals by themselves and jointly, what they
rest on, and why some figures have none."""

from collections.abc import Sequence

from specbench.report import words
from specbench.report.facts import RunFacts
from specbench.schema.comparison import BreakEven
from specbench.schema.estimate import CONFIDENCE
from specbench.schema.findings import RunFindings

SURE = words.percent(CONFIDENCE)


def interval_notes(findings: RunFindings, facts: RunFacts) -> tuple[str, ...]:
    """What `[low, high]` means in this run, and each reason why there is none."""
    figures = [
        p.speedup
        for curve in findings.curves
        for p in curve.points
        if p.speedup.value is not None
    ]
    launches = facts.launches_words
    notes = []
    if any(figure.interval for figure in figures):
        notes.append(
            f"[low, high]: {SURE} interval, launches as replicates"
            f" ({launches} per arm)."
        )
    reasons = [f.no_interval for f in figures if f.interval is None and f.no_interval]
    notes += [f"No interval: {reason}." for reason in dict.fromkeys(reasons)]
    return tuple(notes)


def all_answers(findings: RunFindings) -> tuple[BreakEven, ...]:
    """Every break-even that was looked for, over loads and over contexts."""
    over = (answer for o in findings.over_context for answer in o.break_evens)
    return (*findings.break_evens, *over)


def multiplicity_note(break_evens: Sequence[BreakEven]) -> str:
    """How many intervals of a run miss, and which ones hold all at once; empty where
    there is one break-even or no interval."""
    count = len(break_evens)
    has_interval = any(c.interval for answer in break_evens for c in answer.crossings)
    if count < 2 or not has_interval:
        return ""
    missing = words.significant((1 - CONFIDENCE) * count, 2)
    return (
        f"{count} break-evens were looked for: each interval holds {SURE} by"
        f" itself, so that of {count} such intervals {missing} miss on average; the"
        f" joint ones hold all at once with {SURE}."
    )
