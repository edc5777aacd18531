"""Whether the arm speculated, and whether its drafter is any good."""

from specbench.analysis.rules.rule import CellContext, flag
from specbench.schema.drafting import NGRAM
from specbench.schema.findings import CellStats, Finding

SAME_LENGTH = 0.02
"""Two acceptance lengths of the same drafts may differ by so much."""


def no_drafts(stats: CellStats, context: CellContext) -> Finding | None:
    """Nothing was drafted, or nobody can tell though the arm was meant to speculate. A
    server without speculation has no counters at all: that is no finding."""
    if stats.acceptance is None:
        if not context.expects_speculation:
            return None
        drafter = context.drafter
        if drafter and drafter.is_adaptive and stats.tokens_per_step is not None:
            # its steps are known, and which of them drafted is not
            return None
        reason = stats.missing.get("acceptance", "unknown")
        return flag(
            "acceptance-unknown",
            f"acceptance is unknown: {reason}",
            "check that the server was started with a drafter",
        )
    if stats.acceptance.drafts == 0:
        return flag(
            "no-drafts",
            "no drafts were made in this cell",
            "the server ran without speculation here: check the drafter's settings",
        )
    return None


def useless_drafter(stats: CellStats, context: CellContext) -> Finding | None:
    """Nothing accepted, or under one half at the first position. SGLang's n-gram drafts
    are also made, of padding, where nothing matched: few are accepted, and that is no
    fault."""
    acceptance = stats.acceptance
    if acceptance is not None and acceptance.drafts and not acceptance.accepted_tokens:
        return flag(
            "nothing-accepted",
            f"none of the tokens of {acceptance.drafts:.0f} drafts was accepted",
            "the drafter is broken or was made for another model",
        )
    if acceptance is None or not acceptance.conditional_by_position:
        return None
    if context.drafter is not None and context.drafter.method == NGRAM:
        return None
    first = acceptance.conditional_by_position[0]
    if first is None or first >= 0.5:
        return None
    return flag(
        "low-acceptance",
        f"the first draft token is accepted in {first:.0%} of the drafts",
        "the drafter does not fit this traffic, or is broken (wrong head, prompt"
        " beyond its trained length)",
    )


def routes_disagree(stats: CellStats, _: CellContext) -> Finding | None:
    """The engine's counters and its requests' own figures are of the same drafts, so
    they can differ by nothing but what one of them leaves out."""
    difference = stats.whole_run.acceptance_difference
    if difference is None or abs(difference) <= SAME_LENGTH:
        return None
    return flag(
        "acceptance-disagrees",
        "over the whole cell the acceptance length by the requests' own figures is"
        f" {difference:+.1%} off the one by the server's counters",
        "something else used the server during the cell, or one of the two means"
        " something else in this version: compare it with the version that the"
        " adapter was written for",
    )
