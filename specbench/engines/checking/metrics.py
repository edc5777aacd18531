"""The metrics pages of one server: idle, under load, and idle again after the load.
What a gauge and a counter must do between them follows from what they are."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from specbench.engines.checking.captures import AFTER, IDLE, LOAD, ArmCapture
from specbench.engines.checking.verdicts import CheckedItem, Verdict, number
from specbench.engines.contract import EngineAdapter
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.wire.errors import WireError
from specbench.wire.prometheus import cut_to_prefix

PAGES = (IDLE, LOAD, AFTER)
KV_USAGE = "kv_usage"
"""The one gauge that is a share."""

NEEDED_COUNTERS = {
    "generation_tokens": "tokens by the engine's count check those of the streams",
    "prompt_tokens": "prompt lengths by the engine's count check those of the streams",
}
DRAFT_COUNTERS = frozenset(
    {
        "drafts",
        "draft_tokens",
        "accepted_tokens",
        "accepted_by_position",
        "verify_calls",
    }
)
"""Those of speculation; they have rules of their own."""

COSTS = {
    "preemptions": "preempted requests then void nothing",
    "prefix_queries": "hits of the prefix cache are then not seen",
    "prefix_hits": "hits of the prefix cache are then not seen",
    "prefill_seconds": "the share of prefill then comes from the clients' times",
    "inference_seconds": "the share of prefill then comes from the clients' times",
    "requests_ended": "nothing where streams end with a count",
    "decode_tokens": "nothing where counters of drafts are said",
}


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page as the adapter reads it."""

    name: str
    counters: EngineCounters
    gauges: EngineGauges


def read_pages(adapter: EngineAdapter, arm: ArmCapture) -> list[PageReading]:
    """Those that there are and that can be read."""
    found = []
    for name in PAGES:
        try:
            if name in arm.pages:
                found.append(PageReading(name, *adapter.read_metrics(arm.pages[name])))
        except WireError:
            continue
    return found


def check_metrics(
    adapter: EngineAdapter, arm: ArmCapture, readings: Sequence[PageReading]
) -> Iterator[CheckedItem]:
    """Each page, then each gauge, then each counter over the pages."""
    for name in PAGES:
        if name in arm.pages:
            yield _check_page(adapter, arm, name)
    if readings:
        yield from _check_gauges(arm, readings)
        yield from _check_counters(arm, readings)


def _check_page(adapter: EngineAdapter, arm: ArmCapture, name: str) -> CheckedItem:
    """While a cell runs only the series with the adapter's prefix are kept."""
    text = arm.pages[name]

    def item(verdict: Verdict, said: str) -> CheckedItem:
        return CheckedItem(arm.name, "metrics page", verdict, said, arm.place(name))

    try:
        whole = adapter.read_metrics(text)
    except WireError as error:
        return item(Verdict.WRONG, str(error))
    kept = cut_to_prefix(text, adapter.series_prefix)
    if adapter.read_metrics(kept) != whole:
        return item(
            Verdict.WRONG,
            f"read from series that do not begin with {adapter.series_prefix!r}, and"
            " only those are stored",
        )
    lines = len(kept.splitlines())
    if not lines:
        return item(Verdict.WRONG, f"no series begins with {adapter.series_prefix!r}")
    return item(Verdict.OK, f"{lines} series")


def _check_gauges(
    arm: ArmCapture, readings: Sequence[PageReading]
) -> Iterator[CheckedItem]:
    for field in dataclasses.fields(EngineGauges):
        values = [getattr(reading.gauges, field.name) for reading in readings]
        verdict, said = _judge_gauge(field.name, readings, values)
        yield CheckedItem(arm.name, field.name, verdict, said, _places(arm, readings))


def _judge_gauge(
    name: str, readings: Sequence[PageReading], values: list[float | None]
) -> tuple[Verdict, str]:
    said = " → ".join(number(value) for value in values)
    if all(value is None for value in values):
        if name == KV_USAGE:
            return Verdict.UNSAID, "a full KV cache is then not seen filling up"
        return Verdict.MISSING, "nothing; the running batch is what answers stand on"
    by_page = {r.name: value for r, value in zip(readings, values, strict=True)}
    for page, value in by_page.items():
        if value is None:
            return Verdict.MISSING, f"{said}; nothing on {page}"
        if fault := _gauge_fault(name, page, value):
            return Verdict.WRONG, f"{said}; {number(value)} on {page}{fault}"
    if name == "running" and not by_page.get(LOAD):
        return (
            Verdict.UNSAID,
            f"{said}; no page was read while requests ran: record {LOAD} again",
        )
    return Verdict.OK, said


def _gauge_fault(name: str, page: str, value: float) -> str | None:
    """Why a gauge cannot stand there; None = it can."""
    if value < 0:
        return ": below 0"
    if name == KV_USAGE:
        return ": a share is at most 1" if value > 1 else None
    return ", where nothing ran" if value and page != LOAD else None


def _check_counters(
    arm: ArmCapture, readings: Sequence[PageReading]
) -> Iterator[CheckedItem]:
    for field in dataclasses.fields(EngineCounters):
        if field.name in DRAFT_COUNTERS:
            continue
        values = [getattr(reading.counters, field.name) for reading in readings]
        verdict, said = _judge_counter(field.name, values)
        yield CheckedItem(arm.name, field.name, verdict, said, _places(arm, readings))


def _judge_counter(name: str, values: list[float | None]) -> tuple[Verdict, str]:
    """A series may appear with its first count; it never goes back."""
    said = " → ".join(number(value) for value in values)
    known = [value for value in values if value is not None]
    if not known:
        if name in NEEDED_COUNTERS:
            return Verdict.MISSING, f"nothing; {NEEDED_COUNTERS[name]}"
        return Verdict.UNSAID, COSTS.get(name, "nothing")
    if falls(known):
        return Verdict.WRONG, f"{said}; a counter never falls"
    if values[-1] is None:
        return Verdict.WRONG, f"{said}; it was there before"
    if name in NEEDED_COUNTERS and len(values) > 1 and not grows(values):
        return Verdict.WRONG, f"{said}; requests were answered in between"
    return Verdict.OK, said


def grows(values: Sequence[float | None]) -> bool:
    """Whether the last is above the first; one that was not there yet was 0."""
    return (values[-1] or 0) > (values[0] or 0)


def falls(values: Sequence[float]) -> bool:
    """Whether any is below the one before."""
    return any(b < a for a, b in pairwise(values))


def _places(arm: ArmCapture, readings: Sequence[PageReading]) -> str:
    return arm.place(", ".join(reading.name for reading in readings))
