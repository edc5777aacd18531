"""The metronome's log: what it sent and when. One file for each of its processes,
`<pid>.jsonl`: a line for each answer (`SentRequest`), written when it has ended, and a
last one for the process (`ServerEffort`). The lines are kept in memory and written
some thousand at a time."""

import os
from io import BytesIO
from pathlib import Path

import orjson

from specbench.schema.selftest import SentRequest, ServerEffort

SPILL_BYTES = 1 << 25
"""A test run stays in memory to its end; a longer one is written now and then."""


class ScheduleLog:
    """Where one process writes; None: it counts only."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / f"{os.getpid()}.jsonl" if folder is not None else None
        self._kept = BytesIO()
        self.chunks = 0
        """Text chunks noted so far."""

    def write(self, request: SentRequest) -> None:
        """Note an answer that has ended."""
        self.chunks += len(request.sent_ns)
        if self._path is None:
            return
        self._kept.write(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
        if self._kept.tell() > SPILL_BYTES:
            self._spill()

    def close(self, effort: ServerEffort) -> None:
        """Write what is kept, and the last line."""
        self._kept.write(orjson.dumps(effort, option=orjson.OPT_APPEND_NEWLINE))
        self._spill()

    def _spill(self) -> None:
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(self._kept.getvalue())
        self._kept = BytesIO()
