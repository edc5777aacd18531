"""What a condition is called: in full above a table; inside one run, where space is
short, by the data set and what else differs between the cells."""

from dataclasses import dataclass

from specbench.report import words
from specbench.report.facts import RunFacts
from specbench.schema.cell import Condition
from specbench.schema.comparison import SpeedupCurve
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


def full_title(arm: str, shared: Condition | SpeedupCurve, facts: RunFacts) -> str:
    """Arm, target, engine, data set, context, temperature."""
    parts = (
        facts.arm_name(shared.target, arm),
        shared.target,
        facts.engine_of(shared.target),
        shared.dataset,
        words.context(shared.context),
        f"temperature {shared.temperature:g}",
    )
    return " · ".join(part for part in parts if part)
