"""Who computes where."""

import os
import threading

import pytest

from specbench.host.affinity import pin_this_process, split_cpus


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
