"""A prebuilt event is the one that building it whole would give, whatever is in it."""

import json
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.completions import ApiKind, CompletionCall
from specbench.sim.event_template import TEXT_MARK, TOTAL_MARK
from specbench.sim.sglang_events import SglangEvents
from specbench.sim.stream_events import StreamEvents
from specbench.sim.vllm_events import VllmEvents

_SHAPES = pytest.mark.parametrize("shape", [VllmEvents, SglangEvents])
_NAMES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["%d %b %", f'"{TEXT_MARK}"', TEXT_MARK, str(TOTAL_MARK)]),
)


def _events(
    shape: type, kind: ApiKind, name: str, *, continuous: bool = True
) -> StreamEvents:
    call = CompletionCall(
        kind=kind,
        model="m %s",
        prompt_tokens=7,
        prompt_key="k",
        max_tokens=9,
        ignore_eos=False,
        include_usage=True,
        continuous_usage=continuous,
        spec_details=False,
        prefix_blocks=(),
    )
    return cast("StreamEvents", shape(call, name, 17))


def _document(data: bytes) -> dict[str, Any]:
    """The event in a piece of a chunked body."""
    size, _, rest = data.partition(b"\r\n")
    event = rest[: int(size, 16)]
    assert rest[int(size, 16) :] == b"\r\n"
    assert event.endswith(b"\n\n")
    return cast("dict[str, Any]", json.loads(event.removeprefix(b"data: ")))


@_SHAPES
@pytest.mark.parametrize("kind", list(ApiKind))
@given(name=_NAMES, text=st.text(max_size=20), tokens=st.integers(1, 10**6))
def test_text_and_counts_stand_in_their_places(
    shape: type, kind: ApiKind, name: str, text: str, tokens: int
) -> None:
    events = _events(shape, kind, name)
    document = _document(events.chunk_maker()(orjson.dumps(text), tokens))
    assert document["id"] == name
    assert document["model"] == "m %s"
    (choice,) = document["choices"]
    got = choice["text"] if kind is ApiKind.TEXT else choice["delta"]["content"]
    assert got == text
    usage = document["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (7, tokens)
    assert usage["total_tokens"] == 7 + tokens


@_SHAPES
def test_without_continuous_usage_no_counts_are_sent(shape: type) -> None:
    events = _events(shape, ApiKind.CHAT, "a", continuous=False)
    document = _document(events.chunk_maker()(b'"x"', 3))
    assert document["choices"][0]["delta"]["content"] == "x"
    assert document.get("usage") is None
