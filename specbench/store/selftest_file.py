"""Files of the client's own test: the log of the server with a known schedule, read
once, and the last result on this machine, kept in the user's cache folder so that a
sweep can be held against it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from specbench.errors import ResultsError
from specbench.schema.selftest import SelftestResult, SentRequest, ServerEffort
from specbench.store.disk import make_folder, read_bytes, read_text, write_file
from specbench.store.format import from_json, to_json
from specbench.store.layout import safe_name


@dataclass(frozen=True, slots=True)
class ServerLog:
    """What all processes of the server noted."""

    sent: tuple[SentRequest, ...]
    """In no order."""
    efforts: tuple[ServerEffort, ...]
    """One for each process that ended in good order."""


def read_server_log(folder: Path) -> ServerLog:
    """All of `<pid>.jsonl` in a folder. Raises ResultsError for a broken line."""
    sent: list[SentRequest] = []
    efforts: list[ServerEffort] = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(read_bytes(path).splitlines(), start=1):
            try:
                document = orjson.loads(line)
                if "cpu_s" in document:
                    efforts.append(ServerEffort(**document))
                else:
                    sent.append(SentRequest(**_with_tuples(document)))
            except (ValueError, TypeError, AttributeError) as error:
                raise ResultsError(f"{path}:{number}: {error}") from error
    return ServerLog(tuple(sent), tuple(efforts))


def _with_tuples(document: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in document.items()
    }


def selftest_path(hostname: str, env: Mapping[str, str] = os.environ) -> Path:
    """Where this machine's result lies; a home folder may serve several machines.
    (XDG Base Directory Specification 0.8: a relative path there is to be ignored.)"""
    given = env.get("XDG_CACHE_HOME", "")
    cache = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return cache / "specbench" / "selftest" / f"{safe_name(hostname)}.json"


def write_selftest(path: Path, result: SelftestResult) -> None:
    """Keep a result, in place of an earlier one. Raises ResultsError."""
    make_folder(path.parent)
    write_file(path, (to_json(result, indent=2) + "\n").encode())


def read_selftest(path: Path) -> SelftestResult | None:
    """The kept result; None where there is none, or where it cannot be read, as one
    that another version wrote: it can be made again."""
    try:
        return from_json(SelftestResult, read_text(path), str(path))
    except ResultsError:
        return None
