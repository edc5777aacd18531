"""What a rule says about an otherwise clean cell."""

from typing import Any

from specbench.analysis.rules.rule import CellContext, Rule
from tests.factories import cell_stats

BASE = CellContext(expects_speculation=False)
ARM = CellContext(expects_speculation=True)
CACHED = CellContext(expects_speculation=False, is_caching_wanted=True)


def verdict(rule: Rule, context: CellContext = BASE, **changes: Any) -> str | None:
    """`severity code`, or None."""
    found = rule(cell_stats(**changes), context)
    return None if found is None else f"{found.severity} {found.code}"
