"""What the product stored of a cell, as far as the judge needs it: raw instants and
counts, none of the product's figures."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from specbench.schema.sample import RequestSample
from specbench.schema.snapshot import MetricsSnapshot


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as the client recorded it."""

    slot: int
    is_measured: bool
    has_failed: bool
    sent_ns: int
    end_ns: int
    output_tokens: int | None
    arrivals: tuple[tuple[int, int | None], ...]
    """(stamp, tokens so far) of each chunk with text."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A metrics page as the client kept it."""

    phase: str
    instant_ns: int
    text: str


@dataclass(frozen=True, slots=True)
class SeenCell:
    """A cell's raw record."""

    concurrency: int
    requests: tuple[SeenRequest, ...]
    pages: tuple[SeenPage, ...]

    def page(self, phase: str) -> SeenPage:
        """The one page of a phase."""
        (page,) = (p for p in self.pages if p.phase == phase)
        return page


def stored_cell(folder: Path, concurrency: int) -> SeenCell:
    """From a run's `cells/<id>` folder, read without the product's reader."""
    rows = pq.read_table(folder / "samples.parquet").to_pylist()
    requests = tuple(
        SeenRequest(
            slot=row["slot"],
            is_measured=row["role"] == "measured",
            has_failed=row["outcome"] == "failed",
            sent_ns=row["sent_ns"],
            end_ns=row["end_ns"],
            output_tokens=row["output_tokens"],
            arrivals=_with_text(
                zip(
                    row["chunk_arrival_ns"],
                    row["chunk_text"],
                    row["chunk_tokens_so_far"],
                    strict=True,
                )
            ),
        )
        for row in rows
    )
    lines = (folder / "snapshots.jsonl").read_text().split("\n")[:-1]
    pages = (json.loads(line) for line in lines)
    return SeenCell(
        concurrency,
        requests,
        tuple(SeenPage(p["phase"], p["instant_ns"], p["text"] or "") for p in pages),
    )


def driven_cell(
    concurrency: int,
    samples: Sequence[RequestSample],
    snapshots: Sequence[MetricsSnapshot] = (),
) -> SeenCell:
    """From samples in memory."""
    return SeenCell(
        concurrency,
        tuple(
            SeenRequest(
                slot=s.slot,
                is_measured=s.role.value == "measured",
                has_failed=s.outcome.value == "failed",
                sent_ns=s.sent_ns,
                end_ns=s.end_ns,
                output_tokens=s.output_tokens,
                arrivals=_with_text(
                    (c.arrival_ns, c.text, c.tokens_so_far) for c in s.chunks
                ),
            )
            for s in samples
        ),
        tuple(SeenPage(s.phase.value, s.instant_ns, s.text or "") for s in snapshots),
    )


def _with_text(
    chunks: Iterable[tuple[int, str, int | None]],
) -> tuple[tuple[int, int | None], ...]:
    return tuple((at, tokens) for at, text, tokens in chunks if text)
