"""What a condition is called: in full above a table; inside one run, where space is
short, by the data set and what else differs between the cells."""

from dataclasses import dataclass

from specbench.report import words
from specbench.report.facts import RunFacts
from specbench.schema.cell import Condition
from specbench.schema.comparison import Axis, BreakEven, SpeedupCurve
from specbench.schema.findings import RunFindings


@dataclass(frozen=True, slots=True)
class Naming:
    """Which parts of a condition need saying."""

    has_targets: bool
    has_contexts: bool
    has_temperatures: bool

    def condition(self, condition: Condition) -> str:
        """A condition without its load, for titles."""
        parts = [condition.dataset]
        if self.has_contexts:
            parts.append(f"context {condition.context or 'as is'}")
        if self.has_temperatures:
            parts.append(f"temperature {condition.temperature:g}")
        if self.has_targets:
            parts.insert(0, condition.target)
        return ", ".join(parts)


def name_conditions(findings: RunFindings) -> Naming:
    """The naming that tells all cells of a run apart."""
    conditions = [cell.key.condition for cell in findings.cells]
    conditions += [p.condition for curve in findings.curves for p in curve.points]
    return Naming(
        has_targets=len({c.target for c in conditions}) > 1,
        has_contexts=len({c.context for c in conditions}) > 1,
        has_temperatures=len({c.temperature for c in conditions}) > 1,
    )


def answer_title(answer: BreakEven, facts: RunFacts) -> str:
    """What a break-even is of. One over contexts has no context of its own, but a
    load."""
    curve = answer.curve
    if answer.axis is not Axis.CONTEXT or not curve.points:
        return full_title(curve.arm, curve, facts)
    load = words.load_title(curve.points[0].condition)
    return _title(curve.arm, curve, load, facts)


def map_title(arm: str, shared: Condition, facts: RunFacts) -> str:
    """What a map over contexts is of."""
    return _title(arm, shared, "", facts)


def temperatures_title(arm: str, shared: Condition, facts: RunFacts) -> str:
    """What a table over temperatures is of."""
    parts = (
        facts.arm_name(shared.target, arm),
        *_served(shared.target, facts),
        shared.dataset,
        words.context(shared.context),
    )
    return " · ".join(part for part in parts if part)


def full_title(arm: str, shared: Condition | SpeedupCurve, facts: RunFacts) -> str:
    """Arm, target (of several also model and GPUs), engine, data set, context,
    temperature."""
    return _title(arm, shared, words.context(shared.context), facts)


def _title(
    arm: str, shared: Condition | SpeedupCurve, where: str, facts: RunFacts
) -> str:
    parts = (
        facts.arm_name(shared.target, arm),
        *_served(shared.target, facts),
        shared.dataset,
        where,
        f"temperature {shared.temperature:g}",
    )
    return " · ".join(part for part in parts if part)


def _served(label: str, facts: RunFacts) -> tuple[str, ...]:
    """The target and its engine; of several targets each with its model and GPUs, since
    these may be what they differ by."""
    target = facts.target(label)
    if len(facts.targets) < 2:
        return (label, target.engine)
    name = () if target.model == label else (label,)
    return (*name, target.model, target.device, target.engine)
