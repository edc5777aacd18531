"""Request samples as Parquet: one row a request, its stream as four lists of equal
length (arrival, text, kind, running token count). Nothing is derived or rounded; what
is read equals what was written. Bytes in, bytes out.

Arrivals of a stream rise in small steps, so their differences are stored (Parquet's
DELTA_BINARY_PACKED), and everything is compressed with zstd: a cell can hold a
million arrivals."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from specbench.errors import ResultsError
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.store.format import parse_strict

_HINT = "the file was damaged; the cell cannot be used, the others can"

_SCALARS: dict[str, pa.DataType] = {
    "index": pa.int64(),
    "prompt_id": pa.string(),
    "category": pa.string(),
    "slot": pa.int64(),
    "role": pa.string(),
    "scheduled_ns": pa.int64(),
    "sent_ns": pa.int64(),
    "end_ns": pa.int64(),
    "outcome": pa.string(),
    "error": pa.string(),
    "http_status": pa.int64(),
    "prompt_tokens": pa.int64(),
    "output_tokens": pa.int64(),
    "finish_reason": pa.string(),
    "speculation": pa.string(),
}
"""Named as in `RequestSample`; `speculation` is JSON text."""

_CHUNK_LISTS: dict[str, pa.DataType] = {
    "arrival_ns": pa.int64(),
    "text": pa.string(),
    "is_reasoning": pa.bool_(),
    "tokens_so_far": pa.int32(),
}
"""Named as in `Chunk`; in the file with `chunk_` before them."""

_OPTIONAL = frozenset(
    {
        "error",
        "http_status",
        "prompt_tokens",
        "output_tokens",
        "finish_reason",
        "speculation",
    }
)

SCHEMA = pa.schema(
    [pa.field(name, kind, name in _OPTIONAL) for name, kind in _SCALARS.items()]
    + [
        pa.field(
            f"chunk_{name}",
            pa.list_(pa.field("element", kind, name == "tokens_so_far")),
            nullable=False,
        )
        for name, kind in _CHUNK_LISTS.items()
    ]
)


def encode_samples(samples: Sequence[RequestSample]) -> bytes:
    """The file's bytes."""
    chunks = [chunk for sample in samples for chunk in sample.chunks]
    offsets = [0]
    for sample in samples:
        offsets.append(offsets[-1] + len(sample.chunks))
    columns = [_scalar_column(name, kind, samples) for name, kind in _SCALARS.items()]
    for name, kind in _CHUNK_LISTS.items():
        values = pa.array([_storable(getattr(chunk, name)) for chunk in chunks], kind)
        columns.append(
            pa.ListArray.from_arrays(
                pa.array(offsets, pa.int32()),
                values,
                SCHEMA.field(f"chunk_{name}").type,
            )
        )
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.Table.from_arrays(columns, schema=SCHEMA),
        sink,
        compression="zstd",
        use_dictionary=["prompt_id", "category", "role", "outcome", "finish_reason"],
        column_encoding={"chunk_arrival_ns.list.element": "DELTA_BINARY_PACKED"},
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


def decode_samples(data: bytes, file: str) -> tuple[RequestSample, ...]:
    """Raises ResultsError naming the file, and the row where one is at fault."""
    try:
        table = pq.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError) as error:
        raise ResultsError(f"{file}: not readable: {error}", hint=_HINT) from error
    if not table.schema.equals(SCHEMA):
        raise ResultsError(
            f"{file}: its columns are not those of a samples file", hint=_HINT
        )
    samples = []
    for number, row in enumerate(table.to_pylist()):
        try:
            samples.append(_sample(row))
        except ValueError as error:
            raise ResultsError(f"{file}, row {number}: {error}", hint=_HINT) from error
    return tuple(samples)


def _scalar_column(
    name: str, kind: pa.DataType, samples: Sequence[RequestSample]
) -> pa.Array:
    read = _READERS.get(name, _storable)
    return pa.array([read(getattr(sample, name)) for sample in samples], kind)


def _speculation_text(value: dict[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, allow_nan=False)


_READERS: dict[str, Callable[[Any], Any]] = {
    "role": str,
    "outcome": str,
    "speculation": _speculation_text,
}


def _storable(value: Any) -> Any:
    """Half of a surrogate pair, as broken escapes give, has no UTF-8 form; it is the
    one thing that does not come back as it was: it becomes a question mark."""
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="replace").decode()
    return value


def _sample(row: dict[str, Any]) -> RequestSample:
    lists = [row.pop(f"chunk_{name}") for name in _CHUNK_LISTS]
    chunks = tuple(
        Chunk(arrival_ns, text, is_reasoning, tokens_so_far)
        for arrival_ns, text, is_reasoning, tokens_so_far in zip(*lists, strict=True)
    )
    speculation = row.pop("speculation")
    return RequestSample(
        role=Role(row.pop("role")),
        outcome=Outcome(row.pop("outcome")),
        speculation=None if speculation is None else parse_strict(speculation),
        chunks=chunks,
        **row,
    )
