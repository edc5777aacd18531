"""Writes what the server really did, so that a test can judge a client: one JSON line
for each request, written when it ends. Instants are ns of the monotonic clock, which on
one machine all processes share."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from specbench.errors import InputError


@dataclass(slots=True)
class RequestTruth:
    """One request as the server saw it."""

    request_id: str
    """The id in its stream events."""
    prompt_key: str
    """Equal for equal prompts."""
    prompt_tokens: int
    received_ns: int
    """The read that completed the request."""
    output_tokens: int = 0
    finish_reason: str | None = None
    """`abort` when the client went away."""
    chunks: list[tuple[int, int]] = field(default_factory=list)
    """[instant just before the write, tokens so far], one for each event with a
    choice; a role-only event has 0 tokens."""
    latest_ns: int = 0
    """How far the worst chunk was behind the programmed instant of its step."""


class TruthLog:
    """An open log file."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    @classmethod
    def open(cls, path: Path) -> Self:
        """Create the file anew. Raises InputError where that is not possible."""
        try:
            return cls(path.open("w", encoding="utf-8"))
        except OSError as error:
            raise InputError(
                f"sim: --truth-log {path}: {error.strerror or error}",
                hint="name a file in a folder that exists and can be written",
            ) from error

    def write(self, truth: RequestTruth) -> None:
        """Add a request; it is on disk for other processes when this returns."""
        self._file.write(json.dumps(asdict(truth)) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
