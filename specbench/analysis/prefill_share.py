"""How much of a baseline's time is prefill, from the instants of its chunks alone.

With d the mean time of the plain decode steps, during which no request was in prefill,
W the token-weighted mean TPOT, D the decode tokens (all but each request's first) and E
the time from `sent` to the end, both summed over requests:

    share of the decode time   f = 1 - d / W
    share of the request       f = 1 - d D / E

d is a mean and not a median because W and E are sums: a slow step that has nothing to
do with prefill is as likely in d as beside it and cancels, while a median would leave
it out of d alone and call it prefill. In a closed loop at full load nobody in prefill
means everybody decoding, so the plain steps are those of the full batch. Where requests
queue that no longer holds, and there is no share."""

import math
from collections.abc import Sequence
from dataclasses import replace

from specbench.analysis.missing import Missing, keep
from specbench.analysis.plain_steps import plain_decoding
from specbench.analysis.rules.load import QUEUE
from specbench.analysis.window import NoWindow, Window
from specbench.schema.findings import CellStats, LatencyBasis, PrefillShare
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.units import seconds_between

SLACK = 0.02
"""A share may come out so far below zero and is then none: in the steps beside the
plain ones a sequence less decodes, which makes them cheaper."""
SURE = 2.0
"""Standard errors of d that chance is allowed on top, where that is more."""


def add_prefill_share(
    stats: CellStats,
    samples: Sequence[RequestSample],
    window: Window | NoWindow,
    *,
    drafts: bool,
) -> CellStats:
    """The summary of a cell, whose window is in it already, with its prefill share or
    the reason why there is none. `drafts`: the server speculates."""
    if isinstance(window, NoWindow):
        return stats
    missing = dict(stats.missing)
    why = _why_unknown(stats, drafts=drafts)
    found = Missing(why) if why else _share(stats, samples, window)
    return replace(
        stats,
        prefill_share=keep(missing, "prefill_share", found),
        missing=missing,
    )


def _why_unknown(stats: CellStats, *, drafts: bool) -> str | None:
    """What forbids a share before any chunk is looked at."""
    causes = (
        (
            stats.key.condition.is_open,
            "the load is open: its batch comes and goes, and so does its plain step",
        ),
        (drafts, "the server speculates, so that a token is no step of it"),
        (
            not stats.tokens_exact or stats.tpot_is_usual,
            "the server sends no running token counts",
        ),
        (
            stats.waiting is not None and stats.waiting >= QUEUE,
            "requests waited for admission, which cannot be told from prefill",
        ),
        (
            bool(stats.preemptions),
            "requests were preempted and computed anew between their tokens",
        ),
        (
            stats.latency_basis is not LatencyBasis.FULL_LOAD,
            "no request was at full load from its sending to its end",
        ),
        (
            not stats.mean_tpot_by_token,
            "no request at full load brought tokens at different instants",
        ),
    )
    return next((words for holds, words in causes if holds), None)


def _share(
    stats: CellStats, samples: Sequence[RequestSample], window: Window
) -> PrefillShare | Missing:
    chosen = [
        s
        for s in samples
        if s.role is Role.MEASURED
        and s.outcome is not Outcome.FAILED
        and window.had_full_load(s)
    ]
    plain = plain_decoding(samples, chosen)
    if isinstance(plain, Missing):
        return plain
    decoded = sum((s.output_tokens or 1) - 1 for s in chosen)
    taken_s = math.fsum(seconds_between(s.sent_ns, s.end_ns) for s in chosen)
    assert stats.mean_tpot_by_token
    of_decode = 1 - plain.step_s / stats.mean_tpot_by_token
    of_request = 1 - plain.step_s * decoded / taken_s
    slack = max(SLACK, SURE * plain.error)
    if min(of_decode, of_request) < -slack:
        return Missing(
            "the steps during which no request was in prefill were slower than the"
            " others"
        )
    return PrefillShare(
        of_request=max(0.0, of_request),
        of_decode=max(0.0, of_decode),
        plain_step_s=plain.step_s,
        plain_gaps=plain.gaps,
    )
