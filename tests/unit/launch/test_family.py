"""Who belongs to a launch, and who must never be taken for a member."""

from hypothesis import given
from hypothesis import strategies as st

from specbench.launch.family import could_be_marked, find_family
from specbench.launch.proc_table import ProcessEntry, ProcessId, ProcessTable

LEADER = ProcessId(pid=100, start_ticks=1000)


def entry(
    pid: int,
    parent: int,
    start: int = 2000,
    group: int = 1,
    session: int = 1,
) -> ProcessEntry:
    return ProcessEntry(ProcessId(pid, start), parent, group, session, is_zombie=False)


def leader_entry() -> ProcessEntry:
    return entry(LEADER.pid, 50, LEADER.start_ticks, LEADER.pid, LEADER.pid)


def table_of(*entries: ProcessEntry) -> dict[int, ProcessEntry]:
    return {it.id.pid: it for it in entries}


def pids(family: frozenset[ProcessId]) -> set[int]:
    return {process.pid for process in family}


def test_children_and_their_children_are_members() -> None:
    table = table_of(leader_entry(), entry(101, 100), entry(102, 101), entry(103, 50))
    assert pids(find_family(table, LEADER, known=())) == {100, 101, 102}


def test_orphan_is_a_member_by_group_or_by_session() -> None:
    by_group = entry(101, 1, group=LEADER.pid)
    by_session = entry(102, 1, session=LEADER.pid)
    table = table_of(leader_entry(), by_group, by_session)
    assert pids(find_family(table, LEADER, known=())) == {100, 101, 102}


def test_orphan_in_a_session_of_its_own_is_a_member_if_known_or_marked() -> None:
    known, marked, stranger = entry(101, 1), entry(102, 1), entry(103, 1)
    table = table_of(leader_entry(), known, marked, stranger)
    family = find_family(table, LEADER, known={known.id}, marked={marked.id})
    assert pids(family) == {100, 101, 102}


def test_children_of_a_known_orphan_are_members() -> None:
    orphan = entry(101, 1)
    table = table_of(orphan, entry(102, 101))
    assert pids(find_family(table, LEADER, known={orphan.id})) == {101, 102}


def test_pid_that_was_given_out_again_is_no_member() -> None:
    was_known = ProcessId(pid=101, start_ticks=1500)
    stranger = entry(101, 1, start=9000)
    table = table_of(leader_entry(), stranger, entry(102, 101, start=9001))
    assert pids(find_family(table, LEADER, known={was_known})) == {100}


def test_group_of_a_stranger_with_the_leaders_number_is_not_ours() -> None:
    stranger = entry(LEADER.pid, 1, start=9000, group=LEADER.pid, session=LEADER.pid)
    in_its_group = entry(101, LEADER.pid, start=9001, group=LEADER.pid)
    table = table_of(stranger, in_its_group)
    assert find_family(table, LEADER, known=()) == frozenset()


def test_group_counts_no_more_once_the_leader_left_the_table() -> None:
    table = table_of(entry(101, 1, group=LEADER.pid))
    assert find_family(table, LEADER, known=()) == frozenset()


def test_child_older_than_its_parent_is_no_member() -> None:
    table = table_of(leader_entry(), entry(101, 100, start=999))
    assert pids(find_family(table, LEADER, known=())) == {100}


def test_only_strangers_that_are_not_older_are_looked_at_for_the_marker() -> None:
    table = table_of(
        leader_entry(), entry(101, 100), entry(102, 1), entry(103, 1, start=999)
    )
    family = find_family(table, LEADER, known=())
    assert [it.pid for it in could_be_marked(table, LEADER, family)] == [102]


@st.composite
def tables(draw: st.DrawFn) -> ProcessTable:
    """Any table in which the leader lives, cycles of parents included."""
    numbers = draw(st.sets(st.integers(101, 120), max_size=12))
    number = st.sampled_from([1, 50, 100, *numbers])
    rows = [
        entry(
            pid,
            parent=draw(number),
            start=draw(st.integers(900, 1100)),
            group=draw(number),
        )
        for pid in numbers
    ]
    return table_of(leader_entry(), *rows)


@given(tables())
def test_every_member_is_of_the_group_or_the_child_of_a_member(
    table: ProcessTable,
) -> None:
    family = find_family(table, LEADER, known=())
    for process in family - {LEADER}:
        row = table[process.pid]
        parent = table.get(row.parent_pid)
        is_of_group = LEADER.pid in (row.group, row.session)
        assert is_of_group or (parent is not None and parent.id in family)


@given(tables())
def test_family_that_was_seen_is_found_again_when_the_leader_is_gone(
    table: ProcessTable,
) -> None:
    family = find_family(table, LEADER, known=())
    without = {pid: row for pid, row in table.items() if pid != LEADER.pid}
    assert find_family(without, LEADER, known=family) == family - {LEADER}
