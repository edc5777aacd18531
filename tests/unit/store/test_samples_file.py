"""Samples in Parquet: identity, compactness, and damage that names the file."""

import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.errors import ResultsError
from specbench.schema.sample import Chunk, RequestSample
from specbench.store.samples_file import decode_samples, encode_samples
from tests.unit.store import examples


@settings(max_examples=40)
@given(st.lists(examples.samples, max_size=4).map(tuple))
def test_what_is_read_equals_what_was_written(
    samples: tuple[RequestSample, ...],
) -> None:
    assert decode_samples(encode_samples(samples), "f") == samples


def test_a_file_has_one_row_for_each_request() -> None:
    data = encode_samples([examples.example_sample(i) for i in range(3)])
    table = pq.read_table(pa.BufferReader(data))
    assert table.num_rows == 3
    assert table.column("chunk_arrival_ns").to_pylist()[0] == [2_000, 3_000, 4_000]
    assert table.column("chunk_tokens_so_far").to_pylist()[0] == [None, 2, 4]


def test_files_are_compressed_with_zstd() -> None:
    metadata = pq.read_metadata(
        pa.BufferReader(encode_samples([examples.example_sample()]))
    )
    columns = metadata.row_group(0)
    used = {columns.column(i).compression for i in range(columns.num_columns)}
    assert used == {"ZSTD"}


def test_a_chunk_costs_few_bytes() -> None:
    # Arrivals 20 ms apart with some jitter: 8 bytes each when stored plainly.
    chunks = tuple(
        Chunk(10**15 + i * 20_000_000 + i * i % 9973, "", False, i)
        for i in range(20_000)
    )
    sample = dataclasses.replace(examples.example_sample(), chunks=chunks)
    assert len(encode_samples([sample])) < 4 * len(chunks)


def test_half_a_surrogate_pair_does_not_cost_the_cell() -> None:
    chunk = Chunk(1, "a\ud83d", is_reasoning=False, tokens_so_far=1)
    sample = dataclasses.replace(examples.example_sample(), chunks=(chunk,))
    (back,) = decode_samples(encode_samples([sample]), "f")
    assert back.chunks[0].text == "a?"


@pytest.mark.parametrize("data", [b"", b"PAR1 not really", b"\x00" * 100])
def test_bytes_that_are_no_samples_name_the_file(data: bytes) -> None:
    with pytest.raises(ResultsError, match=r"c/samples\.parquet: not readable"):
        decode_samples(data, "c/samples.parquet")


def test_a_cut_file_names_the_file() -> None:
    data = encode_samples([examples.example_sample()])
    with pytest.raises(ResultsError, match=r"c/samples\.parquet: not readable"):
        decode_samples(data[: len(data) // 2], "c/samples.parquet")


def test_another_parquet_file_is_refused() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"x": [1]}), sink)
    with pytest.raises(ResultsError, match="columns"):
        decode_samples(sink.getvalue().to_pybytes(), "f")


def test_a_row_with_an_unknown_role_is_named() -> None:
    table = pq.read_table(pa.BufferReader(encode_samples([examples.example_sample()])))
    place = table.schema.get_field_index("role")
    changed = table.set_column(place, table.schema.field(place), pa.array(["boss"]))
    sink = pa.BufferOutputStream()
    pq.write_table(changed, sink)
    with pytest.raises(ResultsError, match=r"f, row 0: .*boss"):
        decode_samples(sink.getvalue().to_pybytes(), "f")
