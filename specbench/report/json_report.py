"""The report as one strict JSON document: every figure, unrounded, with the units and
the reasons why figures are missing. A number that is not finite becomes null.

Format history: 1, the first. 2: a break-even has `crossings` with intervals in place of
`batch`, `concurrency`, `below` and `above`; points have `side`, `need` and an interval;
`noise`, `prior` and `multiplicity` are new; `tpot_p95` is a third metric. A run with
several contexts also has `over_context`, one that could not measure all of them
`planned_out`, and one of an adaptive search `searches`. A cell has
`acceptance_by_category`, and under `whole_run` its acceptance by a second route."""

import dataclasses
import math
from enum import Enum
from typing import Any

import orjson

from specbench.report.answer_words import outcome
from specbench.report.brackets import all_answers, multiplicity_note
from specbench.report.facts import RunFacts
from specbench.report.places import loads_on
from specbench.schema.comparison import BreakEven, Side, SpeedupCurve
from specbench.schema.estimate import CONFIDENCE
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.metric import METRICS

FORMAT_VERSION = 2


def report_document(findings: RunFindings, facts: RunFacts) -> dict[str, Any]:
    """The document as plain dicts, lists, strings and finite numbers."""
    return {
        "format": "specbench-report",
        "format_version": FORMAT_VERSION,
        "run": {k: v for k, v in _fields(facts).items() if k != "searches"},
        "units": {m.name: m.unit for m in METRICS.values() if m.unit},
        "cells": [plain_cell(cell) for cell in findings.cells],
        "curves": [
            {**_marked(curve, facts), **plain(curve)} for curve in findings.curves
        ],
        "break_evens": [
            {**_marked(answer.curve, facts), **_break_even(answer)}
            for answer in findings.break_evens
        ],
        "multiplicity": {
            "break_evens": len(all_answers(findings)),
            "confidence": CONFIDENCE,
            "says": multiplicity_note(all_answers(findings)),
        },
        **_contexts(findings),
        **({"searches": plain(facts.searches)} if facts.searches else {}),
        "noise": plain(findings.noise),
        "prior": plain(findings.prior),
        "failed_launches": list(findings.failed_launches),
    }


def report_json(findings: RunFindings, facts: RunFacts) -> str:
    """The document as text, indented, ending in a line feed."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(report_document(findings, facts), option=options).decode()


def plain_cell(cell: CellStats) -> dict[str, Any]:
    """A cell with its id and whether it is void."""
    return {
        "cell_id": cell.key.cell_id,
        "is_void": cell.is_void,
        **_fields(cell),
    }


def _marked(curve: SpeedupCurve, facts: RunFacts) -> dict[str, Any]:
    """What makes the arm of a curve not lossless (empty = nothing that is known); of
    several targets, what this one was."""
    lossy = {"not_lossless": list(facts.lossy_settings(curve.target, curve.arm))}
    if len(facts.targets) < 2:
        return lossy
    one = facts.target(curve.target)
    return {
        "model": one.model,
        "device": one.device,
        "engine": one.engine,
        **lossy,
    }


def _contexts(findings: RunFindings) -> dict[str, Any]:
    """Only where there are any."""
    found: dict[str, Any] = {}
    if findings.over_context:
        found["over_context"] = [
            {
                **{k: v for k, v in _fields(over).items() if k != "break_evens"},
                "break_evens": [_over_context(one) for one in over.break_evens],
            }
            for over in findings.over_context
        ]
    if findings.planned_out:
        found["planned_out"] = plain(findings.planned_out)
    return found


def _over_context(answer: BreakEven) -> dict[str, Any]:
    """The load of the curve, its points, and what they come to."""
    load = answer.curve.points[0].condition
    return {
        "concurrency": load.concurrency or None,
        "request_rate": load.request_rate or None,
        **_break_even(answer),
        "points": plain(answer.curve.points),
    }


def _break_even(answer: BreakEven) -> dict[str, Any]:
    """The curve is named, not repeated; `answer` is the outcome in words, `loads` the
    measured loads by their side of 1."""
    return {
        **_curve_name(answer.curve),
        "answer": outcome(answer),
        **{k: v for k, v in _fields(answer).items() if k != "curve"},
        "loads": {side.value: list(loads_on(answer, side)) for side in Side},
    }


def _curve_name(curve: SpeedupCurve) -> dict[str, Any]:
    return {k: v for k, v in _fields(curve).items() if k != "points"}


def _fields(value: Any) -> dict[str, Any]:
    return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}


def plain(value: Any) -> Any:
    """A value of the schema as JSON has it."""
    match value:
        case Enum():
            return value.value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(key): plain(member) for key, member in value.items()}
        case tuple() | list():
            return [plain(member) for member in value]
        case _ if dataclasses.is_dataclass(value):
            return _fields(value)
        case _:
            return value
