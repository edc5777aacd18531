"""From the raw tables of a sweep file to its checked parts. Each table is checked on
its own, so that a mistake in one does not hide the mistakes in the others."""

import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from specbench.planning.problems import Place, Problem
from specbench.planning.spelling import TOP_KEYS, explain_unknown
from specbench.planning.wording import describe_value, explain
from specbench.schema.sweep import (
    Arm,
    Document,
    Load,
    Measure,
    Search,
    Slo,
    SweepSpec,
    Target,
    Workload,
)

_JOINED = {"max_tokens"}
"""Optional keys that rules set against other tables: while one of them is unsound, no
default may stand in for it."""

DocumentT = TypeVar("DocumentT", bound=Document)


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a sweep file is sound by itself. None or left out: it is not."""

    targets: tuple[tuple[Place, Target], ...]
    """With the place of each in the file."""
    arms: tuple[tuple[Place, Arm], ...]
    workload: Workload | None
    load: Load | None
    search: Search | None
    measure: Measure | None
    slo: Slo | None = None

    def to_spec(self) -> SweepSpec:
        """The whole sweep; only for parts that were read without a problem."""
        return SweepSpec.model_validate(
            {
                "targets": [target for _, target in self.targets],
                "arms": [arm for _, arm in self.arms],
                "workload": self.workload,
                "load": self.load,
                "slo": self.slo,
                "search": self.search,
                "measure": self.measure,
            }
        )


def read_parts(document: dict[str, Any]) -> tuple[Parts, list[Problem]]:
    """Checks types, limits and unknown keys; rules that join keys come later."""
    problems = [
        Problem((key,), explain_unknown(key, None))
        for key in document
        if key not in TOP_KEYS
    ]
    problems += find_unusable_values(document)
    targets = _read_targets(document, problems)
    arms = _read_list(Arm, document.get("arms"), ("arms",), problems)
    parts = Parts(
        targets=targets,
        arms=arms,
        workload=_read_table(Workload, document, "workload", problems),
        load=_read_table(Load, document, "load", problems),
        search=_read_table(Search, document, "search", problems),
        measure=_read_table(Measure, document, "measure", problems),
        slo=_read_table(Slo, document, "slo", problems) if "slo" in document else None,
    )
    return parts, problems


def find_unusable_values(node: object, place: Place = ()) -> Iterator[Problem]:
    """Values that TOML has and JSON has not: nothing in a sweep can mean them."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from find_unusable_values(value, (*place, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from find_unusable_values(value, (*place, i))
    elif isinstance(node, float) and not math.isfinite(node):
        yield Problem(place, f"expected a finite number, got {node}")
    elif isinstance(node, datetime.date | datetime.time):
        message = f"expected a string, a number or true/false, got the date {node}"
        yield Problem(place, message)


def _read_targets(
    document: dict[str, Any], problems: list[Problem]
) -> tuple[tuple[Place, Target], ...]:
    one, many = document.get("target"), document.get("targets")
    if one is not None and many is not None:
        message = "expected either one [target] or several [[targets]], found both"
        problems.append(Problem(("targets",), message))
    elif one is None and many is None:
        message = "is missing; expected a [target] table (or several [[targets]])"
        problems.append(Problem(("target",), message))
    if isinstance(one, list):
        message = "expected a table; several targets are written as [[targets]]"
        problems.append(Problem(("target",), message))
    elif one is not None:
        target = _check(Target, one, ("target",), problems)
        return ((("target",), target),) if target else ()
    elif many is not None:
        return _read_list(Target, many, ("targets",), problems)
    return ()


def _read_list(
    model: type[DocumentT], value: object, place: Place, problems: list[Problem]
) -> tuple[tuple[Place, DocumentT], ...]:
    name = place[-1]
    if value is None:
        problems.append(Problem(place, f"is missing; expected a [[{name}]] table"))
        return ()
    if not isinstance(value, list):
        message = f"expected a list of [[{name}]] tables, got {describe_value(value)}"
        problems.append(Problem(place, message))
        return ()
    if not value:
        problems.append(Problem(place, f"expected at least one [[{name}]] table"))
    checked = (
        ((*place, i), _check(model, entry, (*place, i), problems))
        for i, entry in enumerate(value)
    )
    return tuple((where, entry) for where, entry in checked if entry is not None)


def _read_table(
    model: type[DocumentT],
    document: dict[str, Any],
    key: str,
    problems: list[Problem],
) -> DocumentT | None:
    is_required = any(field.is_required() for field in model.model_fields.values())
    if key not in document and is_required:
        problems.append(Problem((key,), f"is missing; expected a [{key}] table"))
        return None
    return _check(model, document.get(key, {}), (key,), problems)


def _check(
    model: type[DocumentT], value: object, place: Place, problems: list[Problem]
) -> DocumentT | None:
    # Strict: "8" is not 8 and true is not 1; a figure must not rest on a guess.
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        unusable = {p.place for p in find_unusable_values(value, place)}
        found = explain(error, value, place, model)
        problems.extend(p for p in found if p.place not in unusable)
        return _without_bad_keys(model, value, error)


def _without_bad_keys(
    model: type[DocumentT], value: object, error: ValidationError
) -> DocumentT | None:
    """The rest of a table, so that its sound keys meet the rules too."""
    if not isinstance(value, dict):
        return None
    bad = {detail["loc"][0] for detail in error.errors(include_url=False)}
    if bad & _JOINED:
        return None
    try:
        rest = {key: entry for key, entry in value.items() if key not in bad}
        return model.model_validate(rest, strict=True)
    except ValidationError:
        return None
