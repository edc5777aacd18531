"""Streamed answers: the text, the token counts, the end, and what became of the drafts
of each request. The counts of one stream must agree among themselves."""

from collections.abc import Iterator, Mapping

from specbench.engines.checking.captures import ArmCapture, CaptureSet
from specbench.engines.checking.verdicts import CheckedItem, Verdict
from specbench.engines.contract import EngineAdapter
from specbench.schema.drafting import RequestDrafts
from specbench.wire.completions import StreamReading, read_stream


def read_streams(arm: ArmCapture) -> dict[str, StreamReading]:
    """By file name; the stamp is the number of the event."""
    return {name: _read(body) for name, body in sorted(arm.streams.items())}


def _read(body: bytes) -> StreamReading:
    pieces = body.split(b"\n\n")
    whole = [piece + b"\n\n" for piece in pieces[:-1]] + [pieces[-1]]
    return read_stream(enumerate(piece for piece in whole if piece))


def read_drafts(
    adapter: EngineAdapter, readings: Mapping[str, StreamReading]
) -> dict[str, RequestDrafts | None]:
    """Of each stream, as the adapter reads its figures."""
    return {
        name: None
        if reading.speculation is None
        else adapter.read_request(reading.speculation)
        for name, reading in readings.items()
    }


def check_streams(
    captured: CaptureSet,
    arm: ArmCapture,
    readings: Mapping[str, StreamReading],
    drafts: Mapping[str, RequestDrafts | None],
) -> Iterator[CheckedItem]:
    """Each stream: one line for the answer, one for its drafts."""
    for name, reading in readings.items():
        place = arm.place(name)
        if place in captured.stream_errors:
            verdict, said = _judge_break(reading, captured.stream_errors[place])
            yield CheckedItem(arm.name, "stream that breaks off", verdict, said, place)
            continue
        verdict, said = _judge_answer(reading)
        yield CheckedItem(arm.name, "stream", verdict, said, place)
        verdict, said = _judge_drafts(arm, reading, drafts.get(name))
        yield CheckedItem(arm.name, "acceptance of the request", verdict, said, place)


def _judge_break(reading: StreamReading, words: str) -> tuple[Verdict, str]:
    if reading.error is None:
        return Verdict.WRONG, "read as a whole answer"
    if words not in reading.error:
        return Verdict.WRONG, f"{reading.error}; the captures say {words!r}"
    return Verdict.OK, reading.error


def _judge_answer(reading: StreamReading) -> tuple[Verdict, str]:
    if reading.error is not None:
        return Verdict.WRONG, reading.error
    if not any(chunk.text for chunk in reading.chunks):
        return Verdict.WRONG, "no text"
    if reading.output_tokens is None or reading.prompt_tokens is None:
        return Verdict.MISSING, "no usage: tokens cannot be counted"
    said = (
        f"{reading.prompt_tokens} prompt tokens, {reading.output_tokens} output"
        f" tokens in {sum(1 for chunk in reading.chunks if chunk.text)} chunks,"
        f" ended by {reading.finish_reason}"
    )
    if reading.finish_reason is None:
        return Verdict.WRONG, f"{said}: no finish reason"
    return _judge_counts(reading, said)


def _judge_counts(reading: StreamReading, said: str) -> tuple[Verdict, str]:
    """The running count of tokens, where chunks have one."""
    counts = [
        chunk.tokens_so_far
        for chunk in reading.chunks
        if chunk.tokens_so_far is not None
    ]
    if not counts:
        return (
            Verdict.UNSAID,
            f"{said}; no running count, so output is counted by requests, not by"
            " instants",
        )
    # a token that ends an answer may be counted and have no chunk
    if sorted(counts) != counts or counts[-1] > (reading.output_tokens or 0):
        return Verdict.WRONG, f"{said}; running counts {counts}"
    return Verdict.OK, said


def _judge_drafts(
    arm: ArmCapture, reading: StreamReading, drafts: RequestDrafts | None
) -> tuple[Verdict, str]:
    if reading.speculation is None:
        if arm.speculates:
            return Verdict.UNSAID, "acceptance then comes from the counters alone"
        return Verdict.OK, "none, as nothing drafts here"
    if drafts is None:
        return (
            Verdict.MISSING,
            f"the stream has figures ({', '.join(sorted(reading.speculation))}), and"
            " the adapter reads none of them",
        )
    said = (
        f"{drafts.accepted_tokens} of {_of(drafts.draft_tokens)} draft tokens accepted"
        f" in {_of(drafts.drafts)} drafts, {_of(drafts.steps)} steps"
    )
    broken = list(_contradictions(reading, drafts))
    if broken:
        return Verdict.WRONG, f"{said}; {'; '.join(broken)}"
    return Verdict.OK, said


def _contradictions(reading: StreamReading, drafts: RequestDrafts) -> Iterator[str]:
    accepted, positions = drafts.accepted_tokens, drafts.accepted_by_position
    if drafts.draft_tokens is not None and accepted > drafts.draft_tokens:
        yield "more accepted than proposed"
    if positions is not None and sum(positions) != accepted:
        yield f"by position {list(positions)} is another sum"
    if positions is not None and list(positions) != sorted(positions, reverse=True):
        yield f"by position {list(positions)}: more accepted at a later position"
    if drafts.drafts is not None and positions and positions[0] > drafts.drafts:
        yield f"by position {list(positions)}: more than there were drafts"
    if drafts.steps is None:
        return
    if drafts.drafts is not None and drafts.drafts > drafts.steps:
        yield "more drafts than steps"
    # the first token is the prefill's; each step gives one, and what it accepted
    most = 1 + drafts.steps + accepted
    if reading.output_tokens is not None and reading.output_tokens > most:
        yield f"{reading.output_tokens} output tokens, where {most} is the most"


def _of(count: int | None) -> str:
    return "—" if count is None else str(count)
