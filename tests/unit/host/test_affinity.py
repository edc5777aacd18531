"""Who computes where."""

import os
import threading

import pytest

from specbench.host.affinity import (
    Core,
    pin_this_process,
    read_core,
    share_cpus,
    split_cpus,
)


def test_without_gpu_the_client_gets_the_last_cpu_and_the_engine_the_others() -> None:
    split = split_cpus([5, 0, 3], has_gpu=False)
    assert (split.engine, split.client, split.note) == ((0, 3), (5,), None)


def test_with_gpu_nothing_is_split() -> None:
    split = split_cpus([0, 1, 2], has_gpu=True)
    assert (split.engine, split.client, split.note) == (None, None, None)


@pytest.mark.parametrize(
    ("cpus", "words"), [([3], "one CPU"), ([], "an unknown number of CPUs")]
)
def test_too_few_cpus_are_shared_and_that_is_said(cpus: list[int], words: str) -> None:
    split = split_cpus(cpus, has_gpu=False)
    assert (split.engine, split.client) == (None, None)
    assert split.note is not None
    assert split.note.startswith(words)


def alone(cpu: int) -> Core:
    """Each CPU is a core."""
    return (0, cpu)


def test_places_and_client_get_cpus_of_their_own_and_the_places_equally_many() -> None:
    shares = share_cpus(range(8), 2, alone)
    assert shares is not None
    assert shares.engines == ((0, 1, 2), (3, 4, 5))
    assert shares.client == (6, 7)
    assert shares.notes == ()


def test_what_cannot_be_shared_equally_is_the_clients() -> None:
    shares = share_cpus([4, 5, 6, 7, 9, 11, 13], 2, alone)
    assert shares is not None
    assert shares.engines == ((4, 5), (6, 7))
    assert shares.client == (9, 11, 13)


def test_a_client_with_fewer_cpus_than_places_is_told() -> None:
    shares = share_cpus(range(3), 2, alone)
    assert shares is not None
    assert (shares.engines, shares.client) == (((0,), (1,)), (2,))
    assert "void cells" in shares.notes[0]
    enough = share_cpus(range(4), 2, alone)
    assert enough is not None
    assert (enough.client, enough.notes) == ((2, 3), ())


@pytest.mark.parametrize(("count", "places"), [(0, 2), (1, 2), (2, 2), (3, 3)])
def test_too_few_cpus_cannot_be_shared(count: int, places: int) -> None:
    assert share_cpus(range(count), places, alone) is None


def test_a_physical_core_is_not_shared_by_two_places() -> None:
    # as Linux numbers the threads of four cores: 0 and 4 are one of them
    shares = share_cpus(range(8), 2, lambda cpu: (0, cpu % 4))
    assert shares is not None
    assert shares.engines == ((0, 4), (1, 5))
    assert shares.client == (2, 3, 6, 7)
    assert shares.notes == ()


def test_cores_are_dealt_package_by_package() -> None:
    shares = share_cpus(range(10), 2, lambda cpu: (cpu % 2, cpu // 2))
    assert shares is not None
    assert shares.engines[0] == (0, 2, 4, 6)
    assert shares.client == (7, 9)


def test_too_few_cores_are_shared_by_their_threads_and_that_is_said() -> None:
    shares = share_cpus(range(4), 2, lambda cpu: (0, cpu % 2))
    assert shares is not None
    assert shares.engines == ((0,), (1,))
    assert shares.client == (2, 3)
    assert "physical cores" in shares.notes[0]


def test_cpus_whose_core_is_not_known_count_as_cores() -> None:
    shares = share_cpus(range(3), 2, lambda _: None)
    assert shares is not None
    assert shares.engines == ((0,), (1,))


def test_a_cpu_that_is_not_there_has_no_known_core() -> None:
    assert read_core(10**9) is None


def test_pin_holds_for_all_threads_and_is_undone() -> None:
    before = os.sched_getaffinity(0)
    cpu = max(before)
    go, end = threading.Event(), threading.Event()
    seen: list[set[int]] = []

    def look() -> None:
        go.wait()
        seen.append(os.sched_getaffinity(0))
        end.set()

    thread = threading.Thread(target=look)
    thread.start()
    with pin_this_process([cpu]):
        assert os.sched_getaffinity(0) == {cpu}
        go.set()
        end.wait()
    thread.join()
    assert seen == [{cpu}]
    assert os.sched_getaffinity(0) == before


def test_thread_born_under_the_pin_is_freed_with_the_others() -> None:
    before = os.sched_getaffinity(0)
    is_over = threading.Event()
    seen: list[set[int]] = []

    def look() -> None:
        is_over.wait()
        seen.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=look)
    with pin_this_process([max(before)]):
        thread.start()
    is_over.set()
    thread.join()
    assert seen == [before]


def test_no_cpus_given_changes_nothing() -> None:
    before = os.sched_getaffinity(0)
    with pin_this_process(None):
        assert os.sched_getaffinity(0) == before


def test_pin_is_undone_after_an_error() -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(KeyError), pin_this_process([max(before)]):
        raise KeyError
    assert os.sched_getaffinity(0) == before
