"""H04, any place and shape of the usage: beside every chunk, null, left out, in an
event whose choices are empty, null or not there, before or after the finish."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.requests import derive_figures
from specbench.schema.sample import Outcome, RequestSample
from tests.cases.answers import DONE, ROLE, answered
from tests.fuzz.streams import chat, counts, serialised

WORDS = ["a", "b", "c", "d"]
ABSENT = object()
RUNNING = object()

NO_CHOICES = st.sampled_from([[], None, ABSENT])
DETAILS: list[dict[str, Any]] = [
    {},
    {"completion_tokens_details": None, "prompt_tokens_details": None},
    {"completion_tokens_details": {"reasoning_tokens": 0}},
    {"prompt_tokens_details": {"cached_tokens": 16}, "reasoning_tokens": 0},
]


def bytes_of(document: dict[str, Any]) -> bytes:
    kept = {key: value for key, value in document.items() if value is not ABSENT}
    return b"data: " + serialised(kept) + b"\n\n"


@st.composite
def answers(draw: st.DrawFn) -> RequestSample:
    """Four words of one token at 100, 140, 180 and 220 ms; 17 prompt tokens."""
    each = draw(st.sampled_from([None, ABSENT, RUNNING]))
    details = draw(st.sampled_from(DETAILS))
    timed = [(30.0, ROLE)]
    for index, word in enumerate(WORDS):
        usage = counts(17, index + 1, **details) if each is RUNNING else each
        text = bytes_of({**chat({"content": word}), "usage": usage})
        timed.append((100.0 + 40 * index, text))
    last = counts(17, 4, **details)
    finish = bytes_of({**chat({}, "stop"), "usage": None})
    alone = bytes_of({"choices": draw(NO_CHOICES), "usage": last})
    together = bytes_of({**chat({}, "stop"), "usage": last})
    ends = [[finish, alone], [alone, finish], [together], [together, alone]]
    timed.append((230.0, b"".join(draw(st.sampled_from(ends))) + DONE))
    return answered(timed)


@given(answers())
def test_wherever_the_usage_stands_its_last_counts_hold(sample: RequestSample) -> None:
    assert sample.outcome is Outcome.OK
    assert (sample.prompt_tokens, sample.output_tokens) == (17, 4)
    assert sample.finish_reason == "stop"
    assert [c.text for c in sample.chunks if c.text] == WORDS
    figures = derive_figures(sample)
    assert figures.ttft == pytest.approx(0.100)
    assert figures.tpot == pytest.approx(0.040)


@given(st.sampled_from([None, ABSENT, {}, [], 3, "17"]), NO_CHOICES)
def test_a_server_without_usage_succeeds_with_unknown_counts(
    usage: object, choices: object
) -> None:
    words = b"".join(bytes_of({**chat({"content": w}), "usage": usage}) for w in WORDS)
    last = bytes_of({"choices": choices, "usage": usage})
    sample = answered([(100, words + last + DONE)])
    assert sample.outcome is Outcome.OK
    assert (sample.prompt_tokens, sample.output_tokens) == (None, None)
    assert derive_figures(sample).tpot is None
