"""What is promised of the answers, and whether it held."""

from collections.abc import Iterator
from dataclasses import dataclass

from pages import Check
from study import LIMIT, Case, Study
from tally import NUMBERS, SINGLE

from specbench.schema.comparison import CLOSED_LOOP, BreakEvenOutcome, SpeedupMetric

COVERAGE = (0.92, 0.99)
WRONG, RIGHT, DECIDED = 0.02, 0.95, 0.90
DECIDED_UP_TO = 0.02
"""Noise up to which the steep and the medium curve are decided."""
DECIDED_CURVES = ("steep", "medium")
ENOUGH_SWEEPS = 1000
"""Fewer are not judged: chance would."""


@dataclass(frozen=True)
class _Found:
    """One share that a promise speaks of."""

    share: float
    where: str


def check(study: Study) -> list[Check]:
    """In the order of the page."""
    agreement = study.agreement
    checks = [
        Check(
            agreement.holds,
            f"the two ways agree: log figures within {agreement.figure:.1e}, crossings"
            f" and ends of intervals within {agreement.place:.2%}, {agreement.unlike}"
            f" answers unlike, in {agreement.sweeps} sweeps of {agreement.cells} cells",
        )
    ]
    if study.effort.sweeps >= ENOUGH_SWEEPS:
        checks += [
            *_coverage(study),
            _at_most(WRONG, "some load is given the wrong side", _wrong(study)),
            _at_least(
                RIGHT,
                f"right where every load is {LIMIT:.1f} deviations from 1",
                _right(study),
            ),
            _at_least(DECIDED, "steep and medium decided", _decided(study)),
            _at_most(WRONG, "a flat curve is given a number", _flat(study)),
            _at_most(0.0, "two crossings named as one", _two(study)),
            _at_most(WRONG, "equal arms: a difference claimed", _equal(study)),
        ]
    return checks


def is_covered(case: Case, metric: SpeedupMetric) -> bool:
    """Whether a coverage is promised: one crossing, on a smooth curve."""
    truth = case.truths[metric]
    crosses_once = len(truth.changes) == 1 and truth.crossing is not None
    return crosses_once and case.curve.is_smooth and not truth.is_flat


def _shares(study: Study) -> Iterator[tuple[Case, SpeedupMetric, str]]:
    for case in study.cases:
        for metric in case.tallies:
            where = f"{case.curve.name}, {metric.value}, {case.noise.deviation:.1%}"
            yield case, metric, where


def _coverage(study: Study) -> Iterator[Check]:
    found = [
        _Found(coverage, where)
        for case, metric, where in _shares(study)
        if is_covered(case, metric)
        and (coverage := case.tallies[metric].coverage) is not None
    ]
    yield _at_least(COVERAGE[0], "coverage of the 95 % interval", found)
    yield _at_most(COVERAGE[1], "coverage of the 95 % interval", found)


def _wrong(study: Study) -> list[_Found]:
    return [
        _Found(case.tallies[metric].wrong_side / study.effort.sweeps, where)
        for case, metric, where in _shares(study)
    ]


def _right(study: Study) -> list[_Found]:
    return [
        _Found(case.tallies[metric].share([case.truths[metric].outcome]), where)
        for case, metric, where in _shares(study)
        if round(case.truths[metric].nearest(case.noise), 6) >= round(LIMIT, 6)
    ]


def _decided(study: Study) -> list[_Found]:
    return [
        _Found(1 - case.tallies[metric].share([BreakEvenOutcome.UNDECIDED]), where)
        for case, metric, where in _shares(study)
        if case.curve.name in DECIDED_CURVES and case.noise.deviation <= DECIDED_UP_TO
    ]


def _flat(study: Study) -> list[_Found]:
    return [
        _Found(case.tallies[metric].share(NUMBERS), where)
        for case, metric, where in _shares(study)
        if case.truths[metric].is_flat
    ]


def _two(study: Study) -> list[_Found]:
    return [
        _Found(case.tallies[metric].share(SINGLE), where)
        for case, metric, where in _shares(study)
        if len(case.truths[metric].changes) > 1 and not case.truths[metric].is_flat
    ]


def _equal(study: Study) -> list[_Found]:
    return [
        _Found(
            arms.claims[name] / arms.runs, f"{arms.name}, {name}, {arms.deviation:.1%}"
        )
        for arms in study.equal
        for name in (*(metric.value for metric in CLOSED_LOOP), "any")
    ]


def _at_most(bound: float, what: str, found: list[_Found]) -> Check:
    broken = [f for f in found if f.share > bound]
    worst = max(found, key=lambda f: f.share, default=None)
    return _check(f"{what}: at most {bound:.0%}", found, broken, worst)


def _at_least(bound: float, what: str, found: list[_Found]) -> Check:
    broken = [f for f in found if f.share < bound]
    worst = min(found, key=lambda f: f.share, default=None)
    return _check(f"{what}: at least {bound:.0%}", found, broken, worst)


def _check(
    words: str, found: list[_Found], broken: list[_Found], worst: _Found | None
) -> Check:
    if worst is None:
        return Check(True, f"{words}; nothing to judge")
    named = broken or [worst]
    cases = "; ".join(f"{f.share:.1%} ({f.where})" for f in named)
    kind = "broken" if broken else "worst"
    return Check(not broken, f"{words}; {kind} of {len(found)}: {cases}")
