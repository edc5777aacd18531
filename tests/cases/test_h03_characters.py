"""H03, any text of any script, raw or escaped, cut anywhere: it comes back as it was,
without a replacement character that was not in it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.sample import Outcome
from tests.cases.answers import DONE, answered, cut_anywhere
from tests.fuzz.splits import pieces_of

SCALARS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
SCRIPTS = st.text(
    st.sampled_from("温度は℃é😀👩‍🚀ßעَ\u2028\u2029\u0085\u00a0\ufeff\ufffd\x00\x7f")
)
ANY_TEXT = SCALARS | SCRIPTS.filter(bool)
UNITS = st.text(st.sampled_from("a温\ud83d\ude00\udc00\ud800"), min_size=1, max_size=6)
"""Halves of surrogate pairs, as servers escape them where a token ends inside one."""


def events_of(texts: list[str], *, escaped: bool) -> bytes:
    bodies = (
        json.dumps({"choices": [{"delta": {"content": t}}]}, ensure_ascii=escaped)
        for t in texts
    )
    return b"".join(b"data: " + body.encode() + b"\n\n" for body in bodies) + DONE


def without_halves(text: str) -> str:
    """Pairs joined, halves replaced: what a reader of UTF-16 makes of it."""
    found = ""
    units = list(text)
    while units:
        unit = units.pop(0)
        is_high = "\ud800" <= unit <= "\udbff"
        if is_high and units and "\udc00" <= units[0] <= "\udfff":
            low = ord(units.pop(0)) - 0xDC00
            found += chr(0x10000 + ((ord(unit) - 0xD800) << 10) + low)
        else:
            found += "\ufffd" if "\ud800" <= unit <= "\udfff" else unit
    return found


@given(st.lists(ANY_TEXT, min_size=1, max_size=5), st.booleans(), st.data())
def test_any_text_comes_back_whole(
    texts: list[str], escaped: bool, data: st.DataObject
) -> None:
    reads = cut_anywhere(data.draw, events_of(texts, escaped=escaped), 30)
    sample = answered(list(enumerate(reads)))
    assert sample.outcome is Outcome.OK
    assert [chunk.text for chunk in sample.chunks] == texts


@given(ANY_TEXT)
def test_one_byte_a_read_breaks_no_character(text: str) -> None:
    sent = events_of([text], escaped=False)
    sample = answered(list(enumerate(pieces_of(sent, range(1, len(sent))))))
    assert [chunk.text for chunk in sample.chunks] == [text]


@given(st.lists(UNITS, min_size=1, max_size=4))
def test_halves_of_a_pair_fail_no_request_and_cost_only_themselves(
    texts: list[str],
) -> None:
    sample = answered([(1, events_of(texts, escaped=True))])
    assert sample.error is None
    assert [c.text for c in sample.chunks] == [without_halves(t) for t in texts]
