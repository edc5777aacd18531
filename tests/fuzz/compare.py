"""What was read against the truth of a stream."""

from collections.abc import Sequence

from specbench.schema.sample import Outcome, RequestSample
from tests.fuzz.levels import Read
from tests.fuzz.streams import Stream, Token


class Truth:
    """A stream's truth, worked out once for many comparisons."""

    def __init__(self, stream: Stream) -> None:
        self.tokens = stream.tokens
        self.ends = stream.ends
        self.error = stream.error
        self.speculation = stream.speculation
        self.rest = (stream.prompt_tokens, stream.output_tokens, stream.finish_reason)

    def difference(self, read: Read, instants: Sequence[int]) -> str | None:
        """Why the reading is wrong; None where it is right. `instants` are those of
        the reads that completed the chunks."""
        tokens: list[Token] = [
            (c.text, c.is_reasoning, c.tokens_so_far) for c in read.chunks
        ]
        if tokens != self.tokens:
            return f"chunks {tokens}, not {self.tokens}"
        stamps = [c.arrival_ns for c in read.chunks]
        if stamps != list(instants):
            return f"arrivals {stamps}, not {list(instants)}"
        rest = (read.prompt_tokens, read.output_tokens, read.finish_reason)
        if rest != self.rest:
            return f"counts and finish {rest}, not {self.rest}"
        if self.speculation is not None and read.speculation != self.speculation:
            return f"speculation {read.speculation}, not {self.speculation}"
        return self._wrong_error(read)

    def _wrong_error(self, read: Read) -> str | None:
        if self.error is None:
            is_right = read.error is None
        else:
            is_right = self.error in (read.error or "")
        if not is_right:
            return f"error {read.error!r}, not {self.error!r}"
        if isinstance(read, RequestSample):
            has_text = any(text for text, _, _ in self.tokens)
            right = Outcome.OK if has_text else Outcome.EMPTY
            right = right if self.error is None else Outcome.FAILED
            if read.outcome is not right:
                return f"outcome {read.outcome}, not {right}"
        return None
