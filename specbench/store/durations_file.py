"""How long cells and start-ups took on this machine, kept in the user's state folder so
that a sweep can tell beforehand what it will cost."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from specbench.errors import ResultsError
from specbench.schema.durations import KeptCell, KeptDurations
from specbench.store.disk import (
    make_folder,
    read_text,
    results_errors,
    write_file,
)
from specbench.store.format import from_json, to_json
from specbench.store.layout import safe_name
from specbench.store.noise_file import state_folder

MOST_RECORDS = 100
MOST_CELLS = 300
"""Of one record; what was measured longest ago is forgotten first."""

Records = tuple[KeptDurations, ...]


def durations_path(hostname: str, env: Mapping[str, str] = os.environ) -> Path:
    """Where this machine's durations lie."""
    return state_folder(env) / "durations" / f"{safe_name(hostname)}.json"


def read_durations(path: Path) -> Records:
    """All records, newest last; none where there is no file. Raises ResultsError where
    the file cannot be read."""
    with results_errors("cannot read", path):
        is_there = path.exists()
    if not is_there:
        return ()
    return from_json(Records, read_text(path), str(path))


def add_durations(path: Path, new: Sequence[KeptDurations]) -> None:
    """Keep records, joined with what is known of the same arms, within bounds. A file
    that cannot be read is begun anew: it holds estimates, and the next run makes them
    again. Raises ResultsError where the disk refuses."""
    try:
        kept = {_identity(record): record for record in read_durations(path)}
    except ResultsError:
        kept = {}
    for record in new:
        older = kept.pop(_identity(record), None)
        kept[_identity(record)] = join_durations(older, record) if older else record
    make_folder(path.parent)
    text = to_json(list(kept.values())[-MOST_RECORDS:], indent=1)
    write_file(path, f"{text}\n".encode())


def join_durations(older: KeptDurations, newer: KeptDurations) -> KeptDurations:
    """One record of the same arm: a cell that was measured again takes the place of the
    older one, a start-up that is not known leaves it."""
    again = set(map(_condition, newer.cells))
    cells = [cell for cell in older.cells if _condition(cell) not in again]
    return replace(
        newer,
        startup_s=older.startup_s if newer.startup_s is None else newer.startup_s,
        cells=tuple(_newest([*cells, *newer.cells])),
    )


def _newest(cells: Iterable[KeptCell]) -> list[KeptCell]:
    by_age = sorted(cells, key=lambda cell: cell.measured_utc)
    return by_age[-MOST_CELLS:]


def _condition(cell: KeptCell) -> KeptCell:
    return replace(cell, seconds=0.0, measured_utc="")


def _identity(record: KeptDurations) -> KeptDurations:
    return replace(record, arm="", startup_s=None, cells=())
