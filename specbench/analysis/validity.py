"""What can spoil a cell: each rule looks at the summary and says void, flag or
nothing, with advice. Rules are plain functions in a list, so that none is hidden."""

from collections.abc import Callable
from dataclasses import dataclass

from specbench.schema.findings import CellStats, Finding, Severity

LAG_LIMIT_S = 0.005
"""Client lag up to this, or up to the median TPOT where that is less, passes."""
LAG_SHARE = 0.10
"""Beyond that it is flagged; over this share of the median TPOT the cell is void."""
ERROR_SHARE = 0.02
HIT_RATE_LIMIT = 0.01
LOOP_SHARE = 0.10
MIN_WINDOW_REQUESTS = 4


@dataclass(frozen=True, slots=True)
class CellContext:
    """What a rule may know beside the summary."""

    expects_speculation: bool
    """The arm was meant to speculate."""
    is_caching_wanted: bool = False
    """The sweep itself turned prefix caching on."""


Rule = Callable[[CellStats, CellContext], Finding | None]


def judge_cell(stats: CellStats, context: CellContext) -> tuple[Finding, ...]:
    """Every finding about one cell, in the order of the rules."""
    found = (rule(stats, context) for rule in RULES)
    return tuple(finding for finding in found if finding is not None)


def _void(code: str, message: str, advice: str) -> Finding:
    return Finding(Severity.VOID, code, message, advice)


def _flag(code: str, message: str, advice: str) -> Finding:
    return Finding(Severity.FLAG, code, message, advice)


def no_text(stats: CellStats, _: CellContext) -> Finding | None:
    """Nothing was generated at all."""
    if stats.completed > stats.empty:
        return None
    return _void(
        "no-text",
        f"no text was produced: {stats.empty} empty and {stats.failed} failed requests",
        "look at the engine's log and at the errors of the requests",
    )


def errors(stats: CellStats, _: CellContext) -> Finding | None:
    """Failed requests beyond a bound make the rest look fast."""
    total = stats.completed + stats.failed
    if total == 0 or stats.failed == 0:
        return None
    share = stats.failed / total
    reasons = "; ".join(stats.errors[:2])
    if share > ERROR_SHARE:
        return _void(
            "errors",
            f"{stats.failed} of {total} requests failed: {reasons}",
            "mend the cause; the rest ran at a lower load than asked",
        )
    return _flag(
        "some-errors",
        f"{stats.failed} of {total} requests failed: {reasons}",
        "they take part in no figure",
    )


def no_token_counts(stats: CellStats, _: CellContext) -> Finding | None:
    """Without the server's counts there is no throughput: chunks are not tokens."""
    if stats.mean_output_tokens is not None or stats.completed <= stats.empty:
        return None
    return _flag(
        "no-token-counts",
        "the server reports no token counts (usage)",
        "throughput and TPOT are unknown; turn usage in streams on",
    )


def client_lag(stats: CellStats, _: CellContext) -> Finding | None:
    """The load generator itself was late."""
    lag = stats.client_lag_p99
    if lag is None:
        return None
    tpot = stats.tpot.p50 if stats.tpot else 0.0
    size = f"the client's lag p99 is {lag * 1e3:.1f} ms"
    advice = "give the client a CPU of its own, or lower the load on this machine"
    limit = max(min(LAG_LIMIT_S, tpot or LAG_LIMIT_S), LAG_SHARE * tpot)
    if lag <= min(limit, LAG_LIMIT_S):
        return None
    if lag > limit:
        return _void("client-lag", f"{size}, too much beside the TPOT", advice)
    return _flag("some-client-lag", size, advice)


def cache_hits(stats: CellStats, context: CellContext) -> Finding | None:
    """Prefix-cache hits where there should be none."""
    rate = stats.prefix_hit_rate
    if rate is None or rate <= HIT_RATE_LIMIT or context.is_caching_wanted:
        return None
    return _void(
        "prefix-cache",
        f"{rate:.1%} of the prompt tokens came from the prefix cache",
        "turn prefix caching off in all arms, or restart the server between passes",
    )


def queueing(stats: CellStats, _: CellContext) -> Finding | None:
    """Requests waited, so the batch was capped by something else than the load."""
    if stats.waiting is None or stats.waiting < 0.5:
        return None
    return _flag(
        "queueing",
        f"{stats.waiting:.1f} requests waited on average",
        "the running batch is below the concurrency: where it stands at the admission"
        " cap, raise that in all arms; else the KV cache or the token budget of a step"
        " holds requests back",
    )


def preemption(stats: CellStats, _: CellContext) -> Finding | None:
    """The KV cache was too small for the load."""
    if not stats.preemptions:
        return None
    return _flag(
        "preemption",
        f"{stats.preemptions:.0f} preemptions",
        "the KV cache is full at this load: capacity, not speculation, decides here",
    )


def no_drafts(stats: CellStats, context: CellContext) -> Finding | None:
    """Nothing was drafted, or nobody can tell though the arm was meant to speculate. A
    server without speculation has no counters at all: that is no finding."""
    if stats.acceptance is None:
        if not context.expects_speculation:
            return None
        reason = stats.missing.get("acceptance", "unknown")
        return _flag(
            "acceptance-unknown",
            f"acceptance is unknown: {reason}",
            "check that the server was started with a drafter",
        )
    if stats.acceptance.drafts == 0:
        return _flag(
            "no-drafts",
            "no drafts were made in this cell",
            "the server ran without speculation here: check the drafter's settings",
        )
    return None


def useless_drafter(stats: CellStats, _: CellContext) -> Finding | None:
    """Nothing accepted, or under one half at the first position."""
    acceptance = stats.acceptance
    if acceptance is not None and acceptance.drafts and not acceptance.accepted_tokens:
        return _flag(
            "nothing-accepted",
            f"none of the tokens of {acceptance.drafts:.0f} drafts was accepted",
            "the drafter is broken or was made for another model",
        )
    if acceptance is None or not acceptance.conditional_by_position:
        return None
    first = acceptance.conditional_by_position[0]
    if first is None or first >= 0.5:
        return None
    return _flag(
        "low-acceptance",
        f"the first draft token is accepted in {first:.0%} of the drafts",
        "the drafter does not fit this traffic, or is broken (wrong head, prompt"
        " beyond its trained length)",
    )


def looping(stats: CellStats, _: CellContext) -> Finding | None:
    """Loops flatter every drafter."""
    share = stats.looping_share
    if share is None or share <= LOOP_SHARE:
        return None
    return _flag(
        "looping",
        f"{share:.0%} of the outputs loop",
        "drafters profit from loops: take a larger model, other prompts or a lower"
        " output limit before you generalise",
    )


def short_window(stats: CellStats, _: CellContext) -> Finding | None:
    """Too little was measured under full load."""
    if stats.window_s is None:
        return _flag(
            "no-window",
            f"no window: {stats.missing.get('window_s', 'unknown')}",
            "the figures are over the whole cell, ramp and drain included",
        )
    done = round((stats.request_throughput or 0.0) * stats.window_s)
    if done >= MIN_WINDOW_REQUESTS:
        return None
    return _flag(
        "short-window",
        f"only {done} requests finished inside the window",
        "raise measure.min_requests or measure.requests_per_slot",
    )


RULES: tuple[Rule, ...] = (
    no_text,
    errors,
    no_token_counts,
    client_lag,
    cache_hits,
    queueing,
    preemption,
    no_drafts,
    useless_drafter,
    looping,
    short_window,
)
