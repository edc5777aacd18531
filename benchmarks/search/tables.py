"""The study as Markdown, and its place in docs/search.md. Pure but for that file."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from cases import FASTER, GRID, WAYS, Case, Effort
from pages import Check, markdown, percent, save_between
from score import Score, quantile

from specbench.schema.comparison import BreakEvenOutcome

PAGE = Path(__file__).parents[2] / "docs" / "search.md"
BEGIN = "<!-- made by `make bench-search BENCH=--save` -->"
END = "<!-- end of what `make bench-search` made -->"
NONE = "–"


def tables(cases: Sequence[Case], effort: Effort, checks: Sequence[Check]) -> str:
    """All of them, with what stands above each."""
    parts = [
        f"{effort.sweeps:,} sweeps of each curve at each noise, in each way;"
        f" loads {', '.join(map(str, effort.loads))}; cells of the usual size. Times"
        " are shares of what the same sweep takes as a grid. The width that is asked"
        " for is the grid's own: the median half width of its intervals.",
        markdown(_HEADINGS, (row for case in cases for row in _rows(case))),
        f"**Six curves that share their launches** (3 contexts x 2 data sets,"
        f" {effort.shared:,} sweeps, 60 s a launch): all the time, launches included.",
        markdown(_SHARED_HEADINGS, (row for case in cases for row in _shared(case))),
    ]
    if checks:
        parts += ["**The promises**", "\n".join(check.line for check in checks)]
    return "\n\n".join(parts) + "\n"


def save(text: str, page: Path = PAGE) -> None:
    """Between the page's two marks. Raises ValueError where it has none."""
    save_between(text, page, BEGIN, END)


_HEADINGS = (
    "curve",
    "noise",
    "half width asked for",
    "way",
    "cell time: median",
    "p90",
    "most",
    "launches, median",
    "came to that width, %",
    "half width, median",
    "right name, %",
    "undecided, %",
    "coverage, %",
    "named as one crossing, %",
)


def _rows(case: Case) -> Iterator[list[str]]:
    for way in (GRID, *WAYS):
        score = case.scores[way.name]
        yield [*_case_columns(case), way.name, *_figures(case, score)]


def _case_columns(case: Case) -> list[str]:
    crosses = case.truth.crossing is not None or len(case.truth.changes) > 1
    return [
        case.curve.name,
        f"{case.noise.deviation:.1%}",
        f"{case.precision:.1%}" if crosses and not case.truth.is_flat else NONE,
    ]


def _figures(case: Case, score: Score) -> Iterator[str]:
    crosses = bool(case.truth.changes) and not case.truth.is_flat
    half = quantile(score.halves, 0.5)
    yield f"{quantile(score.cells, 0.5):.2f}"
    yield f"{quantile(score.cells, 0.9):.2f}"
    yield f"{max(score.cells):.2f}"
    yield f"{quantile(score.launches, 0.5):g}"
    yield percent(score.reached / score.answers) if crosses else NONE
    yield NONE if not crosses else "open" if math.isinf(half) else f"{half:.1%}"
    yield NONE if case.truth.is_flat else percent(score.share([case.truth.outcome]))
    yield percent(score.share([BreakEvenOutcome.UNDECIDED]))
    is_smooth = case.curve.is_smooth and not case.truth.is_flat
    coverage = score.coverage if is_smooth else None
    yield NONE if coverage is None else percent(coverage)
    yield percent(score.named_single)


_SHARED_HEADINGS = (
    "curve",
    "noise",
    "cells",
    "all time: median",
    "p90",
    "most",
    "cell time: median",
    "launches, median",
    "came to the grid's width, %",
    "coverage, %",
)


def _shared(case: Case) -> Iterator[list[str]]:
    for faster, score in case.shared.items():
        yield [
            case.curve.name,
            f"{case.noise.deviation:.1%}",
            "as simulated" if faster == 1 else f"{FASTER:g} times as fast",
            f"{quantile(score.totals, 0.5):.2f}",
            f"{quantile(score.totals, 0.9):.2f}",
            f"{max(score.totals):.2f}",
            f"{quantile(score.cells, 0.5):.2f}",
            f"{quantile(score.launches, 0.5):g}",
            percent(score.reached / score.answers),
            NONE if score.coverage is None else percent(score.coverage),
        ]
