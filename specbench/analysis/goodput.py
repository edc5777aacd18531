"""Goodput: requests per second that ended well within every limit of the `[slo]`, of
those that were due in the window. A request that failed, or that has no figure for some
limit, is not good; one whose whole answer came in its first chunk waited for no token
after it, and keeps a limit on TPOT."""

from collections.abc import Iterable, Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.requests import derive_figures
from specbench.analysis.window import Window
from specbench.schema.findings import Goodput
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.sweep import Slo

MS_PER_S = 1000.0


def find_goodput(
    samples: Sequence[RequestSample], window: Window, slo: Slo | None
) -> Goodput | Missing:
    """Over the measured requests that were due in the window, whenever they ended."""
    if slo is None:
        return Missing("the sweep has no [slo], which says what a good request is")
    due = [
        s
        for s in samples
        if s.role is Role.MEASURED
        and window.open_ns < s.scheduled_ns <= window.close_ns
    ]
    good = unknown = answered = 0
    for sample in due:
        if sample.outcome is Outcome.FAILED:
            continue
        answered += 1
        kept = [*_kept(sample, slo)]
        good += all(kept)
        # a limit that is broken for certain decides, whatever else is unknown
        unknown += None in kept and False not in kept
    if answered and unknown == answered:
        return Missing("no request has every figure that a limit of the [slo] needs")
    return Goodput(rate=good / window.seconds, good=good, due=len(due), unknown=unknown)


def _kept(sample: RequestSample, slo: Slo) -> Iterable[bool | None]:
    """For each limit whether it was kept; None = there is no such figure."""
    figures = derive_figures(sample)
    for figure, limit_ms in (
        (figures.ttft, slo.ttft_ms),
        (0.0 if _came_at_once(sample) else figures.tpot, slo.tpot_ms),
        (figures.e2e, slo.e2e_ms),
    ):
        if limit_ms is not None:
            yield None if figure is None else figure * MS_PER_S <= limit_ms


def _came_at_once(sample: RequestSample) -> bool:
    """Whether the first chunk with text held the whole answer, which drafts that are
    accepted make more likely."""
    first = next((chunk for chunk in sample.chunks if chunk.text), None)
    tokens = sample.output_tokens
    return first is not None and tokens is not None and first.tokens_so_far == tokens
