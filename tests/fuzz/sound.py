"""What must hold of a reading, however broken the bytes were: it can be reasoned about,
kept, read again and summarised; and a failure has a reason."""

import math
from collections.abc import Sequence
from typing import Any

from specbench.analysis.cell import summarise_cell
from specbench.report.csv_files import cells_csv
from specbench.report.json_report import plain_cell
from specbench.schema.findings import RunFindings
from specbench.schema.sample import Outcome, RequestSample
from specbench.store.format import to_json
from specbench.store.samples_file import decode_samples, encode_samples
from tests.factories import observations
from tests.fuzz.levels import Read


def unsound(read: Read, reads: int) -> str | None:
    """Why a reading of so many reads is none; None where it is sound."""
    stamps = [chunk.arrival_ns for chunk in read.chunks]
    if stamps != sorted(stamps) or not all(0 <= at < max(1, reads) for at in stamps):
        return f"arrivals {stamps} of {reads} reads"
    for chunk in read.chunks:
        if not _is_sound_chunk(chunk):
            return f"chunk {chunk!r}"
    for count in (read.prompt_tokens, read.output_tokens):
        if not _is_count(count):
            return f"count {count!r}"
    if not _is_reason(read.error):
        return f"error {read.error!r}"
    if isinstance(read, RequestSample):
        return _unsound_sample(read)
    return None


def _unsound_sample(sample: RequestSample) -> str | None:
    if (sample.outcome is Outcome.FAILED) is not bool(sample.error):
        return f"outcome {sample.outcome} with the reason {sample.error!r}"
    if sample.outcome is Outcome.EMPTY and any(c.text for c in sample.chunks):
        return "empty, with text"
    return None


def _is_reason(error: Any) -> bool:
    return error is None or (isinstance(error, str) and bool(error))


def _is_sound_chunk(chunk: Any) -> bool:
    return (
        isinstance(chunk.text, str)
        and chunk.text == chunk.text.encode(errors="replace").decode()
        and isinstance(chunk.is_reasoning, bool)
        and _is_count(chunk.tokens_so_far)
    )


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def unkeepable(samples: Sequence[RequestSample]) -> str | None:
    """Why samples cannot be stored, read again, summarised or reported."""
    try:
        kept = decode_samples(encode_samples(samples), "samples.parquet")
        if [s.chunks for s in kept] != [s.chunks for s in samples]:
            return "the chunks that were read again are others"
        if [s.speculation for s in kept] != [s.speculation for s in samples]:
            return "the engine's figures that were read again are others"
        stats = summarise_cell(observations(samples))
        to_json(plain_cell(stats))
        findings = RunFindings((stats,), (), (), (), (), ())
        table = cells_csv(findings)
    except Exception as error:  # noqa: BLE001 (whatever it is, it must not be raised)
        return f"{type(error).__name__}: {error}"[:300]
    figures = (stats.output_throughput, stats.whole_run.output_throughput)
    if not all(figure is None or math.isfinite(figure) for figure in figures):
        return f"throughputs {figures}"
    return None if table else "an empty table"
