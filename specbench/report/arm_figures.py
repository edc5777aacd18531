"""One arm at one load over its launches: which of its cells a reader may add up, and
what they come to. A void cell takes part in nothing but in the client's lag, which is
often why it is void."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.acceptance import IDLE_EDGES
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import CellStats, LatencyBasis, Severity
from specbench.stats.means import arithmetic_mean, geometric_mean

NOT_MEASURED = "not measured"

Reading = Callable[[CellStats], float | None]
Mean = Callable[[Sequence[float]], float]


class Mark(StrEnum):
    """How a figure was made where that is not the usual way; the value is the
    sentence that a reader gets."""

    USUAL_TPOT = "TPOT in its usual form (last - first) / (output tokens - 1)"
    SPREAD_TOKENS = "tokens spread evenly over the chunks (no running count)"
    WHOLE_RUN = "latencies over all measured requests, ramp and drain included"
    CELL_DRAFTS = "acceptance by counters over the whole cell, between idle edges"


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The figures of one arm at one load."""

    cells: tuple[CellStats, ...]
    """All launches, void ones included, by launch."""
    counted: tuple[CellStats, ...]
    """The launches behind the figures."""
    running_batch: Estimate
    output_throughput: Estimate
    tpot: Estimate
    """Median TPOT in seconds."""
    tpot_p95: Estimate
    """95th percentile of TPOT in seconds."""
    acceptance_rate: Estimate
    acceptance_length: Estimate
    tokens_per_step: Estimate
    looping_share: Estimate
    window_share: Estimate
    """Window / whole duration of the cell."""
    drift: Estimate
    """Throughput of the window's last third / of its first."""
    client_lag_p99: Estimate
    """Worst launch, seconds."""
    flags: tuple[str, ...]
    marks: frozenset[Mark]


def join_launches(cells: tuple[CellStats, ...]) -> ArmFigures:
    """Figures over all valid launches of the arm, whatever the other arm's launches
    came to. With geometric means the two arms' figures divide to their speedup."""
    counted = tuple(c for c in cells if not c.is_void)
    lags = [c.client_lag_p99 for c in cells if c.client_lag_p99 is not None]
    mean = _Means(cells, counted)
    return ArmFigures(
        cells=cells,
        counted=counted,
        running_batch=mean.of("running_batch", lambda c: c.running_batch),
        output_throughput=mean.of(
            "output_throughput", lambda c: c.output_throughput, geometric
        ),
        tpot=mean.of("tpot", lambda c: c.tpot.p50 if c.tpot else None, geometric),
        tpot_p95=mean.of("tpot", lambda c: c.tpot.p95 if c.tpot else None, geometric),
        acceptance_rate=mean.acceptance_rate(),
        acceptance_length=mean.acceptance_length(),
        tokens_per_step=mean.of("tokens_per_step", lambda c: c.tokens_per_step),
        looping_share=mean.of("looping_share", lambda c: c.looping_share),
        window_share=mean.of("window_share", lambda c: c.window_share),
        drift=mean.of("drift", lambda c: c.drift.ratio if c.drift else None),
        client_lag_p99=Estimate(max(lags), min(lags), max(lags), len(lags))
        if lags
        else absent(why_missing(cells, cells, "client_lag_p99")),
        flags=flag_codes(cells),
        marks=frozenset(_marks(counted)),
    )


def flag_codes(cells: tuple[CellStats, ...]) -> tuple[str, ...]:
    """Short codes of what was found, void ones first and in capitals; launches are
    named (`r2`) where not all are concerned."""
    launches: dict[tuple[Severity, str], list[int]] = {}
    for cell in cells:
        for finding in cell.findings:
            found = launches.setdefault((finding.severity, finding.code), [])
            found.append(cell.key.replicate)
    codes = []
    for (severity, code), found in sorted(
        launches.items(), key=lambda item: item[0][0] is not Severity.VOID
    ):
        word = f"VOID {code}" if severity is Severity.VOID else code
        where = ",".join(f"r{replicate}" for replicate in found)
        codes.append(word if len(found) == len(cells) else f"{word} {where}")
    return tuple(codes)


@dataclass(frozen=True, slots=True)
class _Means:
    """Means over the launches that count, or why there is none."""

    cells: tuple[CellStats, ...]
    counted: tuple[CellStats, ...]

    def of(self, name: str, reading: Reading, mean: Mean = arithmetic_mean) -> Estimate:
        """Mean of a figure that has a field of this name."""
        values = [v for v in map(reading, self.counted) if v is not None]
        if not values:
            return absent(why_missing(self.cells, self.counted, name))
        return Estimate(mean(values), min(values), max(values), len(values))

    def acceptance_rate(self) -> Estimate:
        """A ratio of sums: a launch with more drafts says more."""
        known = [
            (a.accepted_tokens, a.draft_tokens, a.rate)
            for c in self.counted
            if (a := c.acceptance) and a.draft_tokens is not None
        ]
        drafted = math.fsum(tokens for _, tokens, _ in known)
        accepted = math.fsum(tokens for tokens, _, _ in known)
        own = [rate for _, _, rate in known if rate is not None]
        return self._pooled("rate", accepted / drafted if drafted else None, own)

    def acceptance_length(self) -> Estimate:
        """1 + a ratio of sums."""
        known = [c.acceptance for c in self.counted if c.acceptance]
        drafts = math.fsum(a.drafts for a in known)
        accepted = math.fsum(a.accepted_tokens for a in known)
        own = [a.length for a in known if a.length is not None]
        return self._pooled("length", 1 + accepted / drafts if drafts else None, own)

    def _pooled(self, part: str, value: float | None, own: list[float]) -> Estimate:
        if value is None or not own:
            names = (f"acceptance_{part}", "acceptance")
            return absent(why_missing(self.cells, self.counted, *names))
        return Estimate(value, min(own), max(own), len(own))


def geometric(values: Sequence[float]) -> float:
    """Their geometric mean; the arithmetic one where a value has no logarithm."""
    # one value stays what it is: a logarithm and back would move its last digit
    if len(values) == 1 or any(v <= 0 for v in values):
        return arithmetic_mean(values)
    return geometric_mean(values)


def _marks(counted: tuple[CellStats, ...]) -> Iterable[Mark]:
    for cell in counted:
        if cell.tpot is not None and cell.tpot_is_usual:
            yield Mark.USUAL_TPOT
        if not cell.tokens_exact:
            yield Mark.SPREAD_TOKENS
        if cell.latency_basis is LatencyBasis.WHOLE_RUN:
            yield Mark.WHOLE_RUN
        if cell.acceptance is not None and cell.acceptance.source == IDLE_EDGES:
            yield Mark.CELL_DRAFTS


def why_missing(
    cells: tuple[CellStats, ...], counted: tuple[CellStats, ...], *names: str
) -> str:
    """The reason why none of these launches has the figure of the first of these
    names, or what it is part of."""
    if not cells:
        return NOT_MEASURED
    if not counted:
        found = [f for c in cells for f in c.findings if f.severity is Severity.VOID]
        return f"void: {', '.join(dict.fromkeys(f.code for f in found))}"
    for name in names:
        for cell in counted:
            if name in cell.missing:
                return cell.missing[name]
    if "acceptance" in names and any(c.acceptance is not None for c in counted):
        return "no drafts were made"
    return "no reason was recorded"
