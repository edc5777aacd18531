"""What is promised of the search, and whether it held."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cases import KNOWN_SINGLE, SEARCH, Case, Way
from pages import Check
from score import quantile

CELLS, TOTAL, CELLS_SINGLE = 0.55, 0.6, 0.4
COVERAGE = (0.92, 0.98)
REACHED = 0.5
"""The median is that of sweeps most of which came to the grid's width."""
ENOUGH_SWEEPS = 400
"""Fewer are not judged: chance would."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class _Found:
    value: float
    where: str


def check(cases: Sequence[Case]) -> list[Check]:
    """In the order of the page."""
    judged = [case for case in cases if case.is_judged]
    two = [
        case for case in cases if len(case.truth.changes) > 1 and not case.truth.is_flat
    ]
    return [
        _at_most(CELLS, "cell time beside the grid's, median", _cells(judged, SEARCH)),
        _at_most(
            CELLS_SINGLE,
            "the same where a single crossing is known",
            _cells(judged, KNOWN_SINGLE),
        ),
        _at_least(
            REACHED,
            "sweeps that come to the grid's width",
            [*_reached(judged, SEARCH), *_reached(judged, KNOWN_SINGLE)],
        ),
        _at_most(
            TOTAL,
            "time of six curves that share launches, median",
            list(_totals(judged)),
        ),
        _at_most(1.0, "cell time beside the grid's, highest", list(_most(cases))),
        _at_least(COVERAGE[0], "coverage of the 95 % interval", _coverages(judged)),
        _at_most(COVERAGE[1], "coverage of the 95 % interval", _coverages(judged)),
        _at_most(
            0.0,
            "two crossings named as one",
            [_Found(c.scores[SEARCH.name].named_single, _where(c)) for c in two],
        ),
    ]


def _where(case: Case, way: Way | None = None) -> str:
    words = f"{case.curve.name}, {case.noise.deviation:.1%}"
    return f"{words}, {way.name}" if way else words


def _cells(cases: Sequence[Case], way: Way) -> list[_Found]:
    return [
        _Found(quantile(case.scores[way.name].cells, 0.5), _where(case))
        for case in cases
    ]


def _reached(cases: Sequence[Case], way: Way) -> list[_Found]:
    return [
        _Found(score.reached / score.answers, _where(case, way))
        for case in cases
        for score in (case.scores[way.name],)
    ]


def _totals(cases: Sequence[Case]) -> Iterator[_Found]:
    for case in cases:
        yield _Found(quantile(case.shared[1.0].totals, 0.5), _where(case))


def _most(cases: Sequence[Case]) -> Iterator[_Found]:
    for case in cases:
        for way in (SEARCH, KNOWN_SINGLE):
            most = max(case.scores[way.name].cells)
            yield _Found(most - ROUNDING, _where(case, way))


def _coverages(cases: Sequence[Case]) -> list[_Found]:
    return [
        _Found(coverage, _where(case, way))
        for case in cases
        for way in (SEARCH, KNOWN_SINGLE)
        if (coverage := case.scores[way.name].coverage) is not None
    ]


def _at_most(bound: float, what: str, found: list[_Found]) -> Check:
    return _check(f"{what}: at most {bound:g}", found, lambda v: v > bound, max)


def _at_least(bound: float, what: str, found: list[_Found]) -> Check:
    return _check(f"{what}: at least {bound:g}", found, lambda v: v < bound, min)


def _check(
    words: str,
    found: list[_Found],
    breaks: Callable[[float], bool],
    worst_of: Callable[..., _Found],
) -> Check:
    if not found:
        return Check(True, f"{words}; nothing to judge")
    broken = [f for f in found if breaks(f.value)]
    named = broken or [worst_of(found, key=lambda f: f.value)]
    cases = "; ".join(f"{f.value:.3f} ({f.where})" for f in named)
    kind = "broken" if broken else "worst"
    return Check(not broken, f"{words}; {kind} of {len(found)}: {cases}")
