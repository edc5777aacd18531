"""Snapshots as JSON lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.errors import ResultsError
from specbench.schema.snapshot import MetricsSnapshot
from specbench.store.snapshots_file import decode_snapshots, encode_snapshots
from tests.unit.store import examples


@settings(max_examples=40)
@given(st.lists(examples.snapshots, max_size=4).map(tuple))
def test_what_is_read_equals_what_was_written(
    snapshots: tuple[MetricsSnapshot, ...],
) -> None:
    text = encode_snapshots(snapshots).decode()
    assert decode_snapshots(text, "f") == snapshots


def test_a_broken_line_is_named() -> None:
    text = encode_snapshots([examples.example_snapshot()]).decode() + '{"phase": "o'
    with pytest.raises(ResultsError, match=r"c/snapshots\.jsonl, line 2: "):
        decode_snapshots(text, "c/snapshots.jsonl")
