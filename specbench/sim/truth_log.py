"""What the server really did, as JSON lines, so that a test can judge a client.
Instants are ns of the monotonic clock, which on one machine all processes share. `kind`
says what a line is:

`server`    first line: `pid`, `instant_ns`, `dialect`, `seed`, `config` as programmed.
`request`   one completion call, written when it ended: `request_id` (the id in its
            events), `number` (n-th call from 1), `prompt_key` (equal for equal
            prompts), `prompt_tokens`, `received_ns` (the read that completed the call),
            `output_tokens` (made by the engine), `finish_reason` (`abort`: the client
            or a fault ended it), `chunks` (`[instant just before the write, tokens so
            far]` for a chat's role, with 0 tokens, and for each event with text),
            `latest_ns` (the most by which a chunk was behind the end of its step),
            `acceptance_histogram` and `draft_tokens` (null without speculation, and
            where the request did not end by itself), `fault` (kind or null).
`step`      one engine step: the fields of `StepRecord`, and `played_ns`, when its
            outputs began to leave; `ended_ns` is the programmed instant.
`metrics`   one rendering of /metrics: `instant_ns`, and for each rank `rank`,
            `running`, `waiting`, `kv_usage` and `counters` (`SimCounters`) as shown.

Lines lie in memory until `flush`, so a hard end of the process can lose the last ones.
"""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import orjson

from specbench.errors import InputError
from specbench.sim.engine_view import EngineView
from specbench.sim.request import DraftHistory, StepRecord


@dataclasses.dataclass(slots=True)
class RequestTruth:
    """One request as the server saw it; see `request` above."""

    request_id: str
    number: int
    prompt_key: str
    prompt_tokens: int
    received_ns: int
    fault: str | None
    output_tokens: int = 0
    finish_reason: str | None = None
    sent_ns: list[int] = dataclasses.field(default_factory=list)
    sent_tokens: list[int] = dataclasses.field(default_factory=list)
    """The two columns of `chunks`."""
    latest_ns: int = 0
    drafts: DraftHistory | None = None

    def line(self) -> dict[str, Any]:
        """The line as a document."""
        drafts = self.drafts
        return {
            "kind": "request",
            "request_id": self.request_id,
            "number": self.number,
            "prompt_key": self.prompt_key,
            "prompt_tokens": self.prompt_tokens,
            "received_ns": self.received_ns,
            "output_tokens": self.output_tokens,
            "finish_reason": self.finish_reason,
            "fault": self.fault,
            "latest_ns": self.latest_ns,
            "acceptance_histogram": drafts.acceptance_histogram if drafts else None,
            "draft_tokens": drafts.draft_tokens if drafts else None,
            "chunks": list(zip(self.sent_ns, self.sent_tokens, strict=True)),
        }


class TruthLog:
    """An open log. Adding costs an append; `flush` writes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._waiting: list[RequestTruth | tuple[StepRecord, int] | bytes] = []

    @classmethod
    def open(cls, path: Path) -> Self:
        """Create the file anew; in a folder it is named after this process. Raises
        InputError where that is not possible."""
        file = path / f"{os.getpid()}.jsonl" if path.is_dir() else path
        try:
            return cls(file.open("wb"))
        except OSError as error:
            raise InputError(
                f"sim: --truth-log {path}: {error.strerror or error}",
                hint="name a folder that exists, or a file in one; it must be writable",
            ) from error

    def add_server(self, document: dict[str, Any]) -> None:
        """The first line."""
        self._waiting.append(orjson.dumps({"kind": "server", **document}))

    def add_request(self, truth: RequestTruth) -> None:
        """A request that has ended; it must not change any more."""
        self._waiting.append(truth)

    def add_step(self, step: StepRecord, played_ns: int) -> None:
        """A step whose outputs leave now."""
        self._waiting.append((step, played_ns))

    def add_metrics(self, instant_ns: int, engines: Sequence[EngineView]) -> None:
        """A page that was rendered from these; they are written down at once, since
        the counters go on."""
        document = {"kind": "metrics", "instant_ns": instant_ns, "engines": engines}
        self._waiting.append(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS))

    def flush(self) -> None:
        """On disk for other processes when this returns."""
        if not self._waiting:
            return
        lines, self._waiting = self._waiting, []
        self._file.write(b"".join(_encode(line) + b"\n" for line in lines))
        self._file.flush()

    def close(self) -> None:
        """Flush and close."""
        self.flush()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _encode(line: RequestTruth | tuple[StepRecord, int] | bytes) -> bytes:
    if isinstance(line, bytes):
        return line
    if isinstance(line, RequestTruth):
        return orjson.dumps(line.line())
    step, played_ns = line
    return orjson.dumps({"kind": "step", **step._asdict(), "played_ns": played_ns})
