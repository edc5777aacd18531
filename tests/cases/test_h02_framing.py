"""H02, any framing: line ends, comments, fields and blanks of the event stream, chunks,
extensions and trailers of HTTP, and the reads of the network, each as it likes."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from specbench.schema.sample import Outcome
from tests.cases.answers import cut_anywhere
from tests.fuzz.framing import HEAD
from tests.fuzz.levels import Line, on_line
from tests.fuzz.streams import chat, serialised

NO_LINE_END = st.characters(exclude_characters="\r\n", codec="utf-8")
TEXTS = st.lists(
    st.text(max_size=8) | st.sampled_from([" ", "  a ", "\n", "\r\n", ":"])
)

FIELDS = ["id: 4", "retry: 10", "id", "unknown: x", "event: ping"]
"""Lines that bring no data."""


@dataclass(frozen=True)
class Framed:
    """Reads of a response, and the texts in it."""

    reads: list[bytes]
    texts: list[str]


@st.composite
def comments(draw: DrawFn, end: bytes) -> bytes:
    """Comments and fields that bring nothing, with or without a blank line."""
    comment = st.text(NO_LINE_END, max_size=6).map(lambda text: f":{text}")
    lines = draw(st.lists(comment | st.sampled_from(FIELDS), max_size=3))
    closing = draw(st.sampled_from([b"", end]))
    sent = b"".join(line.encode() + end for line in lines)
    return sent + closing if lines else sent


@st.composite
def events(draw: DrawFn, data: bytes) -> bytes:
    """One event with its own line ends, and what may stand around its data."""
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    colon = draw(st.sampled_from([b"data:", b"data: "]))
    name = draw(st.sampled_from([b"", b"event: message" + end]))
    return draw(comments(end)) + name + colon + data + end + end


@st.composite
def framed(draw: DrawFn) -> Framed:
    """A whole response in reads."""
    texts = draw(TEXTS)
    body = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    for text in texts:
        body += draw(events(serialised(chat({"content": text}))))
    usage = {"prompt_tokens": 9, "completion_tokens": len(texts)}
    body += draw(events(serialised({"choices": [], "usage": usage})))
    body += draw(events(b"[DONE]"))
    return Framed(cut_anywhere(draw, draw(responses(body)), 30), texts)


@st.composite
def responses(draw: DrawFn, body: bytes) -> bytes:
    """The body with a length, or in chunks of any size."""
    if draw(st.booleans()):
        return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    wire = HEAD + b"transfer-encoding: chunked\r\n\r\n"
    extension = draw(st.sampled_from([b"", b";a=b", b' ; a="x y"']))
    form = draw(st.sampled_from(["{:x}", "{:X}", "000{:x}"]))
    for piece in cut_anywhere(draw, body, 20):
        wire += form.format(len(piece)).encode() + extension + b"\r\n" + piece + b"\r\n"
    return wire + b"0\r\n" + draw(st.sampled_from([b"", b"X-A: b\r\n"])) + b"\r\n"


@settings(max_examples=300)
@given(framed())
def test_any_framing_is_one_successful_request_with_the_exact_text(
    framed: Framed,
) -> None:
    def use(line: Line) -> None:
        sample, was_done = line.read(framed.reads)
        assert was_done
        assert sample.error is None
        assert [chunk.text for chunk in sample.chunks] == framed.texts
        assert (sample.prompt_tokens, sample.output_tokens) == (9, len(framed.texts))
        has_text = any(framed.texts)
        assert sample.outcome is (Outcome.OK if has_text else Outcome.EMPTY)

    on_line(use)
