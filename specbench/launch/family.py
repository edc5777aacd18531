"""Decides which processes belong to a launched engine: its process group and session,
whatever carries the launch's marker, and all that descends from these or from a
process that did so when it was last seen. Nothing here does I/O."""

from collections.abc import Collection, Iterable

from specbench.launch.proc_table import ProcessEntry, ProcessId, ProcessTable


def find_family(
    table: ProcessTable,
    leader: ProcessId,
    known: Collection[ProcessId],
    marked: Collection[ProcessId] = (),
) -> frozenset[ProcessId]:
    """Members among the rows of `table`, zombies included.

    `leader` is the process that was launched; `known` were members before (a child
    whose parent has died can be told from a stranger only by that), `marked` carry
    the launch's marker.
    """
    # The kernel gives a pid out again only when no process, group or session has the
    # number; so the group is ours as long as the leader, be it a zombie, holds it.
    row = table.get(leader.pid)
    is_group_ours = row is not None and row.id == leader
    members = {
        entry.id
        for entry in table.values()
        if entry.id == leader
        or entry.id in known
        or entry.id in marked
        or (is_group_ours and leader.pid in (entry.group, entry.session))
    }
    return frozenset(members | _descendants(table, members))


def could_be_marked(
    table: ProcessTable, leader: ProcessId, family: Collection[ProcessId]
) -> tuple[ProcessId, ...]:
    """Processes whose environment is worth a look: not members yet, and started no
    earlier than the leader (nothing older descends from it)."""
    return tuple(
        entry.id
        for entry in table.values()
        if not entry.is_zombie
        and entry.id not in family
        and entry.id.start_ticks >= leader.start_ticks
    )


def _descendants(
    table: ProcessTable, ancestors: Iterable[ProcessId]
) -> frozenset[ProcessId]:
    children: dict[int, list[ProcessEntry]] = {}
    for entry in table.values():
        children.setdefault(entry.parent_pid, []).append(entry)
    found: set[ProcessId] = set()
    open_ends = list(ancestors)
    while open_ends:
        parent = open_ends.pop()
        for child in children.get(parent.pid, ()):
            # A child older than its parent has a parent whose pid was reused.
            if child.id not in found and child.id.start_ticks >= parent.start_ticks:
                found.add(child.id)
                open_ends.append(child.id)
    return frozenset(found)
