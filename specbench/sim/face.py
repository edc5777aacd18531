"""What a dialect is to the server: the answers that look like one engine's. The server
itself knows requests, time and faults, and none of the engines' shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from specbench.sim.completions import CallError, CompletionCall
from specbench.sim.engine_view import EngineView
from specbench.sim.pacing import Playable
from specbench.sim.request import StepRecord
from specbench.sim.stream_events import StreamEvents
from specbench.sim.truth_log import RequestTruth

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Page:
    """A whole answer."""

    status: HTTPStatus
    body: bytes
    content_type: str = JSON


class Face(Protocol):
    """One engine's looks."""

    health_paths: frozenset[str]

    def events(self, call: CompletionCall, name: str, created: int) -> StreamEvents:
        """The events of a new response; `name` is the client's or a number's."""

    def error_body(self, error: CallError) -> bytes:
        """JSON of a refusal."""

    def page(self, method: str, path: str) -> Page | None:
        """Any page but health, completions and metrics; None = there is no such."""

    def metrics(self, engines: Sequence[EngineView], created_unix: float) -> str:
        """The text of /metrics. `created_unix`: since when the counters count."""

    def on_step(self, step: StepRecord) -> None:
        """A step has ended."""

    def on_request(self, truth: RequestTruth) -> None:
        """A request has ended, by itself or not."""

    def on_counter_reset(self) -> None:
        """The engine's counters begin anew; so do those kept here."""


def engine_views(engine: Playable) -> list[EngineView]:
    """All ranks as they are now."""
    return [
        EngineView(
            rank=rank,
            running=one.running,
            # as vLLM 0.32.0 counts: what came during the step is not in it
            waiting=one.queued,
            kv_usage=one.kv_usage,
            counters=one.counters,
        )
        for rank, one in enumerate(engine.engines)
    ]
