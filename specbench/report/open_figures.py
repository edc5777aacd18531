"""The figures of an open loop that stand in tables: of one arm at one rate, over the
launches that count, each with the name that it has in a table's head."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.arm_figures import ArmFigures, geometric, why_missing
from specbench.report.blocks import Block
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import CellStats, Distribution
from specbench.stats.means import arithmetic_mean

QUANTILES = {"p50": "median", "p90": "p90", "p95": "p95", "p99": "p99"}
LATENCIES = {"ttft": "TTFT", "tpot": "TPOT", "e2e_latency": "end-to-end"}
SHORT = {"end-to-end": "e2e"}


@dataclass(frozen=True, slots=True)
class OpenFigure:
    """How one figure is read, joined over launches and written."""

    name: str
    """In full."""
    unit: str
    head: str
    """In the head of a narrow table."""
    read: Callable[[CellStats], float | None]
    form: words.Form
    field: str
    """Of the summary; its reason is the figure's, where there is none."""
    join: Callable[[Sequence[float]], float] = arithmetic_mean
    counts_void: bool = False
    """Also of void cells: it is often why they are void."""

    def of(self, side: ArmFigures) -> Estimate:
        """One arm at one rate."""
        cells = side.cells if self.counts_void else side.counted
        values = [v for v in map(self.read, cells) if v is not None]
        if not values:
            return absent(why_missing(side.cells, side.counted, self.field))
        return Estimate(self.join(values), min(values), max(values), len(values))


def open_figures(block: Block) -> tuple[OpenFigure, ...]:
    """What a block shows of the load; goodput only where there is an `[slo]`."""
    cells = [
        cell
        for row in block.rows
        for side in (row.baseline, row.arm)
        if side is not None
        for cell in side.cells
    ]
    has_goodput = any(c.open_load and c.open_load.goodput for c in cells)
    return (*LOAD_FIGURES, *(GOODPUT_FIGURES if has_goodput else ()), *DELAY_FIGURES)


def _delay(
    read: Callable[[Distribution], float],
) -> Callable[[CellStats], float | None]:
    def find(cell: CellStats) -> float | None:
        delay = cell.open_load.send_delay if cell.open_load else None
        return read(delay) if delay else None

    return find


def _goodput(cell: CellStats) -> float | None:
    goodput = cell.open_load.goodput if cell.open_load else None
    return goodput.rate if goodput else None


def _good_share(cell: CellStats) -> float | None:
    goodput = cell.open_load.goodput if cell.open_load else None
    return goodput.share if goodput else None


def _latency_figures(name: str, label: str) -> Iterator[OpenFigure]:
    for quantile, said in QUANTILES.items():

        def read(cell: CellStats, quantile: str = quantile) -> float | None:
            found: Distribution | None = getattr(cell, name)
            value: float | None = getattr(found, quantile, None)
            return value

        yield OpenFigure(
            name=f"{label} {said}",
            unit="ms",
            head=f"{SHORT.get(label, label)}\n{quantile}",
            read=read,
            form=words.milliseconds,
            field=name,
            join=geometric,
        )


def _whole(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else words.batch(value)


LOAD_FIGURES = (
    OpenFigure(
        "sent",
        "requests",
        "sent",
        lambda c: float(c.completed + c.failed),
        _whole,
        "completed",
    ),
    OpenFigure("failed", "requests", "fail", lambda c: float(c.failed), _whole, ""),
    OpenFigure(
        "in flight",
        "requests",
        "in\nflight",
        lambda c: c.in_flight,
        words.batch,
        "in_flight",
    ),
    OpenFigure(
        "batch",
        "sequences",
        "batch",
        lambda c: c.running_batch,
        words.batch,
        "running_batch",
    ),
    OpenFigure(
        "output tokens",
        "/s",
        "tokens\n/s",
        lambda c: c.output_throughput,
        words.significant,
        "output_throughput",
    ),
    OpenFigure(
        "requests ended",
        "/s",
        "ended\n/s",
        lambda c: c.request_throughput,
        words.significant,
        "request_throughput",
    ),
)
GOODPUT_FIGURES = (
    OpenFigure("goodput", "/s", "good\n/s", _goodput, words.significant, "goodput"),
    OpenFigure("good share", "", "good\nshare", _good_share, words.share, "goodput"),
)
DELAY_FIGURES = (
    OpenFigure(
        "send delay p50",
        "ms",
        "delay\np50",
        _delay(lambda d: d.p50),
        words.lag,
        "open_load",
        max,
        counts_void=True,
    ),
    OpenFigure(
        "send delay p99",
        "ms",
        "delay\np99",
        _delay(lambda d: d.p99),
        words.lag,
        "open_load",
        max,
        counts_void=True,
    ),
    OpenFigure(
        "send delay, longest",
        "ms",
        "delay\nmax",
        lambda c: c.open_load.send_delay_max_s if c.open_load else None,
        words.lag,
        "open_load",
        max,
        counts_void=True,
    ),
)
LATENCY_FIGURES = {
    label: tuple(_latency_figures(name, label)) for name, label in LATENCIES.items()
}
"""By the latency's name."""

OPEN_NOTE = (
    "rate: requests that arrive per second. Latencies count from the instant when a"
    " request was due, in ms, over all measured requests; failed ones stand beside"
    " them. delay: sent less due, in ms, worst launch. ended: while requests arrived."
    " good: kept every limit of the [slo]."
)
