"""The events of one stream, prebuilt: of an event with text only the text and the token
counts differ from one to the next, so all else is made once a request."""

from collections.abc import Callable

from specbench.sim.http1 import chunk

TEXT_MARK = "{{text}}"
"""Stands for the text in the event that a template is made of."""
TOTAL_MARK = 10**15 + 1
"""Stands for prompt and output tokens."""
OUTPUT_MARK = 10**15 + 2
"""Stands for the output tokens."""

ChunkMaker = Callable[[bytes, int], bytes]
"""Text as JSON and output tokens so far -> the event as a piece of a chunked body."""


def chunk_maker(event: bytes, prompt_tokens: int) -> ChunkMaker:
    """From an event with the marks in it: first the text, then (where the stream says
    usage in every event) the two counts, total first. What stands before the text may
    hold anything, for example an id that the client chose."""
    before, _, after = event.rpartition(f'"{TEXT_MARK}"'.encode())
    after_text, counts, rest = after.partition(b"%d" % TOTAL_MARK)
    head = _literal(before) + b"%b" + _literal(after_text)
    if not counts:
        return lambda text, _tokens: chunk(head % text)
    between, _, end = rest.partition(b"%d" % OUTPUT_MARK)
    whole = head + b"%d" + _literal(between) + b"%d" + _literal(end)

    def make(text: bytes, tokens: int) -> bytes:
        data = whole % (text, prompt_tokens + tokens, tokens)
        return b"%x\r\n%b\r\n" % (len(data), data)

    return make


def _literal(text: bytes) -> bytes:
    """Bytes that `%` formatting leaves as they are."""
    return text.replace(b"%", b"%%")
