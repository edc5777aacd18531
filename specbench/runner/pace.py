"""How long a request takes, learnt from what the launch has measured so far."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.requests import derive_figures
from specbench.schema.sample import RequestSample
from specbench.stats.quantiles import median
from specbench.units import seconds_between


@dataclass(frozen=True, slots=True)
class Pace:
    """Medians over some requests of one server, in seconds."""

    request_s: float
    """Sent to the end of the response."""
    ttft_s: float | None
    tpot_s: float | None


def pace_of(samples: Sequence[RequestSample]) -> Pace | None:
    """Pace of the requests that ended well; None without any."""
    figures = [derive_figures(s) for s in samples]
    ended = [
        seconds_between(s.sent_ns, s.end_ns)
        for s, f in zip(samples, figures, strict=True)
        if f.ttft is not None
    ]
    if not ended:
        return None
    ttfts = [f.ttft for f in figures if f.ttft is not None]
    tpots = [f.tpot for f in figures if f.tpot is not None]
    return Pace(
        request_s=median(ended),
        ttft_s=median(ttfts) if ttfts else None,
        tpot_s=median(tpots) if tpots else None,
    )
