"""The simulated server's truth log, read anew: what it received, sent and counted, by
its own clock. Lines keep their place, since their order is the order of events."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A request as the server saw it."""

    place: int
    received_ns: int
    output_tokens: int
    finish_reason: str | None
    fault: str | None
    sent: tuple[tuple[int, int], ...]
    """(instant just before the write, tokens so far) of each chunk with tokens."""
    histogram: tuple[int, ...] | None
    draft_tokens: int | None
    prompt_key: str = ""
    """Equal prompts have the same one."""
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """An engine step."""

    place: int
    began_ns: int
    ended_ns: int
    played_ns: int
    """When its chunks began to leave."""
    sequences: int
    drafts: int
    draft_tokens: int
    accepted_by_position: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A rendering of /metrics, summed over ranks."""

    place: int
    instant_ns: int
    running: int
    counters: dict[str, Any]
    """Of the first rank."""


@dataclass(frozen=True, slots=True)
class ServerLog:
    """One server's whole log."""

    speculates: bool
    calls: tuple[Call, ...]
    steps: tuple[Step, ...]
    pages: tuple[Page, ...]

    def page_before(self, instant_ns: int) -> Page:
        """The page that a client had in hand at this instant."""
        return max(
            (p for p in self.pages if p.instant_ns <= instant_ns),
            key=lambda p: p.instant_ns,
        )

    def calls_between(self, first: Page, last: Page) -> list[Call]:
        """Calls that ended between two pages."""
        return [c for c in self.calls if first.place < c.place < last.place]

    def steps_between(self, first: Page, last: Page) -> list[Step]:
        """Steps that ended between two pages."""
        return [s for s in self.steps if first.place < s.place < last.place]


def read_log(path: Path) -> ServerLog:
    """The log of one server process. A last line that is cut off is left out: the
    server may have been killed in the middle of it."""
    lines = path.read_text().split("\n")[:-1]
    return _sort_out(json.loads(line) for line in lines)


def read_logs(folder: Path) -> tuple[ServerLog, ...]:
    """All logs of a folder."""
    return tuple(read_log(path) for path in sorted(folder.glob("*.jsonl")))


def _sort_out(lines: Iterable[dict[str, Any]]) -> ServerLog:
    calls: list[Call] = []
    steps: list[Step] = []
    pages: list[Page] = []
    speculates = False
    for place, line in enumerate(lines):
        match line["kind"]:
            case "server":
                speculates = line["config"]["speculation"] is not None
            case "request":
                calls.append(_call(place, line))
            case "step":
                steps.append(_step(place, line))
            case "metrics":
                pages.append(_page(place, line))
    return ServerLog(speculates, tuple(calls), tuple(steps), tuple(pages))


def _call(place: int, line: dict[str, Any]) -> Call:
    histogram = line["acceptance_histogram"]
    return Call(
        place=place,
        received_ns=line["received_ns"],
        output_tokens=line["output_tokens"],
        finish_reason=line["finish_reason"],
        fault=line["fault"],
        sent=tuple((at, tokens) for at, tokens in line["chunks"] if tokens > 0),
        histogram=None if histogram is None else tuple(histogram),
        draft_tokens=line["draft_tokens"],
        prompt_key=line["prompt_key"],
        prompt_tokens=line["prompt_tokens"],
    )


def _step(place: int, line: dict[str, Any]) -> Step:
    return Step(
        place=place,
        began_ns=line["began_ns"],
        ended_ns=line["ended_ns"],
        played_ns=line["played_ns"],
        sequences=line["sequences"],
        drafts=line["drafts"],
        draft_tokens=line["draft_tokens"],
        accepted_by_position=tuple(line["accepted_by_position"]),
    )


def _page(place: int, line: dict[str, Any]) -> Page:
    engines = line["engines"]
    return Page(
        place=place,
        instant_ns=line["instant_ns"],
        running=sum(engine["running"] for engine in engines),
        counters=engines[0]["counters"],
    )
