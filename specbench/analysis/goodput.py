"""Goodput: requests per second that ended well within every limit of the `[slo]`, of
those that were due in the window. A request that failed, or that has no figure for some
limit, is not good."""

from collections.abc import Iterable, Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.requests import RequestFigures, derive_figures
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
    good = unknown = 0
    for sample in due:
        if sample.outcome is Outcome.FAILED:
            continue
        kept = [*_kept(derive_figures(sample), slo)]
        good += all(kept)
        # a limit that is broken for certain decides, whatever else is unknown
        unknown += None in kept and False not in kept
    return Goodput(rate=good / window.seconds, good=good, due=len(due), unknown=unknown)


def _kept(figures: RequestFigures, slo: Slo) -> Iterable[bool | None]:
    """For each limit whether it was kept; None = there is no such figure."""
    for figure, limit_ms in (
        (figures.ttft, slo.ttft_ms),
        (figures.tpot, slo.tpot_ms),
        (figures.e2e, slo.e2e_ms),
    ):
        if limit_ms is not None:
            yield None if figure is None else figure * MS_PER_S <= limit_ms
