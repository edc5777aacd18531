"""The study as Markdown, and its place in docs/method.md. Pure but for that file."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from curves import CURVES
from pages import markdown, percent, save_between
from promises import is_covered
from study import LIMIT, Case, Study

from specbench.schema.comparison import CLOSED_LOOP, BreakEvenOutcome, SpeedupMetric

METHOD = Path(__file__).parents[2] / "docs" / "method.md"
BEGIN = "<!-- made by `make bench-stats BENCH=--save` -->"
END = "<!-- end of what `make bench-stats` made -->"
THROUGHPUT = SpeedupMetric.THROUGHPUT
NONE = "–"


def tables(study: Study) -> str:
    """All of them, with what stands above each."""
    effort = study.effort
    parts = [
        f"{effort.sweeps:,} sweeps of each curve at each noise, three launches of each"
        f" arm, loads {', '.join(map(str, effort.plan.loads))};"
        f" {effort.launch_share:.0%} of the noise's variance between launches.",
        _curves(study),
        "**Throughput.** In percent of all sweeps unless said.",
        markdown(_HEADINGS, map(_row, study.cases)),
        "**The other metrics** of the same sweeps.",
        markdown(_OTHER_HEADINGS, map(_other_row, study.cases)),
        "**Equal arms**: percent of runs that claim any difference.",
        markdown(_EQUAL_HEADINGS, _equal_rows(study)),
        f"{_sampling(study)} {_truth_errors(study)}",
    ]
    return "\n\n".join(parts) + "\n"


def save(text: str, page: Path = METHOD) -> None:
    """Between the page's two marks. Raises ValueError where it has none."""
    save_between(text, page, BEGIN, END)


def _curves(study: Study) -> str:
    names = {case.curve.name for case in study.cases}
    lines = [f"- {c.name}: {c.what}" for c in CURVES if c.name in names]
    if "at the limit" in names:
        lines.append(
            f"- at the limit: never pays, the nearest load {LIMIT:.1f} deviations from"
            " 1 and the others little further, at each noise"
        )
    return "\n".join(lines)


_HEADINGS = (
    "curve",
    "noise",
    "crosses at batch",
    "nearest load, deviations from 1",
    "right name",
    "undecided",
    "other name",
    "a wrong side",
    "interval given",
    "coverage",
    "coverage, decided",
    "median width, decided",
    "coverage, naive bootstrap",
)


def _row(case: Case) -> Iterator[str]:
    truth, tally = case.truths[THROUGHPUT], case.tallies[THROUGHPUT]
    undecided = tally.share([BreakEvenOutcome.UNDECIDED])
    right = tally.share([truth.outcome])
    crosses = truth.crossing is not None
    yield case.curve.name
    yield f"{case.noise.deviation:.1%}"
    yield f"{truth.crossing.batch:.1f}" if truth.crossing else NONE
    yield f"{truth.nearest(case.noise):.1f}"
    yield NONE if truth.is_flat else percent(right)
    yield percent(undecided)
    yield percent(abs(1 - undecided - (0.0 if truth.is_flat else right)))
    yield percent(tally.wrong_side / tally.sweeps)
    yield percent(tally.given / tally.sweeps)
    yield _ratio(tally.covered, tally.given) if crosses else NONE
    yield _ratio(tally.decided_covered, tally.decided_given) if crosses else NONE
    yield _width(tally.width) if crosses else NONE
    yield _ratio(tally.naive_covered, tally.naive_given) if crosses else NONE


_OTHER_HEADINGS = (
    "curve",
    "noise",
    *(
        f"{metric}: {what}"
        for metric in ("TPOT", "p95 TPOT")
        for what in ("right name", "undecided", "a wrong side", "coverage")
    ),
)


def _other_row(case: Case) -> Iterator[str]:
    yield case.curve.name
    yield f"{case.noise.deviation:.1%}"
    for metric in (SpeedupMetric.TPOT, SpeedupMetric.TPOT_P95):
        truth, tally = case.truths[metric], case.tallies[metric]
        yield NONE if truth.is_flat else percent(tally.share([truth.outcome]))
        yield percent(tally.share([BreakEvenOutcome.UNDECIDED]))
        yield percent(tally.wrong_side / tally.sweeps)
        is_shown = is_covered(case, metric)
        yield _ratio(tally.covered, tally.given) if is_shown else NONE


_EQUAL_HEADINGS = (
    "arms",
    "noise",
    "throughput",
    "TPOT",
    "p95 TPOT",
    "any of the three",
)


def _equal_rows(study: Study) -> Iterator[list[str]]:
    names = (*(metric.value for metric in CLOSED_LOOP), "any")
    for arms in study.equal:
        shares = [percent(arms.claims[name] / arms.runs) for name in names]
        yield [arms.name, f"{arms.deviation:.1%}", *shares]


def _sampling(study: Study) -> str:
    """What differing prompts and drafts add to the noise."""
    words = []
    for metric, name in zip(
        CLOSED_LOOP, ("throughput", "TPOT", "p95 TPOT"), strict=True
    ):
        truths = [case.truths[metric] for case in study.cases]
        arm = [value for truth in truths for value in truth.sampling]
        base = [value for truth in truths for value in truth.baseline_sampling]
        words.append(
            f"{name} {_middle(arm):.2%} of an arm (at most {max(arm):.2%}) and"
            f" {_middle(base):.2%} of a baseline (at most {max(base):.2%})"
        )
    return (
        "On top of the noise comes what differing prompts and drafts do to a cell"
        f" (deviation over seeds, median over curves and loads): {'; '.join(words)}."
    )


def _truth_errors(study: Study) -> str:
    """How well the true crossings are known."""
    crossings = [
        truth.crossing
        for case in study.cases
        if case.curve.is_smooth
        for truth in case.truths.values()
        if truth.crossing is not None
    ]
    if not crossings:
        return ""
    worst = max(crossing.error for crossing in crossings)
    return (
        "The true crossings are known within"
        f" {worst:.2%} of the batch (standard error, at most)."
    )


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _ratio(part: int, whole: int) -> str:
    return percent(part / whole) if whole else NONE


def _width(width: float | None) -> str:
    if width is None:
        return NONE
    return "open" if math.isinf(width) else f"{width:.0%}"
