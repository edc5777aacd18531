"""Schema values as JSON: identity both ways, strict in both."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.errors import ResultsError
from specbench.schema.record import CellRecord, EngineFacts, LaunchRecord
from specbench.schema.snapshot import MetricsSnapshot
from specbench.store.format import from_json, to_json
from specbench.store.manifest import Manifest
from tests.unit.store import examples


@settings(max_examples=40)
@given(st.one_of(examples.cell_records, examples.launch_records, examples.snapshots))
def test_what_is_read_equals_what_was_written(value: Any) -> None:
    assert from_json(type(value), to_json(value), "f") == value


def test_a_manifest_comes_back_with_its_enum_and_nested_types() -> None:
    manifest = examples.example_manifest()
    assert from_json(Manifest, to_json(manifest), "f") == manifest


def _document(**changes: Any) -> str:
    document = json.loads(to_json(examples.example_cell()))
    document.update(changes)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (_document(surprise=1), "surprise: unknown field"),
        (_document(duration_s="12"), "duration_s: expected a number, found a text"),
        (_document(launch_index=1.0), "launch_index: expected an integer, found a num"),
        (_document(launch_index=True), "launch_index: expected an integer, found true"),
        (_document(launch_index=None), "launch_index: expected an integer, found null"),
        (_document(size={"warmup": 1}), "size.measured: missing"),
        (_document(key=[]), "key: expected an object, found a list"),
        ("[]", "document: expected an object"),
        ('{"key": ', "Expecting value"),
        (_document(duration_s=float("nan")), "NaN is not JSON"),
    ],
)
def test_a_document_that_does_not_fit_names_file_and_field(
    text: str, complaint: str
) -> None:
    with pytest.raises(ResultsError, match=r"cells/x/record\.json: ") as caught:
        from_json(CellRecord, text, "cells/x/record.json")
    assert complaint in caught.value.message
    assert caught.value.hint


def test_an_item_of_a_list_is_named_by_its_place() -> None:
    document = json.loads(to_json(examples.example_launch()))
    document["command"] = ["vllm", 7]
    with pytest.raises(ResultsError, match=r"command\[1\]: expected a text"):
        from_json(LaunchRecord, json.dumps(document), "f")


def test_an_unknown_word_lists_the_known_ones() -> None:
    document = json.loads(to_json(examples.example_snapshot()))
    document["phase"] = "later"
    with pytest.raises(ResultsError, match=r"phase: 'later' is not one of before, op"):
        from_json(MetricsSnapshot, json.dumps(document), "f")


def test_a_field_with_a_default_may_be_absent() -> None:
    document = json.loads(to_json(examples.example_manifest()))
    del document["error"]
    assert from_json(Manifest, json.dumps(document), "f").error is None


def test_a_cell_of_an_older_run_has_no_gpu_reading_and_one_client_process() -> None:
    document = json.loads(to_json(examples.example_cell()))
    del document["gpu"]
    del document["client"]["processes"]
    del document["client"]["lag_expected"]
    record = from_json(CellRecord, json.dumps(document), "f")
    assert record.gpu == ()
    assert (record.client.processes, record.client.lag_expected) == (1, None)


def test_a_launch_of_an_older_run_says_nothing_of_cuda_graphs() -> None:
    facts = EngineFacts("vllm", *(None,) * 8, cuda_graph_max_tokens=512)
    document = json.loads(to_json(facts))
    del document["cuda_graph_max_tokens"]
    assert from_json(EngineFacts, json.dumps(document), "f") == replace(
        facts, cuda_graph_max_tokens=None
    )


def test_a_whole_number_is_a_fine_float() -> None:
    duration = from_json(CellRecord, _document(duration_s=12), "f").duration_s
    assert (duration, type(duration)) == (12.0, float)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_infinity_are_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"x": value})
