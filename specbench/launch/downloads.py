"""Notices that an engine is downloading a model into the Hugging Face hub cache, by its
unfinished files: `<repo>/blobs/*.incomplete` (huggingface_hub 2.4.0, file_download.py
and utils/_cache_manager.py). Reads names, sizes and times of files, nothing else."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from specbench import clock
from specbench.units import seconds_between

HOLD_S = 30.0
"""An unfinished file counts as being downloaded for this long after it last changed: on
a slow line seconds pass between two writes."""

UnfinishedFiles = Mapping[str, tuple[int, int]]
"""Size (bytes) and modification time (ns) by path."""


def hub_cache_folder(env: Mapping[str, str]) -> Path:
    """Where a process with this environment keeps models (huggingface_hub 2.4.0,
    constants.py)."""
    user_cache = env.get("XDG_CACHE_HOME") or str(
        Path(env.get("HOME") or Path.home()) / ".cache"
    )
    home = env.get("HF_HOME") or str(Path(user_cache) / "huggingface")
    folder = (
        env.get("HF_HUB_CACHE")
        or env.get("HUGGINGFACE_HUB_CACHE")
        or str(Path(home) / "hub")
    )
    return Path(folder).expanduser()


def list_unfinished(folder: Path) -> dict[str, tuple[int, int]]:
    """Unfinished downloads in a hub cache; none when there is no such folder."""
    found: dict[str, tuple[int, int]] = {}
    for path in folder.glob("*/blobs/*.incomplete"):
        try:
            facts = path.stat()
        except OSError:  # finished and renamed meanwhile
            continue
        found[str(path)] = (facts.st_size, facts.st_mtime_ns)
    return found


class DownloadWatch:
    """Compares each look at the unfinished files with the one before. Those that lie
    there from the beginning, left by a download that broke off, count once they grow.
    """

    def __init__(self, files: UnfinishedFiles) -> None:
        self._files = files
        self._changed_ns: dict[str, int] = {}

    def look(self, files: UnfinishedFiles, now_ns: int) -> bool:
        """Whether a download is under way, given what lies there now."""
        for path, facts in files.items():
            if self._files.get(path) != facts:
                self._changed_ns[path] = now_ns
        self._files = files
        return any(
            path in self._changed_ns
            and seconds_between(self._changed_ns[path], now_ns) <= HOLD_S
            for path in files
        )


def hub_download_active(
    env: Mapping[str, str], now_ns: Callable[[], int] = clock.monotonic_ns
) -> Callable[[], bool]:
    """A question to ask again and again: is a model being downloaded?

    `env` holds the variables set for the engine; this process' own stand behind them.
    Ask for it before the engine starts, so that its first file is seen as new.
    """
    folder = hub_cache_folder({**os.environ, **env})
    watch = DownloadWatch(list_unfinished(folder))
    return lambda: watch.look(list_unfinished(folder), now_ns())
