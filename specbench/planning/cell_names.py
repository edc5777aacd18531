"""Every cell has a folder of its own: names that only differ in characters which a
folder's name cannot hold would share one."""

from collections.abc import Iterator

from specbench.planning.expand import plan_sweep
from specbench.planning.problems import Problem
from specbench.schema.cell import CellKey
from specbench.schema.sweep import SweepSpec

LONGEST_NAME = 200
"""Bytes; file systems take 255, and writers put endings after the name."""


def check_cell_names(spec: SweepSpec) -> Iterator[Problem]:
    """Clashing or overlong folder names of the sweep's cells, each pair of names
    once."""
    owners: dict[str, CellKey] = {}
    reported: set[tuple[str, ...]] = set()
    for launch in plan_sweep(spec).launches:
        for key in launch.cells:
            owner = owners.setdefault(key.cell_id, key)
            names = (*_names(owner), *_names(key))
            if owner != key and names not in reported:
                reported.add(names)
                yield Problem((), _clash(owner, key))
            elif len(key.cell_id.encode()) > LONGEST_NAME and names not in reported:
                reported.add(names)
                yield Problem((), _overlong(key))


def _names(key: CellKey) -> tuple[str, str, str]:
    return key.condition.target, key.condition.dataset, key.arm


def _clash(one: CellKey, other: CellKey) -> str:
    return (
        f"cells of {_words(one)} and of {_words(other)} would share the folder"
        f" `{one.cell_id}`; give the target another `name` or the data set another"
        " file name"
    )


def _overlong(key: CellKey) -> str:
    return (
        f"the folder names of {_words(key)} would be over {LONGEST_NAME} bytes long;"
        " give the target a short `name`, or the data set a short path"
    )


def _words(key: CellKey) -> str:
    target, dataset, arm = _names(key)
    return f'target "{target}" with data set "{dataset}" and arm "{arm}"'
