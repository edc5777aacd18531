"""Answers from points in words: titles from what is known of a setting, one line an
answer, and what each rests on. Terminal and Markdown show the same lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.answer_words import (
    details,
    first_slower,
    outcome,
    told_loads,
)
from specbench.report.answers import neighbours
from specbench.report.brackets import multiplicity_note
from specbench.report.context_words import critical_words
from specbench.report.places import load_of
from specbench.schema.comparison import Axis, BreakEvenOutcome, Side, SpeedupPoint
from specbench.schema.point import (
    PointAnswer,
    PointFindings,
    PointForm,
    Setting,
)

LOAD_LEGENDS = {
    PointForm.MEASURED: (
        "Concurrency: requests in flight; the engine's running batch is not known."
    ),
    PointForm.SPEEDUPS: "Batch: as the paper or post gives it.",
}
LEGEND = (
    "An arm stands beside a baseline that agrees with it in everything; what a title"
    " does not name is not given. Beside: the measured loads that the answer rests on."
    " First slower: first measured load where the arm is slower, whatever the noise."
)
CRITICAL_LEGEND = (
    "Critical context: from there speedup grows with the load instead of falling, by"
    " the slope of log speedup over log2 of the load; without replicates by its sign."
)


@dataclass(frozen=True, slots=True)
class PointLine:
    """One answer."""

    arm: str
    metric: str
    outcome: BreakEvenOutcome
    answer: str
    details: tuple[str, ...]
    beside: tuple[str, ...]
    first_slower: str


@dataclass(frozen=True, slots=True)
class PointGroup:
    """The answers of one setting."""

    title: str
    source: str
    lines: tuple[PointLine, ...]
    notes: tuple[str, ...]
    """What the answers rest on, and what would tell more."""


def point_groups(findings: PointFindings) -> tuple[PointGroup, ...]:
    """Over the load first, then over the context."""
    groups: list[PointGroup] = []
    for answers in (findings.answers, findings.over_context):
        by_setting: dict[Setting, list[PointAnswer]] = {}
        for answer in answers:
            by_setting.setdefault(answer.setting, []).append(answer)
        groups += [
            _group(setting, members, findings.form)
            for setting, members in by_setting.items()
        ]
    return tuple(groups)


def legends(findings: PointFindings) -> tuple[str, ...]:
    """What stands above the answers."""
    lines = [LEGEND, LOAD_LEGENDS[findings.form]]
    return (*lines, CRITICAL_LEGEND) if findings.over_context else tuple(lines)


def closing_notes(findings: PointFindings) -> tuple[str, ...]:
    """What stands below the answers."""
    answers = [a.break_even for a in (*findings.answers, *findings.over_context)]
    replicated = [a for a in answers if any(p.speedup.interval for p in a.curve.points)]
    return tuple(filter(None, (*findings.notes, multiplicity_note(replicated))))


def setting_title(setting: Setting) -> str:
    """What is known of a setting, its source left out."""
    parts = (
        setting.model,
        setting.weights and f"weights {setting.weights}",
        setting.kv_cache and f"KV cache {setting.kv_cache}",
        setting.gpu,
        f"{setting.engine} {setting.engine_version}".strip(),
        setting.dataset,
        words.context(setting.context) if setting.context else "",
        setting.note,
    )
    return " · ".join(part for part in parts if part) or "nothing given"


def said(answer: PointAnswer, form: PointForm) -> str:
    """The named outcome; the load is called what the source calls it."""
    return _in_load(outcome(answer.break_even), form)


def _group(
    setting: Setting, answers: Sequence[PointAnswer], form: PointForm
) -> PointGroup:
    title = setting_title(setting)
    if any(answer.load is not None for answer in answers):
        title += " · over the context"
    return PointGroup(
        title=title,
        source=setting.source,
        lines=tuple(_line(answer, form) for answer in answers),
        notes=tuple(_notes(answers, form)),
    )


def _line(answer: PointAnswer, form: PointForm) -> PointLine:
    break_even = answer.break_even
    at = "" if answer.load is None else f" at {form.load} {answer.load}"
    return PointLine(
        arm=answer.arm.name + at,
        metric=words.metric(break_even.curve.metric),
        outcome=break_even.outcome,
        answer=said(answer, form),
        details=tuple(_in_load(line, form) for line in details(break_even)),
        beside=tuple(
            _beside(point, break_even.axis) for point in neighbours(break_even)
        ),
        first_slower=first_slower(break_even),
    )


def _beside(point: SpeedupPoint, axis: Axis) -> str:
    """A speedup without an interval stands alone: the answer says why."""
    figure = point.speedup
    bracket = words.certainty(figure, words.speedup) if figure.interval else ""
    value = f"{words.estimate(figure, words.speedup)} {bracket}".rstrip()
    return f"{value} at {load_of(point, axis)}"


def _notes(answers: Sequence[PointAnswer], form: PointForm) -> Iterator[str]:
    """Each sentence once, with the answers that it is about where it is not for all."""
    has_metrics = len({answer.break_even.curve.metric for answer in answers}) > 1
    about: dict[str, list[str]] = {}
    for answer in answers:
        metric = words.metric(answer.break_even.curve.metric)
        name = f"{answer.arm.name} ({metric})" if has_metrics else answer.arm.name
        for sentence in _sentences(answer, form):
            about.setdefault(sentence, []).append(name)
    for sentence, names in about.items():
        is_for_all = len(names) == len(answers)
        yield sentence if is_for_all else f"{_once(names)}: {sentence}"


def _sentences(answer: PointAnswer, form: PointForm) -> Iterable[str]:
    break_even = answer.break_even
    if answer.critical is not None:
        yield critical_words(answer.critical, form.load)
    points = break_even.curve.points
    if any(point.side is Side.OPEN for point in points):
        yield _in_load(told_loads(break_even), form)
    missing = {point.speedup.missing: None for point in points}
    yield from (why for why in missing if why and why != break_even.note)
    if break_even.note:
        yield _in_load(break_even.note, form)
    if break_even.next_step:
        yield f"next: {_in_load(break_even.next_step, form)}"


def _once(names: Sequence[str]) -> str:
    return words.listed(tuple(dict.fromkeys(names)))


def _in_load(sentence: str, form: PointForm) -> str:
    """Break-evens over a load that is not the running batch say `concurrency`."""
    return sentence.replace(PointForm.MEASURED.load, form.load)
