"""H05, any name and order of the reasoning: it is generated text, starts the clock, and
its tokens are inside the server's count. A role is no text, wherever it stands."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.requests import derive_figures
from specbench.schema.sample import Outcome
from tests.cases.answers import DONE, STOP, Timed, answered, said
from tests.fuzz.streams import counts, serialised

NAMES = st.sampled_from(["reasoning", "reasoning_content", "both"])
BESIDE: list[dict[str, Any]] = [{}, {"content": None}, {"content": ""}]
ROLES: list[dict[str, Any]] = [
    {"role": "assistant"},
    {"role": "assistant", "content": ""},
    {"role": "assistant", "content": None, "reasoning_content": None},
    {"role": "assistant", "reasoning": "", "tool_calls": None},
]
DETAILS: list[dict[str, Any]] = [
    {},
    {"reasoning_tokens": 4},
    {"completion_tokens_details": {"reasoning_tokens": 4}},
]


def thought(name: str, text: str, beside: dict[str, Any]) -> dict[str, Any]:
    names = ["reasoning", "reasoning_content"] if name == "both" else [name]
    return {**dict.fromkeys(names, text), **beside}


@given(
    NAMES,
    st.sampled_from(BESIDE),
    st.lists(st.sampled_from(ROLES), min_size=1, max_size=3),
    st.lists(st.booleans(), min_size=2, max_size=12),
    st.sampled_from(DETAILS),
)
def test_reasoning_and_answer_in_any_order_are_one_generated_text(
    name: str,
    beside: dict[str, Any],
    roles: list[dict[str, Any]],
    are_thoughts: list[bool],
    details: dict[str, Any],
) -> None:
    timed: list[Timed] = [(10.0 + i, said(role)) for i, role in enumerate(roles)]
    for index, is_thought in enumerate(are_thoughts):
        text = f" t{index}"
        delta = thought(name, text, beside) if is_thought else {"content": text}
        timed.append((120.0 + 60 * index, said(delta)))
    total = len(are_thoughts)
    last = serialised({"choices": [], "usage": counts(14, total, **details)})
    timed.append((900.0, STOP + b"data: " + last + b"\n\n" + DONE))
    sample = answered(timed)
    assert sample.outcome is Outcome.OK
    assert sample.output_tokens == total
    with_text = [chunk for chunk in sample.chunks if chunk.text]
    assert [chunk.text for chunk in with_text] == [f" t{i}" for i in range(total)]
    assert [chunk.is_reasoning for chunk in with_text] == are_thoughts
    figures = derive_figures(sample)
    assert figures.ttft == pytest.approx(0.120)
    assert figures.tpot == pytest.approx(0.060)


@given(st.lists(st.sampled_from(ROLES), min_size=1, max_size=4))
def test_roles_alone_are_an_empty_answer(roles: list[dict[str, Any]]) -> None:
    sent = b"".join(said(role) for role in roles)
    last = serialised({"choices": [], "usage": counts(5, 0)})
    sample = answered([(10, sent), (20, STOP + b"data: " + last + b"\n\n" + DONE)])
    assert sample.outcome is Outcome.EMPTY
    assert derive_figures(sample).ttft is None


def test_a_role_beside_the_first_text_is_text() -> None:
    first = said({"role": "assistant", "content": "Hi"})
    sample = answered([(70, first), (90, STOP + DONE)])
    assert derive_figures(sample).ttft == pytest.approx(0.070)
