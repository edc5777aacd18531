"""The benchmark's table, its ratios, and whether the bounds hold. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median

from trial import Figures

REFERENCE, OURS, HTTPX, AIOHTTP = "reference", "ours", "plain_httpx", "with_aiohttp"
AIOHTTP_UVLOOP = "aiohttp_uvloop"
"""For comparison; no bound is held against it."""
LAG_FACTOR, LAG_ROOM_S = 1.25, 0.0002
HTTPX_PART, AIOHTTP_PART = 5, 2


@dataclass(frozen=True)
class Row:
    """A client's figures, medians over its blocks; counts are sums."""

    client: str
    blocks: int
    figures: Figures


def summarise(client: str, blocks: Sequence[Figures]) -> Row:
    """Medians, so that one disturbed block does not decide."""
    values = {
        f.name: median(getattr(block, f.name) for block in blocks)
        for f in fields(Figures)
    }
    for counted in ("lost_chunks", "failed"):
        values[counted] = sum(getattr(block, counted) for block in blocks)
    values["seconds"] = sum(block.seconds for block in blocks)
    return Row(client, len(blocks), Figures(**values))


HEADINGS = (
    "client",
    "blocks",
    "seconds",
    "CPU us/chunk",
    "lag p50 ms",
    "lag p99 ms",
    "TTFT error p50 ms",
    "TTFT error p99 ms",
    "TPOT error p50",
    "TPOT error p99",
    "chunks/s of scheduled",
    "lost",
    "failed",
    "server late p99 ms",
)


def markdown(rows: Sequence[Row]) -> str:
    """One line a client."""
    lines = [_line(HEADINGS), _line(["---", *["---:"] * (len(HEADINGS) - 1)])]
    for row in rows:
        f = row.figures
        lines.append(
            _line(
                (
                    row.client,
                    str(row.blocks),
                    f"{f.seconds:.0f}",
                    f"{f.cpu_us_per_chunk:.1f}",
                    f"{f.lag_p50_s * 1e3:.3f}",
                    f"{f.lag_p99_s * 1e3:.3f}",
                    f"{f.ttft_error_p50_s * 1e3:+.2f}",
                    f"{f.ttft_error_p99_s * 1e3:+.2f}",
                    f"{f.tpot_error_p50:+.2%}",
                    f"{f.tpot_error_p99:+.2%}",
                    "–"
                    if math.isnan(f.delivered_share)
                    else f"{f.delivered_share:.1%}",
                    str(f.lost_chunks),
                    str(f.failed),
                    f"{f.server_late_p99_s * 1e3:.2f}",
                )
            )
        )
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def ratios(rows: Mapping[str, Row]) -> list[str]:
    """Ours against each of the others."""
    if OURS not in rows:
        return []
    ours = rows[OURS].figures
    return [
        f"ours / {name}:"
        f" CPU per chunk {ours.cpu_us_per_chunk / f.cpu_us_per_chunk:.2f},"
        f" lag p50 {ours.lag_p50_s / f.lag_p50_s:.2f},"
        f" lag p99 {ours.lag_p99_s / f.lag_p99_s:.2f}"
        for name, row in rows.items()
        if name != OURS
        for f in (row.figures,)
    ]


@dataclass(frozen=True)
class Check:
    """One bound."""

    holds: bool
    text: str


def check(rows: Mapping[str, Row]) -> list[Check]:
    """The bounds, as far as the clients that they name took part."""
    if OURS not in rows:
        return []
    ours = rows[OURS].figures
    found = [
        Check(
            ours.lost_chunks == 0 and ours.failed == 0,
            f"nothing lost: {ours.lost_chunks} chunks, {ours.failed} requests",
        )
    ]
    if REFERENCE in rows:
        for name in ("lag_p50_s", "lag_p99_s"):
            value = getattr(ours, name)
            bound = LAG_FACTOR * getattr(rows[REFERENCE].figures, name) + LAG_ROOM_S
            found.append(
                Check(
                    value <= bound,
                    f"{name[:7].replace('_', ' ')} {value * 1e3:.3f} ms, at most"
                    f" {LAG_FACTOR} x reference + 0.2 ms = {bound * 1e3:.3f} ms",
                )
            )
    for name, part in ((HTTPX, HTTPX_PART), (AIOHTTP, AIOHTTP_PART)):
        if name in rows:
            bound = rows[name].figures.cpu_us_per_chunk / part
            found.append(
                Check(
                    ours.cpu_us_per_chunk <= bound,
                    f"CPU {ours.cpu_us_per_chunk:.1f} us/chunk, at most 1/{part} of"
                    f" {name} = {bound:.1f}",
                )
            )
    return found
