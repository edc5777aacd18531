"""Streamed answers at chosen instants, from bytes to a sample and its figures."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from specbench.report.facts import RunFacts
from specbench.schema.sample import RequestSample
from specbench.units import NS_PER_S
from tests.fuzz.levels import make_sample
from tests.fuzz.splits import pieces_of
from tests.fuzz.streams import chat, event, serialised

NS_PER_MS = NS_PER_S // 1000

Timed = tuple[float, bytes]
"""(ms after the request was sent, body bytes)."""


def answered(timed: Sequence[Timed], status: int = 200) -> RequestSample:
    """The sample of an answer whose pieces came at these instants."""
    pieces = tuple((round(at * NS_PER_MS), data) for at, data in timed)
    return make_sample(pieces, status, None, pieces[-1][0] if pieces else 0)


def cut_anywhere(
    draw: Callable[[Any], Any], data: bytes, most: int = 12
) -> list[bytes]:
    """The bytes in reads, none of them empty."""
    places = draw(st.sets(st.integers(1, max(1, len(data) - 1)), max_size=most))
    return pieces_of(data, sorted(place for place in places if place < len(data)))


def said(delta: dict[str, Any], **more: Any) -> bytes:
    """One chat event."""
    return event(chat(delta, **more)).sent


def usage_bytes(prompt: int, output: int) -> bytes:
    """The event with the counts and no choice."""
    counts = {"prompt_tokens": prompt, "completion_tokens": output}
    return b"data: " + serialised({"choices": [], "usage": counts}) + b"\n\n"


ROLE = said({"role": "assistant", "content": ""})
STOP = said({}, finish="stop")
DONE = b"data: [DONE]\n\n"

FACTS = RunFacts(
    sweep_name="cases",
    run_id="r",
    started_utc="2026-01-01T00:00:00Z",
    device="d",
    engines=(),
    models=(),
    datasets=(),
    launches_per_arm=1,
    specbench_version="0",
    measurement_version=1,
)
"""Circumstances for reports whose figures are what a test is about."""
