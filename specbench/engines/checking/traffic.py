"""The growth of counters against the streams that caused it. Only where the captures
say that nothing else was asked of the engine between the idle page and the last one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from specbench.engines.checking.captures import AFTER, IDLE, ArmCapture
from specbench.engines.checking.metrics import PageReading
from specbench.engines.checking.verdicts import CheckedItem, Verdict, number
from specbench.schema.drafting import RequestDrafts
from specbench.schema.snapshot import EngineCounters
from specbench.wire.completions import StreamReading

ITEM = "counters against streams"


@dataclass(frozen=True, slots=True)
class _Pair:
    """One count that both sides may know. None = it is not said."""

    what: str
    in_streams: float | None
    on_pages: float | None
    slack: float = 0.0
    """By how much they may differ."""


def check_traffic(
    arm: ArmCapture,
    pages: Sequence[PageReading],
    readings: Mapping[str, StreamReading],
    drafts: Mapping[str, RequestDrafts | None],
) -> Iterator[CheckedItem]:
    """One line for each count that both sides know."""
    by_name = {page.name: page.counters for page in pages}
    lacking = _lacking(arm, by_name, readings)
    if arm.traffic is None or lacking:
        yield CheckedItem(arm.name, ITEM, Verdict.UNSAID, lacking, "meta.toml")
        return
    place = arm.place(f"{IDLE}, {AFTER}, {len(arm.traffic)} streams")
    streams = [readings[name] for name in arm.traffic]
    told = [drafts.get(name) for name in arm.traffic]
    for pair in _pairs(by_name[IDLE], by_name[AFTER], streams, told):
        if pair.in_streams is not None and pair.on_pages is not None:
            is_same = abs(pair.in_streams - pair.on_pages) <= pair.slack
            yield CheckedItem(
                arm.name,
                ITEM,
                Verdict.OK if is_same else Verdict.WRONG,
                f"{pair.what}: {number(pair.in_streams)} in the streams,"
                f" {number(pair.on_pages)} on the pages",
                place,
            )


def _lacking(
    arm: ArmCapture,
    pages: Mapping[str, EngineCounters],
    readings: Mapping[str, StreamReading],
) -> str:
    """Why nothing can be compared; empty = it can."""
    if arm.traffic is None:
        return f"`traffic` does not say which streams lie between {IDLE} and {AFTER}"
    absent = [name for name in arm.traffic if name not in readings]
    absent += [page for page in (IDLE, AFTER) if page not in pages]
    return f"not there, or not readable: {', '.join(absent)}" if absent else ""


def _pairs(
    first: EngineCounters,
    last: EngineCounters,
    streams: Sequence[StreamReading],
    drafts: Sequence[RequestDrafts | None],
) -> Iterator[_Pair]:
    yield _Pair(
        "output tokens",
        _total([one.output_tokens for one in streams]),
        _growth(first.generation_tokens, last.generation_tokens),
    )
    yield _Pair(
        "prompt tokens",
        _total([one.prompt_tokens for one in streams]),
        _growth(first.prompt_tokens, last.prompt_tokens),
    )
    told = [one for one in drafts if one is not None]
    if len(told) < len(drafts):
        return
    # an engine may or may not count what it accepted beyond a request's stop
    longest = _total([one.longest_draft for one in told])
    yield _Pair(
        "accepted tokens",
        _total([one.accepted_tokens for one in told]),
        _growth(first.accepted_tokens, last.accepted_tokens),
        slack=longest or 0.0,
    )
    yield _Pair(
        "verify calls",
        _total([one.steps for one in told]),
        _growth(first.verify_calls, last.verify_calls),
    )


def _total(values: Sequence[int | None]) -> float | None:
    """None unless all are known."""
    known = [value for value in values if value is not None]
    return float(sum(known)) if known and len(known) == len(values) else None


def _growth(first: float | None, last: float | None) -> float | None:
    """A series that was not there yet stood at zero."""
    return None if last is None else last - (first or 0.0)
