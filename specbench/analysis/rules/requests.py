"""What the requests themselves came to: errors, no text, no counts, loops."""

from specbench.analysis.rules.rule import CellContext, flag, void
from specbench.schema.findings import CellStats, Finding

ERROR_SHARE = 0.02
LOOP_SHARE = 0.10
CONTEXT_SHARE = 0.02
"""Of the wanted context, by which a prompt may be shorter or longer."""


def no_text(stats: CellStats, _: CellContext) -> Finding | None:
    """Nothing was generated at all."""
    if stats.completed > stats.empty:
        return None
    return void(
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
        return void(
            "errors",
            f"{stats.failed} of {total} requests failed: {reasons}",
            "mend the cause; the rest ran at a lower load than asked",
        )
    return flag(
        "some-errors",
        f"{stats.failed} of {total} requests failed: {reasons}",
        "they take part in no figure",
    )


def given_up(stats: CellStats, context: CellContext) -> Finding | None:
    """What was sent is the beginning of the list only, whatever came of it."""
    if context.unsent <= 0:
        return None
    return void(
        "given-up",
        f"{context.unsent} planned requests were never sent: too many had failed"
        f" ({stats.failed} of {stats.completed + stats.failed})",
        "mend the cause and measure again",
    )


def no_token_counts(stats: CellStats, _: CellContext) -> Finding | None:
    """Without the server's counts there is no throughput: chunks are not tokens."""
    if stats.mean_output_tokens is not None or stats.completed <= stats.empty:
        return None
    return flag(
        "no-token-counts",
        "the server reports no token counts (usage)",
        "throughput and TPOT are unknown; turn usage in streams on",
    )


def looping(stats: CellStats, _: CellContext) -> Finding | None:
    """Loops flatter every drafter."""
    share = stats.looping_share
    if share is None or share <= LOOP_SHARE:
        return None
    return flag(
        "looping",
        f"{share:.0%} of the outputs loop",
        "drafters profit from loops: take a larger model, other prompts or a lower"
        " output limit before you generalise",
    )


def context_off(stats: CellStats, _: CellContext) -> Finding | None:
    """Prompts are of another length than the cell stands for."""
    length = stats.prompt_length
    if length is None or length.worst_off is None or length.worst_off <= CONTEXT_SHARE:
        return None
    wanted = stats.key.condition.context
    return flag(
        "context-off",
        f"prompts have {length.shortest} to {length.longest} tokens by the server's"
        f" count (mean {length.mean:.0f}) instead of {wanted}",
        "the server's tokenizer or chat template differs from the files that the"
        " lengths were counted with: give target.model the folder that is served",
    )
