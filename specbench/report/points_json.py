"""Answers from points as one strict JSON document, unrounded. What is not given is
null, a missing speedup has its reason."""

import dataclasses
from typing import Any

import orjson

from specbench.report.json_report import plain
from specbench.report.places import load_of, loads_on
from specbench.report.points_words import closing_notes, said
from specbench.schema.comparison import Axis, Crossing, Side, SpeedupPoint
from specbench.schema.point import PointAnswer, PointFindings

FORMAT_VERSION = 1


def points_document(findings: PointFindings) -> dict[str, Any]:
    """The document as plain dicts, lists, strings and finite numbers."""
    return {
        "format": "specbench-points",
        "format_version": FORMAT_VERSION,
        "file": findings.name,
        "form": findings.form.value,
        "load": findings.form.load,
        "answers": [_answer(answer, findings) for answer in findings.answers],
        "over_context": [
            {
                "load": answer.load,
                **_answer(answer, findings),
                "critical_context": plain(answer.critical),
            }
            for answer in findings.over_context
        ],
        "notes": list(closing_notes(findings)),
    }


def points_json(findings: PointFindings) -> str:
    """The document as text, indented, ending in a line feed."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(points_document(findings), option=options).decode()


def _answer(answer: PointAnswer, findings: PointFindings) -> dict[str, Any]:
    break_even = answer.break_even
    axis = break_even.axis
    over = "context" if axis is Axis.CONTEXT else findings.form.load
    return {
        "setting": {
            name: value if value != "" else None
            for name, value in dataclasses.asdict(answer.setting).items()
        },
        "arm": {**plain(answer.arm), "name": answer.arm.name},
        "metric": break_even.curve.metric.value,
        "over": over,
        "outcome": break_even.outcome.value,
        "answer": said(answer, findings.form),
        "crossings": [_crossing(one, axis) for one in break_even.crossings],
        "first_slower": next(
            (
                load_of(point, axis)
                for point in break_even.curve.points
                if point.speedup.value is not None and point.speedup.value < 1
            ),
            None,
        ),
        "loads": {side.value: list(loads_on(break_even, side)) for side in Side},
        "points": [_point(point, axis) for point in break_even.curve.points],
        "note": break_even.note,
        "next_step": break_even.next_step,
    }


def _crossing(crossing: Crossing, axis: Axis) -> dict[str, Any]:
    return {
        "at": crossing.at,
        "interval": plain(crossing.interval),
        "joint_interval": plain(crossing.joint_interval),
        "no_interval": crossing.no_interval,
        "is_downward": crossing.is_downward,
        "below": load_of(crossing.below, axis),
        "above": load_of(crossing.above, axis),
    }


def _point(point: SpeedupPoint, axis: Axis) -> dict[str, Any]:
    figure = {**plain(point.speedup)}
    figure["replicates"] = figure.pop("n")
    return {"at": load_of(point, axis), "side": point.side.value, **figure}
