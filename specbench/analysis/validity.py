"""What can spoil a cell, in one list, so that no rule is hidden. What can only be seen
beside other cells or launches is in `launch_checks` and `arm_checks`."""

from specbench.analysis.rules import client, drafts, gpu, load, requests
from specbench.analysis.rules.rule import CellContext, Rule
from specbench.schema.findings import CellStats, Finding

RULES: tuple[Rule, ...] = (
    requests.no_text,
    requests.errors,
    requests.given_up,
    requests.no_token_counts,
    client.client_lag,
    client.client_unwatched,
    client.client_cpu,
    client.client_late,
    load.load_not_held,
    load.cache_hits,
    load.not_flushed,
    gpu.thermal_slowdown,
    gpu.gpu_shared,
    gpu.clock_fell,
    load.queueing,
    load.preemption,
    load.overloaded,
    load.drift,
    drafts.no_drafts,
    drafts.useless_drafter,
    drafts.routes_disagree,
    requests.looping,
    requests.context_off,
    load.short_window,
)


def judge_cell(stats: CellStats, context: CellContext) -> tuple[Finding, ...]:
    """Every finding about one cell, in the order of the rules."""
    found = (rule(stats, context) for rule in RULES)
    return tuple(finding for finding in found if finding is not None)
